import Glibc
import NNKernelInterface
import Testing

/// Rows of channels to check.
struct TokenCase: CustomTestStringConvertible, Sendable {
  var height, width, channels: Int
  var gap = 0

  var testDescription: String { "\(height)x\(width)x\(channels), gap \(gap)" }
  var pixels: Int { height * width }

  static let all: [TokenCase] = [
    .init(height: 1, width: 1, channels: 1), .init(height: 3, width: 5, channels: 3, gap: 2),
    .init(height: 2, width: 3, channels: 8, gap: 8), .init(height: 4, width: 2, channels: 16),
    .init(height: 5, width: 3, channels: 80, gap: 16), .init(height: 2, width: 7, channels: 384),
    .init(height: 1, width: 9, channels: 100, gap: 1), .init(height: 3, width: 21, channels: 8),
    .init(height: 5, width: 7, channels: 2), .init(height: 4, width: 5, channels: 6),
  ]
}

@Suite("Normalization, softmax and elementwise steps keep to their definitions")
struct TokenConformance {
  /// Runs a kernel over all pixels at once and one at a time, and returns what both gave.
  private func outputs(
    _ test: TokenCase, _ body: (GuardedMap, _ begin: Int, _ end: Int) -> Void
  ) -> [Float] {
    func run(pixels step: Int) -> [Float] {
      let output = GuardedMap(
        height: test.height, width: test.width, channels: test.channels, gap: test.gap)
      for begin in stride(from: 0, to: test.pixels, by: step) {
        body(output, begin, min(test.pixels, begin + step))
      }
      #expect(output.guardsAreIntact)
      return output.values
    }
    let whole = run(pixels: test.pixels)
    #expect(run(pixels: 1).map(\.bitPattern) == whole.map(\.bitPattern), "the split must not matter")
    return whole
  }

  @Test(arguments: Implementation.all, TokenCase.all)
  func layerNorm(_ implementation: Implementation, _ test: TokenCase) throws {
    let kernels = try implementation.catalogue()
    let input = GuardedMap(
      height: test.height, width: test.width, channels: test.channels, gap: test.gap, seed: 1, scale: 3)
    var numbers = TestNumbers(seed: 2)
    let gamma = GuardedFloats(numbers.next(test.channels))
    let beta = GuardedFloats(numbers.next(test.channels))
    let epsilon: Float = 1e-6

    let found = outputs(test) { output, begin, end in
      var task = unsafe LayerNormTask(
        channels: test.channels, input: input.input, output: output.output,
        normalization: Normalization(gamma: gamma.pointer, beta: beta.pointer, epsilon: epsilon))
      kernels.kernels(of: LayerNormTask.self)[0].run(&task, begin..<end)
    }

    var expected: [Expected] = []
    for y in 0..<test.height {
      for x in 0..<test.width {
        let row = (0..<test.channels).map { Double(input[y, x, $0]) }
        let mean = row.reduce(0, +) / Double(row.count)
        let variance = row.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(row.count)
        for channel in 0..<test.channels {
          let normal = (row[channel] - mean) / (variance + Double(epsilon)).squareRoot()
          var value = Expected(value: normal * Double(gamma[channel]), magnitude: 1 + abs(normal))
          value.add(beta[channel])
          expected.append(value)
        }
      }
    }
    expectClose(found, expected, tolerance: KernelTolerance.normalization.sums, test.testDescription)
  }

  @Test(arguments: Implementation.all, TokenCase.all)
  func softmax(_ implementation: Implementation, _ test: TokenCase) throws {
    let kernels = try implementation.catalogue()
    let input = GuardedMap(
      height: test.height, width: test.width, channels: test.channels, gap: test.gap, seed: 4, scale: 30)
    let found = outputs(test) { output, begin, end in
      var task = SoftmaxTask(
        width: test.width, channels: test.channels, input: input.input, output: output.output)
      kernels.kernels(of: SoftmaxTask.self)[0].run(&task, begin..<end)
    }
    var expected: [Expected] = []
    for y in 0..<test.height {
      for x in 0..<test.width {
        let row = (0..<test.channels).map { Double(input[y, x, $0]) }
        let greatest = row.max() ?? 0
        let sum = row.reduce(0) { $0 + exp($1 - greatest) }
        expected += row.map { Expected(value: exp($0 - greatest) / sum) }
      }
    }
    expectClose(found, expected, tolerance: KernelTolerance.function.sums, test.testDescription)
  }

  @Test("a softmax for each group of channels", arguments: Implementation.all, [16, 5, 40])
  func softmax(_ implementation: Implementation, ofGroups channels: Int) throws {
    let kernels = try implementation.catalogue()
    let input = GuardedMap(height: 2, width: 3, channels: 4 * channels, gap: 3, seed: 4, scale: 30)
    func run(groups: Int, _ first: Int) -> [Float] {
      let output = GuardedMap(height: 2, width: 3, channels: groups * channels, gap: 2)
      var map = input.input
      unsafe map.base += first * channels
      var task = SoftmaxTask(width: 3, channels: channels, groups: groups, input: map, output: output.output)
      kernels.kernels(of: SoftmaxTask.self)[0].run(&task, 0..<6)
      #expect(output.guardsAreIntact)
      return output.values
    }
    let all = run(groups: 4, 0)
    let each = (0..<4).map { run(groups: 1, $0) }
    for pixel in 0..<6 {
      for group in 0..<4 {
        let first = (4 * pixel + group) * channels
        #expect(
          all[first..<first + channels].elementsEqual(each[group][pixel * channels..<(pixel + 1) * channels]))
      }
    }
  }

  @Test(arguments: Implementation.all, TokenCase.all)
  func elementwise(_ implementation: Implementation, _ test: TokenCase) throws {
    let kernels = try implementation.catalogue()
    func map(_ seed: Int, _ scale: Float) -> GuardedMap {
      GuardedMap(
        height: test.height, width: test.width, channels: test.channels, gap: test.gap, seed: seed,
        scale: scale)
    }
    let (a, b) = (map(1, 8), map(2, 1))
    var numbers = TestNumbers(seed: 3)
    let scale = GuardedFloats(numbers.next(test.channels))
    let shift = GuardedFloats(numbers.next(test.channels))
    for operation in ElementwiseOperation.allCases {
      for activation in Activation.allCases {
        let found = outputs(test) { output, begin, end in
          var task = unsafe ElementwiseTask(
            operation: operation, activation: activation, width: test.width, channels: test.channels,
            a: a.input,
            b: operation.readsTwo ? b.input : nil, scale: scale.pointer, shift: shift.pointer,
            output: output.output)
          kernels.kernels(of: ElementwiseTask.self)[0].run(&task, begin..<end)
        }
        var expected: [Expected] = []
        for y in 0..<test.height {
          for x in 0..<test.width {
            for channel in 0..<test.channels {
              var sum = Expected()
              let (first, second) = (a[y, x, channel], b[y, x, channel])
              switch operation {
              case .unary: sum.add(first)
              case .add:
                sum.add(first)
                sum.add(second)
              case .affine:
                sum.add(first, scale[channel])
                sum.add(shift[channel])
              case .subtract:
                sum.add(first)
                sum.add(-second)
              case .multiply: sum.add(first, second)
              case .divide: sum.add(first / second)
              case .maximum: sum.add(max(first, second))
              case .minimum: sum.add(min(first, second))
              }
              expected.append(activated(sum, activation))
            }
          }
        }
        expectClose(
          found, expected, tolerance: KernelTolerance.function.sums,
          "\(operation) \(activation) \(test.testDescription)"
        )

        // In place: the output is the first operand.
        let inPlace = map(1, 8)
        var task = unsafe ElementwiseTask(
          operation: operation, activation: activation, width: test.width, channels: test.channels,
          a: inPlace.input, b: operation.readsTwo ? b.input : nil, scale: scale.pointer, shift: shift.pointer,
          output: inPlace.output)
        kernels.kernels(of: ElementwiseTask.self)[0].run(&task, 0..<test.pixels)
        #expect(
          inPlace.values.map(\.bitPattern) == found.map(\.bitPattern), "in place or not must not matter")
      }
    }
  }

  /// As in NumPy and ONNX: of a pair of which one is not a number, the greater and the less are not either.
  @Test(arguments: Implementation.all, [ElementwiseOperation.maximum, .minimum])
  func whatIsNotANumberIsPassedOn(_ implementation: Implementation, _ operation: ElementwiseOperation) throws
  {
    let kernels = try implementation.catalogue()
    let a = GuardedFloats([.nan, 1, -.infinity, 0] + [Float](repeating: .nan, count: 17))
    let b = GuardedFloats([2, .nan, 3, -1] + [Float](repeating: 5, count: 17))
    let output = GuardedMap(height: 1, width: 1, channels: 21, gap: 0)
    let (first, second) = unsafe (
      MapPointer(base: a.pointer, pixelStride: 21, rowStride: 21),
      MapPointer(base: b.pointer, pixelStride: 21, rowStride: 21)
    )
    var task = unsafe ElementwiseTask(
      operation: operation, activation: .none, width: 1, channels: 21, a: first, b: second, scale: nil,
      shift: nil, output: output.output)
    kernels.kernels(of: ElementwiseTask.self)[0].run(&task, 0..<1)
    let found = output.values
    #expect(found.indices.allSatisfy { found[$0].isNaN == ($0 < 2 || $0 > 3) }, "\(found)")
    #expect(Array(found[2...3]) == (operation == .maximum ? [3, 0] : [-.infinity, -1]))
  }
}

extension ElementwiseOperation {
  fileprivate var readsTwo: Bool { self != .unary && self != .affine }
}
