// A transposed convolution of 2x2 and the 3x3 convolution after it as one layer: see
// Graph/Rewrites/JoiningTransposed.swift.

import NNKernelInterface

/// Along an axis: the pairs of taps that lead from a pixel of the small map to one of two output pixels.
private struct JoinedTaps {
  /// For each of the two small pixels: taps of the 3x3 kernel, and the tap of the transposed one before each.
  let pairs: [[(tap: Int, transposed: Int)]]

  /// For the output pixel 2i + `place`, computed from the small pixels i - 1 + `place` and the next one.
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
@safe struct JointWeights {
  private let gemm: ConvolutionKernel
  private let inChannels, between, outChannels: Int
  /// One piece, so that the system has it back as a whole: packing leaves no gaps between what stays.
  private let memory: FloatMemory
  /// (position, out, between) and (position, in, between), with both scales in the former.
  private let convolution, transposed: UnsafeMutablePointer<Float>
  /// The two sides of a product, the second packed too; what comes out, (out, in); and all of it, (out, in, 2, 2).
  private let left, right, packed, product, joint: UnsafeMutablePointer<Float>
  private let scratch: UnsafeMutablePointer<Float>
  /// Stands in for a bias.
  private let zeros: FloatMemory

  /// Pairs of taps that a product has at most.
  private static var mostPairs: Int { 4 }

  init(_ layer: Convolution, _ before: Transposition, _ gemm: ConvolutionKernel) {
    let (between, outChannels) = (before.bias.count, layer.outChannels)
    let inChannels = before.weights.count / (4 * between)
    self.gemm = gemm
    (self.inChannels, self.between, self.outChannels) = (inChannels, between, outChannels)
    let largest = Self.shape(inChannels, Self.mostPairs * between, outChannels)
    let counts = [
      9 * outChannels * between, 4 * inChannels * between, Self.mostPairs * outChannels * between,
      Self.mostPairs * inChannels * between, gemm.packedCount(largest), outChannels * inChannels,
      4 * outChannels * inChannels, gemm.scratch(largest, outChannels),
    ].map { ($0 + 15) / 16 * 16 }
    memory = FloatMemory(count: counts.reduce(0, +))
    zeros = FloatMemory(count: max(Self.mostPairs * between, inChannels) + 64)
    let starts = counts.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
    unsafe convolution = memory.base
    unsafe transposed = memory.base + starts[1]
    unsafe left = memory.base + starts[2]
    unsafe right = memory.base + starts[3]
    unsafe packed = memory.base + starts[4]
    unsafe product = memory.base + starts[5]
    unsafe joint = memory.base + starts[6]
    unsafe scratch = memory.base + starts[7]

    unsafe before.weights.withFloats(StagingMemory()) { source in
      for index in 0..<inChannels * between {
        for position in 0..<4 {
          unsafe transposed[position * inChannels * between + index] = source[4 * index + position]
        }
      }
    }
    unsafe layer.weights.withFloats(StagingMemory()) { source in
      for index in 0..<outChannels * between {
        let (out, channel) = index.quotientAndRemainder(dividingBy: between)
        let scale = (layer.scale?[out] ?? 1) * (before.scale?[channel] ?? 1)
        for position in 0..<9 {
          unsafe convolution[position * outChannels * between + index] = source[9 * index + position] * scale
        }
      }
    }
  }

  /// Lets `body` read the weights (out, in, 2, 2) of the convolution for one place of the output pixels.
  func withWeights(row: Int, column: Int, _ body: (UnsafePointer<Float>) -> Void) {
    let (rows, columns) = (JoinedTaps(place: row), JoinedTaps(place: column))
    for position in 0..<4 {
      let pairs = rows.pairs[position / 2].flatMap { row in
        columns.pairs[position % 2].map { column in
          (3 * row.tap + column.tap, 2 * row.transposed + column.transposed)
        }
      }
      multiply(pairs)
      for index in 0..<outChannels * inChannels { unsafe joint[4 * index + position] = product[index] }
    }
    unsafe body(joint)
  }

  /// Sums up products of 3x3 and transposed positions, as one product whose depth has all of them.
  private func multiply(_ pairs: [(convolution: Int, transposed: Int)]) {
    let depth = pairs.count * between
    let shape = Self.shape(inChannels, depth, outChannels)
    for (place, pair) in pairs.enumerated() {
      unsafe copy(convolution, pair.convolution, rows: outChannels, to: left + place * between, depth)
      unsafe copy(transposed, pair.transposed, rows: inChannels, to: right + place * between, depth)
    }
    unsafe gemm.pack(shape, right, nil, packed)
    var task = unsafe ConvolutionTask(
      shape: shape, input: MapPointer(base: left, pixelStride: depth, rowStride: depth * outChannels),
      output: MutableMapPointer(base: product, pixelStride: inChannels, rowStride: inChannels * outChannels),
      weights: packed, bias: zeros.base, zeros: zeros.base, activation: .none)
    unsafe gemm.run(&task, Share(items: 0..<outChannels, panels: 0..<gemm.panels(shape), scratch: scratch))
  }

  /// Copies the `rows` rows of a position to rows `stride` apart.
  private func copy(
    _ source: UnsafeMutablePointer<Float>, _ position: Int, rows: Int, to target: UnsafeMutablePointer<Float>,
    _ stride: Int
  ) {
    for row in 0..<rows {
      unsafe (target + row * stride).update(from: source + (position * rows + row) * between, count: between)
    }
  }

  /// (out, depth) times (depth, in), as a convolution of a map of `outChannels` pixels.
  private static func shape(_ inChannels: Int, _ depth: Int, _ outChannels: Int) -> ConvolutionShape {
    ConvolutionShape(
      inHeight: 1, inWidth: outChannels, inChannels: depth, outHeight: 1, outWidth: outChannels,
      outChannels: inChannels, kernelHeight: 1, kernelWidth: 1, stride: 1, padding: 0)
  }
}

/// The sums that both biases add to the outputs, inside the map and at its edges.
struct JointBiases {
  /// One per output channel, padded as the kernels want it.
  let inside: [Float]
  /// The transposed convolution's bias times each tap of the 3x3 kernel, (position, out channel).
  private let taps: [[Double]]

  init(_ layer: Convolution, _ before: Transposition) {
    let between = before.bias.count
    var taps = [[Double]](repeating: [Double](repeating: 0, count: layer.outChannels), count: 9)
    unsafe layer.weights.withFloats(StagingMemory()) { weights in
      for out in 0..<layer.outChannels {
        let scale = Double(layer.scale?[out] ?? 1)
        for position in 0..<9 {
          let filter = unsafe weights + (out * between * 9 + position)
          var sum = 0.0
          for (channel, bias) in before.bias.enumerated() {
            unsafe sum += Double(filter[9 * channel]) * Double(bias)
          }
          taps[position][out] = sum * scale
        }
      }
    }
    self.taps = taps
    let all = layer.bias.indices.map { out in
      Float(taps.reduce(Double(layer.bias[out])) { $0 + $1[out] })
    }
    inside = all + [Float](repeating: 0, count: 64)
  }

  /// The corrections of the first (last) row, the first (last) column and the pixel in both, for the place of the
  /// output pixels: there the larger map has ended, and with it the bias.
  func edges(_ row: Int, _ column: Int) -> [Float] {
    let inRow: [Int] = (0..<3).map { 6 * row + $0 }
    let inColumn: [Int] = (0..<3).map { 3 * $0 + 2 * column }
    let inEither = inRow + inColumn.filter { !inRow.contains($0) }
    return [inRow, inColumn, inEither].flatMap(missing)
  }

  /// The negated sums of the taps at some positions of the kernel, one per output channel.
  private func missing(_ positions: [Int]) -> [Float] {
    taps[0].indices.map { out in
      Float(positions.reduce(0.0) { sum, position in sum - taps[position][out] })
    }
  }
}
