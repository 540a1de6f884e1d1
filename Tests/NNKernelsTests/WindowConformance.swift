import NNKernelInterface
import Testing

@Suite("Depthwise convolution and pooling keep to their definitions")
struct WindowConformance {
  static let depthwiseCases: [WindowCase] = [
    .init(height: 1, width: 1, channels: 1, kernel: 3, stride: 1, padding: 1),
    .init(height: 7, width: 9, channels: 16, kernel: 3, stride: 1, padding: 1, activation: .silu),
    .init(height: 8, width: 11, channels: 80, kernel: 3, stride: 2, padding: 1, activation: .relu, gap: 16),
    .init(
      height: 6, width: 5, channels: 8, kernel: 3, stride: 1, padding: 1, activation: .gelu, residual: true,
      gap: 4),
    .init(
      height: 12, width: 13, channels: 35, kernel: 5, stride: 1, padding: 2, activation: .sigmoid,
      residual: true, gap: 1),
    .init(height: 5, width: 23, channels: 3, kernel: 3, stride: 2, padding: 0),
    .init(height: 2, width: 2, channels: 33, kernel: 5, stride: 1, padding: 2),
    // Last channels that fill no vector, with nothing added.
    .init(
      height: 6, width: 37, channels: 24, kernel: 3, stride: 1, padding: 1, activation: .hardSwish, gap: 8),
    .init(height: 9, width: 19, channels: 120, kernel: 5, stride: 2, padding: 2, activation: .silu),
    // Groups of eight and of sixteen output pixels, whole and in part; a window wider and higher than the map.
    .init(height: 19, width: 35, channels: 40, kernel: 7, stride: 1, padding: 3, activation: .gelu, gap: 3),
    .init(height: 3, width: 4, channels: 20, kernel: 7, stride: 1, padding: 3, residual: true),
    .init(height: 8, width: 16, channels: 48, kernel: 3, stride: 1, padding: 1, activation: .relu),
    .init(
      height: 5, width: 41, channels: 17, kernel: 3, stride: 1, padding: 2, activation: .clip(low: 0, high: 6)
    ),
    .init(height: 9, width: 30, channels: 16, kernel: 2, stride: 3, padding: 1, activation: .silu),
    .init(height: 7, width: 11, channels: 33, kernel: 1, stride: 1, padding: 0, activation: .sigmoid, gap: 2),
    .init(height: 7, width: 11, channels: 24, kernel: 1, stride: 2, padding: 1, residual: true),
  ]

  static let poolCases: [WindowCase] = [
    .init(height: 1, width: 1, channels: 1, kernel: 5, stride: 1, padding: 2),
    .init(height: 20, width: 20, channels: 128, kernel: 5, stride: 1, padding: 2),
    .init(height: 7, width: 3, channels: 19, kernel: 5, stride: 1, padding: 2, gap: 3),
    .init(height: 9, width: 12, channels: 8, kernel: 3, stride: 2, padding: 1, gap: 1),
    .init(height: 6, width: 6, channels: 80, kernel: 2, stride: 2, padding: 0, gap: 16),
    .init(height: 3, width: 17, channels: 33, kernel: 5, stride: 1, padding: 1),
  ]

  @Test(arguments: Implementation.all, depthwiseCases)
  func depthwise(_ implementation: Implementation, _ test: WindowCase) throws {
    let kernels = try implementation.catalogue()
    let input = GuardedMap(
      height: test.height, width: test.width, channels: test.channels, gap: test.gap, rowGap: test.gap,
      seed: 1)
    let residual = GuardedMap(
      height: test.outHeight, width: test.outWidth, channels: test.channels, gap: test.gap, seed: 2)
    var numbers = TestNumbers(seed: 3)
    let weights = GuardedFloats(numbers.next(test.kernel * test.kernel * test.channels))
    let bias = GuardedFloats(numbers.next(test.channels))

    func run(items step: Int?) -> [Float] {
      let output = GuardedMap(
        height: test.outHeight, width: test.outWidth, channels: test.channels, gap: test.gap, rowGap: 1)
      var task = unsafe test.depthwise(
        input.input, output.output, residual: residual.input, weights: weights.pointer, bias: bias.pointer)
      let step = step ?? task.items
      for begin in stride(from: 0, to: task.items, by: step) {
        kernels.kernels(of: DepthwiseTask.self)[0].run(&task, begin..<min(task.items, begin + step))
      }
      #expect(output.guardsAreIntact)
      return output.values
    }

    var expected: [Expected] = []
    forEachWindow(test) { y, x, channel in
      expected.append(test.depthwise(input, weights: weights, bias: bias, residual: residual, y, x, channel))
    }
    let whole = run(items: nil)
    expectClose(whole, expected, tolerance: KernelTolerance.product.sums, test.testDescription)
    #expect(run(items: 1).map(\.bitPattern) == whole.map(\.bitPattern), "the split must not matter")
  }

  @Test(arguments: Implementation.all, poolCases)
  func maxPool(_ implementation: Implementation, _ test: WindowCase) throws {
    let kernels = try implementation.catalogue()
    let input = GuardedMap(
      height: test.height, width: test.width, channels: test.channels, gap: test.gap, rowGap: test.gap,
      seed: 1)

    func run(rows step: Int) -> [Float] {
      let output = GuardedMap(
        height: test.outHeight, width: test.outWidth, channels: test.channels, gap: test.gap, rowGap: 1)
      var task = test.maxPool(input.input, output.output)
      for begin in stride(from: 0, to: test.outHeight, by: step) {
        kernels.kernels(of: PoolTask.self)[0].run(&task, begin..<min(test.outHeight, begin + step))
      }
      #expect(output.guardsAreIntact)
      return output.values
    }

    var expected: [Float] = []
    forEachWindow(test) { y, x, channel in
      expected.append(test.greatest(of: input, y, x, channel))
    }
    #expect(run(rows: test.outHeight) == expected, "a maximum is exact")
    #expect(run(rows: 1) == expected, "a maximum is exact")
  }

  /// Windows of one row, with gaps, that reach over every side, beyond the paddings, and over the whole map.
  static let windowPools: [WindowPoolCase] = [
    .init(9, 13, channels: 35, rows: .init(3, stride: 2, before: 1, after: 1), columns: .init(2)),
    .init(
      7, 5, channels: 16, rows: .init(3, stride: 3, after: 2), columns: .init(5, before: 2, after: 2), gap: 3),
    .init(
      6, 21, channels: 50, rows: .init(1), columns: .init(3, stride: 2, dilation: 3, before: 4, after: 1)),
    .init(1, 1, channels: 1, rows: .init(1), columns: .init(1)),
    .init(14, 13, channels: 72, rows: .init(14), columns: .init(13), gap: 8),
  ]

  @Test(
    arguments: Implementation.all.map { implementation in (implementation, windowPools) },
    [WindowPoolTask.Kind.maximum, .mean(countsPadding: false), .mean(countsPadding: true)])
  func windowPool(_ set: (Implementation, [WindowPoolCase]), _ kind: WindowPoolTask.Kind) throws {
    let kernels = try set.0.catalogue()
    for test in set.1 {
      let input = GuardedMap(
        height: test.height, width: test.width, channels: test.channels, gap: test.gap, rowGap: test.gap,
        seed: 1)
      func run(items step: Int?) -> [Float] {
        let output = GuardedMap(
          height: test.outHeight, width: test.outWidth, channels: test.channels, gap: test.gap, rowGap: 1)
        var task = test.task(kind, input.input, output.output)
        let step = step ?? task.items
        for begin in stride(from: 0, to: task.items, by: step) {
          kernels.kernels(of: WindowPoolTask.self)[0].run(&task, begin..<min(task.items, begin + step))
        }
        #expect(output.guardsAreIntact)
        return output.values
      }
      let whole = run(items: nil)
      expectClose(
        whole, test.expected(kind, of: input), tolerance: KernelTolerance.product.sums, "\(test) \(kind)")
      #expect(run(items: 1).map(\.bitPattern) == whole.map(\.bitPattern), "the split must not matter")
    }
  }

  @Test("a maximum over what is not a number is not one", arguments: Implementation.all)
  func notANumber(_ implementation: Implementation) throws {
    let kernels = try implementation.catalogue()
    let test = WindowPoolCase(2, 2, channels: 18, rows: .init(2), columns: .init(2))
    for place in 0..<4 {
      let input = GuardedMap(height: 2, width: 2, channels: 18, gap: 0, rowGap: 0, seed: 1)
      input[place / 2, place % 2, 17] = .nan
      let output = GuardedMap(height: 1, width: 1, channels: 18, gap: 0, rowGap: 0)
      var task = test.task(.maximum, input.input, output.output)
      kernels.kernels(of: WindowPoolTask.self)[0].run(&task, 0..<task.items)
      #expect(output.values.map(\.isNaN) == (0..<18).map { $0 == 17 })
    }
  }

  private func forEachWindow(_ test: WindowCase, _ body: (Int, Int, Int) -> Void) {
    for y in 0..<test.outHeight {
      for x in 0..<test.outWidth {
        for channel in 0..<test.channels { body(y, x, channel) }
      }
    }
  }
}
