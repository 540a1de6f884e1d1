import NNKernelInterface
import NNRuntime
import Testing

/// A Winograd convolution whose input is enlarged as it is read, or whose output is projected as it is made.
struct JoinedCase: CustomTestStringConvertible, Sendable {
  /// Of the map that is enlarged, if it is, and of the one that is convolved.
  var smaller: (height: Int, width: Int)?
  var height, width: Int
  var inChannels, outChannels: Int
  /// Channels behind the 1x1 convolution, if there is one.
  var projected: Int?
  var residual = false
  var gap = 0

  var testDescription: String {
    (smaller.map { "\($0.height)x\($0.width) to " } ?? "")
      + "\(height)x\(width)x\(inChannels)->\(outChannels)"
      + (projected.map { "->\($0)" } ?? "") + (residual ? " +residual" : "") + " gap \(gap)"
  }

  var shape: ConvolutionShape {
    ConvolutionShape(
      inHeight: height, inWidth: width, inChannels: inChannels, outHeight: height, outWidth: width,
      outChannels: outChannels, kernelHeight: 3, kernelWidth: 3, stride: 1, padding: 1)
  }

  var projectionShape: ConvolutionShape {
    ConvolutionShape(
      inHeight: height, inWidth: width, inChannels: outChannels, outHeight: height, outWidth: width,
      outChannels: projected ?? 1, kernelHeight: 1, kernelWidth: 1, stride: 1, padding: 0)
  }
}

@Suite("Winograd convolutions that enlarge what they read and project what they make keep to the definition")
struct JoinedWinogradConformance {
  static let cases: [JoinedCase] = [
    .init(smaller: (3, 2), height: 5, width: 4, inChannels: 16, outChannels: 16),
    .init(smaller: (9, 11), height: 18, width: 23, inChannels: 48, outChannels: 32, gap: 5),
    .init(height: 6, width: 6, inChannels: 16, outChannels: 16, projected: 1),
    .init(height: 13, width: 20, inChannels: 32, outChannels: 48, projected: 37, gap: 3),
    .init(height: 13, width: 20, inChannels: 32, outChannels: 48, residual: true, gap: 3),
    .init(smaller: (7, 9), height: 16, width: 15, inChannels: 32, outChannels: 80, projected: 64),
  ]

  /// One axis of a table of two taps.
  private struct Axis {
    var indices: [Int32] = []
    var weights: [Float] = []

    init(from input: Int, to output: Int) {
      for position in 0..<output {
        let place = Float(position) * Float(input - 1) / Float(max(output - 1, 1))
        let first = min(Int(place), input - 1)
        indices += [Int32(first), Int32(min(first + 1, input - 1))]
        weights += [1 - (place - Float(first)), place - Float(first)]
      }
    }

    /// The element at a position of the larger map.
    func element(_ position: Int, _ read: (Int) -> Double) -> Double {
      Double(weights[2 * position]) * read(Int(indices[2 * position]))
        + Double(weights[2 * position + 1]) * read(Int(indices[2 * position + 1]))
    }
  }

  @Test(arguments: Implementation.all, cases)
  func joined(_ implementation: Implementation, _ test: JoinedCase) throws {
    let kernels = try implementation.kernels()
    for tile in [WinogradTile.four, .six] { check(kernels, tile, test) }
  }

  private func check(_ kernels: KernelTable, _ tile: WinogradTile, _ test: JoinedCase) {
    let shape = test.shape
    let winograd = kernels.winograd(tile)
    var numbers = TestNumbers(seed: 7)
    let weights = numbers.next(shape.outChannels * shape.inChannels * 9)
    let scale = numbers.next(shape.outChannels)
    let bias = numbers.next(shape.outChannels)
    let behind = numbers.next((test.projected ?? 1) * shape.outChannels)
    let behindBias = numbers.next(test.projected ?? 1)
    let smaller = test.smaller ?? (test.height, test.width)
    let input = GuardedMap(
      height: smaller.height, width: smaller.width, channels: shape.inChannels, gap: test.gap,
      rowGap: test.gap, seed: 1)
    let residual = GuardedMap(
      height: test.height, width: test.width, channels: shape.outChannels, gap: test.gap, seed: 2)
    let rows = Axis(from: smaller.height, to: test.height)
    let columns = Axis(from: smaller.width, to: test.width)

    func packed(
      _ kernels: ConvolutionKernels, _ shape: ConvolutionShape, _ values: [Float], _ scale: [Float]?
    )
      -> GuardedFloats
    {
      let packed = GuardedFloats(count: kernels.packedCount(shape))
      let (source, factors) = (GuardedFloats(values), scale.map { GuardedFloats($0) })
      unsafe kernels.pack(shape, source.pointer, factors?.pointer, packed.pointer)
      withExtendedLifetime((source, factors)) {}
      #expect(packed.guardsAreIntact)
      return packed
    }
    func padded(_ bias: [Float]) -> GuardedFloats { GuardedFloats(bias + [Float](repeating: 0, count: 64)) }
    let (first, firstBias) = (packed(winograd, shape, weights, scale), padded(bias))
    let second = packed(kernels.direct, test.projectionShape, behind, nil)
    let secondBias = padded(behindBias)
    let zeros = GuardedFloats([Float](repeating: 0, count: 128))
    let scratch = GuardedFloats(count: winograd.scratch(shape))
    let (rowIndices, columnIndices) = (rows.indices, columns.indices)
    let (rowWeights, columnWeights) = (GuardedFloats(rows.weights), GuardedFloats(columns.weights))

    func run(split: Bool) -> [Float] {
      let output = GuardedMap(
        height: test.height, width: test.width, channels: test.projected ?? shape.outChannels, gap: test.gap,
        rowGap: 2)
      unsafe rowIndices.withUnsafeBufferPointer { rowIndices in
        unsafe columnIndices.withUnsafeBufferPointer { columnIndices in
          var projection = unsafe ConvolutionTask(
            shape: test.projectionShape, input: input.input, output: output.output,
            weights: second.pointer, bias: secondBias.pointer, zeros: zeros.pointer, activation: .relu)
          unsafe withUnsafePointer(to: &projection) { projection in
            var task = unsafe ConvolutionTask(
              shape: shape, input: input.input, output: output.output,
              epilogue: test.residual ? .residual(residual.input) : .store, weights: first.pointer,
              bias: firstBias.pointer,
              zeros: zeros.pointer, activation: .silu)
            if test.projected != nil { task.epilogue = unsafe .project(projection) }
            if test.smaller != nil {
              task.prologue = unsafe .enlarge(
                Resampling(
                  taps: 2, rowIndices: rowIndices.baseAddress!, columnIndices: columnIndices.baseAddress!,
                  rowWeights: rowWeights.pointer, columnWeights: columnWeights.pointer))
            }
            let tiles =
              ((test.height + tile.edge - 1) / tile.edge) * ((test.width + tile.edge - 1) / tile.edge)
            let panels = (shape.outChannels - 1) / kernels.panelWidth + 1
            for begin in stride(from: 0, to: tiles, by: split ? 1 : tiles) {
              unsafe winograd.convolution(
                &task, begin, split ? begin + 1 : tiles, 0, panels, scratch.pointer)
            }
          }
        }
      }
      #expect(output.guardsAreIntact)
      #expect(scratch.guardsAreIntact)
      return output.values
    }

    func seen(_ y: Int, _ x: Int, _ channel: Int) -> Double {
      if y < 0 || x < 0 || y >= test.height || x >= test.width { return 0 }
      guard test.smaller != nil else { return Double(input[y, x, channel]) }
      return rows.element(y) { row in columns.element(x) { Double(input[row, $0, channel]) } }
    }
    var expected: [Expected] = []
    for y in 0..<test.height {
      for x in 0..<test.width {
        var pixel = (0..<shape.outChannels).map { out in
          var sum = Expected()
          for position in 0..<9 {
            for channel in 0..<shape.inChannels {
              let weight = weights[(out * shape.inChannels + channel) * 9 + position] * scale[out]
              sum.add(Float(seen(y - 1 + position / 3, x - 1 + position % 3, channel)), weight)
            }
          }
          sum.add(bias[out])
          sum = activated(sum, .silu)
          if test.residual { sum.add(residual[y, x, out]) }
          return sum
        }
        if let projected = test.projected {
          pixel = (0..<projected).map { out in
            var sum = Expected()
            for (channel, value) in pixel.enumerated() {
              let weight = Double(behind[out * shape.outChannels + channel])
              sum.value += value.value * weight
              sum.magnitude += value.magnitude * abs(weight)
            }
            sum.add(behindBias[out])
            return activated(sum, .relu)
          }
        }
        expected += pixel
      }
    }
    let whole = run(split: false)
    expectClose(
      whole, expected, tolerance: Tolerance.winograd, "\(test.testDescription), \(tile)")
    #expect(run(split: true).map(\.bitPattern) == whole.map(\.bitPattern), "the split must not matter")
  }
}
