// What a transposed convolution of 2x2 and a 3x3 convolution behind it are together: see Graph/JoiningTransposed.swift.

import NNKernelInterface

/// Along an axis: the pairs of taps that lead from a pixel of the small map to one of two output pixels.
private struct AxisTaps {
  /// Of each of the two small pixels: taps of the 3x3 kernel, and the tap of the transposed one before each.
  let pairs: [[(tap: Int, transposed: Int)]]

  /// For the output pixel 2i + `place`, whose small pixels are i - 1 + `place` and the one behind.
  init(place: Int) {
    var pairs: [[(tap: Int, transposed: Int)]] = [[], []]
    for tap in 0..<3 {
      // The large map's pixel 2i + place + tap - 1, counted from 2i - 2.
      let large = place + tap + 1
      pairs[large / 2 - place].append((tap, large % 2))
    }
    self.pairs = pairs
  }
}

/// The weights of the four convolutions of 2x2: products of both layers' weights, by a kernel.
struct JointWeights {
  private let kernels: KernelTable
  private let inChannels, between, outChannels: Int
  /// (position, out, between), and (position, in, between), with both scales in the former.
  private let convolution, transposed: [[Float]]

  init(_ layer: Convolution, _ before: Transposition, _ kernels: KernelTable) {
    self.kernels = kernels
    let (first, second) = (before.weights.floats(), layer.weights.floats())
    let (between, outChannels) = (before.bias.count, layer.outChannels)
    let inChannels = first.count / (4 * between)
    (self.inChannels, self.between, self.outChannels) = (inChannels, between, outChannels)
    transposed = (0..<4).map { position in
      (0..<inChannels * between).map { first[4 * $0 + position] }
    }
    convolution = (0..<9).map { position in
      (0..<outChannels * between).map { index in
        let (out, channel) = index.quotientAndRemainder(dividingBy: between)
        return second[9 * index + position] * (layer.scale?[out] ?? 1) * (before.scale?[channel] ?? 1)
      }
    }
  }

  /// (out, in, 2, 2), of the convolution for one place of the output pixels.
  func weights(row: Int, column: Int) -> FloatMemory {
    let (rows, columns) = (AxisTaps(place: row), AxisTaps(place: column))
    let joint = FloatMemory(count: outChannels * inChannels * 4)
    for position in 0..<4 {
      let pairs = rows.pairs[position / 2].flatMap { row in
        columns.pairs[position % 2].map { column in
          (3 * row.tap + column.tap, 2 * row.transposed + column.transposed)
        }
      }
      let product = product(pairs)
      for index in 0..<outChannels * inChannels {
        unsafe joint.base[4 * index + position] = product.base[index]
      }
    }
    return joint
  }

  /// (out, in): the sum of products of 3x3 and transposed positions, as one product whose depth has all of them.
  private func product(_ pairs: [(convolution: Int, transposed: Int)]) -> FloatMemory {
    let depth = pairs.count * between
    let shape = ConvolutionShape(
      inHeight: 1, inWidth: outChannels, inChannels: depth, outHeight: 1, outWidth: outChannels,
      outChannels: inChannels, kernelHeight: 1, kernelWidth: 1, stride: 1, padding: 0)
    let left = sideBySide(pairs.map { convolution[$0.convolution] }, rows: outChannels)
    let right = sideBySide(pairs.map { transposed[$0.transposed] }, rows: inChannels)
    let packed = FloatMemory(count: kernels.direct.packedCount(shape))
    unsafe kernels.direct.pack(shape, right.base, nil, packed.base)
    let product = FloatMemory(count: outChannels * inChannels)
    let scratch = FloatMemory(count: kernels.direct.scratch(shape))
    let zeros = FloatMemory(count: max(depth, inChannels) + 64)
    var task = unsafe ConvolutionTask(
      shape: shape, input: MapPointer(base: left.base, pixelStride: depth, rowStride: depth * outChannels),
      output: MutableMapPointer(
        base: product.base, pixelStride: inChannels, rowStride: inChannels * outChannels),
      residual: nil, weights: packed.base, bias: zeros.base, zeros: zeros.base, activation: .none)
    let panels = (inChannels + kernels.panelWidth - 1) / kernels.panelWidth
    unsafe kernels.direct.convolution(&task, 0, outChannels, 0, panels, scratch.base)
    return product
  }

  /// Matrices with as many rows, (rows, all their columns).
  private func sideBySide(_ matrices: [[Float]], rows: Int) -> FloatMemory {
    let memory = FloatMemory(count: matrices.count * rows * between)
    for (place, matrix) in matrices.enumerated() {
      for row in 0..<rows {
        let target = unsafe memory.base + (row * matrices.count + place) * between
        for column in 0..<between { unsafe target[column] = matrix[row * between + column] }
      }
    }
    return memory
  }
}

/// What both biases add to the outputs, inside the map and at its edges.
struct JointBiases {
  /// One an output channel, padded as the kernels want it.
  let inside: [Float]
  /// What the taps of the 3x3 kernel add of the transposed convolution's bias, (position, out channel).
  private let taps: [[Double]]

  init(_ layer: Convolution, _ before: Transposition) {
    let weights = layer.weights.floats()
    let between = before.bias.count
    let taps: [[Double]] = (0..<9).map { position in
      (0..<layer.outChannels).map { out in
        var sum = 0.0
        for channel in 0..<between {
          let weight = Double(weights[(out * between + channel) * 9 + position])
          sum += weight * Double(before.bias[channel])
        }
        return sum * Double(layer.scale?[out] ?? 1)
      }
    }
    self.taps = taps
    let all = layer.bias.indices.map { out in
      Float(taps.reduce(Double(layer.bias[out])) { $0 + $1[out] })
    }
    inside = all + [Float](repeating: 0, count: 64)
  }

  /// What is missing in the first (last) row, the first (last) column and the pixel in both, for the place of the output
  /// pixels: there the larger map has ended, and with it the bias.
  func edges(_ row: Int, _ column: Int) -> [Float] {
    let inRow: [Int] = (0..<3).map { 6 * row + $0 }
    let inColumn: [Int] = (0..<3).map { 3 * $0 + 2 * column }
    let inEither = inRow + inColumn.filter { !inRow.contains($0) }
    return [inRow, inColumn, inEither].flatMap(missing)
  }

  /// What positions of the kernel would have added, taken away.
  private func missing(_ positions: [Int]) -> [Float] {
    taps[0].indices.map { out in
      Float(positions.reduce(0.0) { sum, position in sum - taps[position][out] })
    }
  }
}
