import NNKernelInterface
import Testing

/// A separable resize to check.
struct ResizeCase: CustomTestStringConvertible, Sendable {
  var height, width, channels, outHeight, outWidth, taps: Int
  var gap = 0
  var residual = false

  var testDescription: String {
    "\(height)x\(width)x\(channels) -> \(outHeight)x\(outWidth), \(taps) taps, gap \(gap)"
      + (residual ? " +residual" : "")
  }

  /// Indices and weights of one axis: neighboring taps, clamped to the input.
  func table(from input: Int, to output: Int, seed: Int) -> (indices: [Int32], weights: [Float]) {
    var numbers = TestNumbers(seed: seed)
    var indices: [Int32] = []
    for position in 0..<output {
      let first = position * input / output - (taps - 1) / 2
      for tap in 0..<taps { indices.append(Int32(min(max(first + tap, 0), input - 1))) }
    }
    return (indices, taps == 1 ? [Float](repeating: 1, count: output) : numbers.next(output * taps))
  }
}

@Suite("Resizing keeps to its definition")
struct ResizeConformance {
  static let cases: [ResizeCase] = [
    .init(height: 1, width: 1, channels: 1, outHeight: 3, outWidth: 2, taps: 1),
    .init(height: 5, width: 4, channels: 80, outHeight: 10, outWidth: 8, taps: 1, gap: 16),
    .init(height: 5, width: 4, channels: 19, outHeight: 10, outWidth: 8, taps: 1, gap: 3),
    .init(height: 7, width: 6, channels: 64, outHeight: 15, outWidth: 13, taps: 2),
    .init(height: 7, width: 6, channels: 40, outHeight: 15, outWidth: 13, taps: 2, gap: 3, residual: true),
    .init(height: 6, width: 8, channels: 5, outHeight: 9, outWidth: 10, taps: 4, residual: true),
    .init(height: 7, width: 6, channels: 3, outHeight: 4, outWidth: 3, taps: 2, gap: 2),
    .init(height: 9, width: 5, channels: 33, outHeight: 5, outWidth: 9, taps: 2, gap: 1),
    .init(height: 6, width: 8, channels: 24, outHeight: 9, outWidth: 10, taps: 4),
    .init(height: 6, width: 8, channels: 1, outHeight: 9, outWidth: 10, taps: 4, gap: 1),
  ]

  @Test(arguments: Implementation.all, cases)
  func resize(_ implementation: Implementation, _ test: ResizeCase) throws {
    let kernels = try implementation.catalogue()
    let input = GuardedMap(
      height: test.height, width: test.width, channels: test.channels, gap: test.gap, rowGap: test.gap,
      seed: 1)
    let rows = test.table(from: test.height, to: test.outHeight, seed: 2)
    let columns = test.table(from: test.width, to: test.outWidth, seed: 3)

    let residual = GuardedMap(
      height: test.outHeight, width: test.outWidth, channels: test.channels, gap: test.gap, seed: 4)

    func run(rows step: Int) -> [Float] {
      let output = GuardedMap(
        height: test.outHeight, width: test.outWidth, channels: test.channels, gap: test.gap, rowGap: 1)
      unsafe rows.indices.withUnsafeBufferPointer { rowIndices in
        unsafe columns.indices.withUnsafeBufferPointer { columnIndices in
          unsafe rows.weights.withUnsafeBufferPointer { rowWeights in
            unsafe columns.weights.withUnsafeBufferPointer { columnWeights in
              var task = unsafe ResizeTask(
                inHeight: test.height, inWidth: test.width, outHeight: test.outHeight,
                outWidth: test.outWidth,
                channels: test.channels,
                resampling: Resampling(
                  taps: test.taps, rowIndices: rowIndices.baseAddress!,
                  columnIndices: columnIndices.baseAddress!, rowWeights: rowWeights.baseAddress!,
                  columnWeights: columnWeights.baseAddress!), input: input.input,
                residual: test.residual ? residual.input : nil, output: output.output)
              for begin in stride(from: 0, to: test.outHeight, by: step) {
                kernels.kernels(of: ResizeTask.self)[0].run(&task, begin..<min(test.outHeight, begin + step))
              }
            }
          }
        }
      }
      #expect(output.guardsAreIntact)
      return output.values
    }

    var expected: [Expected] = []
    for y in 0..<test.outHeight {
      for x in 0..<test.outWidth {
        for channel in 0..<test.channels {
          var sum = Expected()
          for i in 0..<test.taps {
            for j in 0..<test.taps {
              let (a, b) = (y * test.taps + i, x * test.taps + j)
              let value = input[Int(rows.indices[a]), Int(columns.indices[b]), channel]
              sum.value += Double(rows.weights[a]) * Double(columns.weights[b]) * Double(value)
            }
          }
          if test.residual { sum.value += Double(residual[y, x, channel]) }
          expected.append(sum)
        }
      }
    }
    let whole = run(rows: test.outHeight)
    if test.taps == 1 {
      #expect(whole == expected.map { Float($0.value) }, "nearest neighbor copies")
    } else {
      expectClose(whole, expected, tolerance: KernelTolerance.product.sums, test.testDescription)
    }
    #expect(run(rows: 1).map(\.bitPattern) == whole.map(\.bitPattern), "the split must not matter")
  }
}
