import Glibc
import NNKernelInterface
import NNRuntime
import Testing

@Suite("Attention, windows and elementwise steps on bf16 maps keep to their definitions")
struct MixedStepConformance {
  static let attentionCases =
    AttentionConformance.cases + [
      .init(tokens: 1410, heads: 1, keyWidth: 32, valueWidth: 32),
      .init(tokens: 370, heads: 1, keyWidth: 96, valueWidth: 40),
      // Scores that are bounded in some blocks, in none, far below zero, and in the first block only.
      .init(tokens: 720, heads: 2, keyWidth: 64, valueWidth: 64, spread: 6.4),
      .init(tokens: 720, heads: 1, keyWidth: 64, valueWidth: 64, spread: 20),
      .init(tokens: 720, heads: 1, keyWidth: 64, valueWidth: 64, distance: 4),
      .init(tokens: 720, heads: 1, keyWidth: 64, valueWidth: 64, growth: 60),
      .init(tokens: 720, heads: 1, keyWidth: 64, valueWidth: 64, growth: 2000),
    ]

  @Test(arguments: MixedImplementation.all, attentionCases)
  func attention(_ set: InstructionSet, _ test: AttentionCase) throws {
    let kernels = try #require(set.catalogue?.kernels(of: AttentionTask.self).filter { $0.maps == .any })
    let (k, v, heads) = (test.keyWidth, test.valueWidth, test.heads)
    let headStride = test.interleaved ? 2 * k + v : k
    let keyStart = test.interleaved ? k : heads * k
    let valueStart = test.interleaved ? 2 * k : 2 * heads * k
    let valueStride = test.interleaved ? headStride : v
    let packed = MixedMap(
      .bfloat16, height: 1, width: test.tokens, channels: heads * (2 * k + v), gap: 3, seed: 1,
      scale: test.spread)
    for token in 0..<test.tokens {
      for head in 0..<heads {
        for channel in 0..<k {
          packed[0, token, head * headStride + channel] += test.distance
          let key = keyStart + head * headStride + channel
          packed[0, token, key] -= test.distance
          if token >= test.tokens / 2 { packed[0, token, key] *= test.growth }
        }
      }
    }
    let scale = 1 / Float(k).squareRoot()

    func run(_ kernel: Kernel<AttentionTask>, split: Bool) -> [Float] {
      let output = MixedMap(.float32, height: 1, width: test.tokens, channels: heads * v, gap: 2)
      let base = unsafe UnsafeRawPointer(packed.input.base)
      func part(_ offset: Int) -> UnsafePointer<Float> {
        unsafe (base + 2 * offset).assumingMemoryBound(to: Float.self)
      }
      var task = unsafe AttentionTask(
        tokens: test.tokens, heads: heads, keyWidth: k, valueWidth: v, scale: scale, query: part(0),
        key: part(keyStart), value: part(valueStart), tokenStride: packed.pixelStride,
        queryHeadStride: headStride, keyHeadStride: headStride, valueHeadStride: valueStride,
        output: output.output.base, outputTokenStride: output.pixelStride, outputHeadStride: v)
      task.element = .bfloat16
      let items = heads * ((test.tokens + kernel.together - 1) / kernel.together)
      for begin in stride(from: 0, to: items, by: split ? 1 : items) {
        kernel.run(&task, begin..<(split ? begin + 1 : items))
      }
      #expect(output.guardsAreIntact)
      return output.values
    }

    var expected = [Expected](repeating: Expected(), count: test.tokens * heads * v)
    // Every query of a short sequence, some of a long one.
    let queries = Array(stride(from: 0, to: test.tokens, by: max(1, test.tokens / 100)))
    for head in 0..<heads {
      for query in queries {
        let scores = (0..<test.tokens).map { key in
          (0..<k).reduce(0.0) { sum, index in
            sum + Double(packed[0, query, head * headStride + index])
              * Double(packed[0, key, keyStart + head * headStride + index])
          } * Double(scale)
        }
        let greatest = scores.max() ?? 0
        let powers = scores.map { exp($0 - greatest) }
        let sum = powers.reduce(0, +)
        for channel in 0..<v {
          var (value, magnitude) = (0.0, 0.0)
          for key in 0..<test.tokens {
            let term = powers[key] / sum * Double(packed[0, key, valueStart + head * valueStride + channel])
            value += term
            magnitude += abs(term)
          }
          expected[(query * heads + head) * v + channel] = Expected(
            value: value, magnitude: max(1, magnitude))
        }
      }
    }
    let chosen = queries.flatMap { query in (0..<heads * v).map { query * heads * v + $0 } }
    // Scores are exponents: of a sharp softmax 8 bits are too few.
    for kernel in kernels where kernel.products != .int8 || test.spread <= 7 {
      let whole = run(kernel, split: false)
      expectClose(
        chosen.map { whole[$0] }, chosen.map { expected[$0] }, tolerance: kernel.tolerance.sums,
        "\(kernel.fullName), \(test.testDescription)")
      #expect(
        run(kernel, split: true).map(\.bitPattern) == whole.map(\.bitPattern), "the split must not matter")
    }
  }

  @Test(arguments: MixedImplementation.all, WindowConformance.depthwiseCases)
  func depthwise(_ set: InstructionSet, _ test: WindowCase) throws {
    let kernel = try #require(set.catalogue?.kernels(of: DepthwiseTask.self).last)
    var numbers = TestNumbers(seed: 3)
    let weights = GuardedFloats(numbers.next(test.kernel * test.kernel * test.channels + 16))
    let bias = GuardedFloats(numbers.next(test.channels + 16))
    for pair in ElementPair.all {
      let (input, output, residual) = maps(test, pair)
      var task = unsafe test.depthwise(
        input.input, output.output, residual: residual.input, weights: weights.pointer, bias: bias.pointer)
      for item in 0..<task.items { kernel.run(&task, item..<item + 1) }
      #expect(output.guardsAreIntact)
      let expected = elements(test) { y, x, channel in
        test.depthwise(input, weights: weights, bias: bias, residual: residual, y, x, channel)
      }
      expectClose(
        output.values, expected, tolerance: pair.tolerance(kernel.tolerance(test.activation)),
        "\(test.testDescription), \(pair.testDescription)")
    }
  }

  @Test(arguments: MixedImplementation.all, WindowConformance.poolCases)
  func maxPool(_ set: InstructionSet, _ test: WindowCase) throws {
    let kernel = try #require(set.catalogue?.kernels(of: PoolTask.self).last)
    let (input, output, _) = maps(test, ElementPair(input: .bfloat16, output: .bfloat16))
    var task = test.maxPool(input.input, output.output)
    for row in 0..<test.outHeight { kernel.run(&task, row..<row + 1) }
    #expect(output.guardsAreIntact)
    let expected = elements(test) { y, x, channel in
      Expected(value: Double(test.greatest(of: input, y, x, channel)))
    }
    expectClose(output.values, expected, tolerance: 0, test.testDescription)
  }

  @Test(arguments: MixedImplementation.all, [(1, false), (2, false), (2, true), (4, false), (4, true)])
  func resize(_ set: InstructionSet, _ test: (taps: Int, residual: Bool)) throws {
    let kernel = try #require(set.catalogue?.kernels(of: ResizeTask.self).last)
    let taps = test.taps
    var numbers = TestNumbers(seed: 4)
    let (height, width, outHeight, outWidth, channels) = (7, 6, 11, 13, 35)
    let rows = (0..<outHeight * taps).map { Int32(($0 * 5) % height) }
    let columns = (0..<outWidth * taps).map { Int32(($0 * 3) % width) }
    func weights(_ count: Int) -> GuardedFloats {
      GuardedFloats(taps == 1 ? [Float](repeating: 1, count: count) : numbers.next(count))
    }
    let (rowWeights, columnWeights) = (weights(rows.count), weights(columns.count))
    for pair in ElementPair.all {
      let input = MixedMap(pair.input, height: height, width: width, channels: channels, gap: 2, seed: 5)
      let residual = MixedMap(
        pair.output, height: outHeight, width: outWidth, channels: channels, gap: 1, seed: 6)
      let output = MixedMap(pair.output, height: outHeight, width: outWidth, channels: channels, gap: 3)
      unsafe rows.withUnsafeBufferPointer { rowPointer in
        unsafe columns.withUnsafeBufferPointer { columnPointer in
          var task = unsafe ResizeTask(
            inHeight: height, inWidth: width, outHeight: outHeight, outWidth: outWidth, channels: channels,
            resampling: Resampling(
              taps: taps, rowIndices: rowPointer.baseAddress!, columnIndices: columnPointer.baseAddress!,
              rowWeights: rowWeights.pointer, columnWeights: columnWeights.pointer), input: input.input,
            residual: test.residual ? residual.input : nil, output: output.output)
          kernel.run(&task, 0..<4)
          kernel.run(&task, 4..<outHeight)
        }
      }
      #expect(output.guardsAreIntact)
      var expected: [Expected] = []
      for y in 0..<outHeight {
        for x in 0..<outWidth {
          for channel in 0..<channels {
            var sum = Expected()
            for i in 0..<taps {
              for j in 0..<taps {
                sum.add(
                  input[Int(rows[y * taps + i]), Int(columns[x * taps + j]), channel],
                  rowWeights[y * taps + i] * columnWeights[x * taps + j])
              }
            }
            if test.residual { sum.add(residual[y, x, channel]) }
            expected.append(sum)
          }
        }
      }
      expectClose(
        output.values, expected, tolerance: pair.tolerance(kernel.tolerance.sums), pair.testDescription)
    }
  }

  @Test(arguments: MixedImplementation.all, TokenCase.all)
  func layerNorm(_ set: InstructionSet, _ test: TokenCase) throws {
    let kernel = try #require(set.catalogue?.kernels(of: LayerNormTask.self).last)
    var numbers = TestNumbers(seed: 2)
    let gamma = GuardedFloats(numbers.next(test.channels))
    let beta = GuardedFloats(numbers.next(test.channels))
    let input = MixedMap(
      .float32, height: test.height, width: test.width, channels: test.channels, gap: test.gap, seed: 1,
      scale: 3)
    let output = MixedMap(
      .bfloat16, height: test.height, width: test.width, channels: test.channels, gap: test.gap)
    var task = unsafe LayerNormTask(
      channels: test.channels, input: input.input, output: output.output,
      normalization: Normalization(gamma: gamma.pointer, beta: beta.pointer, epsilon: 1e-6))
    for pixel in 0..<test.pixels { kernel.run(&task, pixel..<pixel + 1) }
    #expect(output.guardsAreIntact)
    var expected: [Expected] = []
    for y in 0..<test.height {
      for x in 0..<test.width {
        let row = (0..<test.channels).map { Double(input[y, x, $0]) }
        let mean = row.reduce(0, +) / Double(row.count)
        let variance = row.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(row.count)
        for (channel, value) in row.enumerated() {
          let normal = (value - mean) / (variance + 1e-6).squareRoot()
          let result = normal * Double(gamma[channel]) + Double(beta[channel])
          expected.append(Expected(value: result, magnitude: 1 + abs(normal) + abs(result)))
        }
      }
    }
    expectClose(
      output.values, expected,
      tolerance: ElementPair(input: .float32, output: .bfloat16).tolerance(kernel.tolerance.sums),
      test.testDescription)
  }

  @Test(arguments: MixedImplementation.all, TokenCase.all)
  func elementwise(_ set: InstructionSet, _ test: TokenCase) throws {
    let kernel = try #require(set.catalogue?.kernels(of: ElementwiseTask.self).last)
    var numbers = TestNumbers(seed: 2)
    let scale = GuardedFloats(numbers.next(test.channels))
    let shift = GuardedFloats(numbers.next(test.channels))
    let operations: [(ElementwiseOperation, Activation)] = [(.unary, .silu), (.add, .none), (.affine, .relu)]
    for pair in ElementPair.all {
      for (operation, activation) in operations {
        func map(_ element: ElementType, seed: Int) -> MixedMap {
          MixedMap(
            element, height: test.height, width: test.width, channels: test.channels, gap: test.gap,
            seed: seed)
        }
        let (a, b) = (map(pair.input, seed: 1), map(pair.output, seed: 2))
        let output = MixedMap(
          pair.output, height: test.height, width: test.width, channels: test.channels, gap: test.gap)
        var task = unsafe ElementwiseTask(
          operation: operation, activation: activation, width: test.width, channels: test.channels,
          a: a.input,
          b: b.input, scale: scale.pointer, shift: shift.pointer, output: output.output)
        for pixel in 0..<test.pixels { kernel.run(&task, pixel..<pixel + 1) }
        #expect(output.guardsAreIntact)
        var expected: [Expected] = []
        for y in 0..<test.height {
          for x in 0..<test.width {
            for channel in 0..<test.channels {
              var sum = Expected()
              sum.add(a[y, x, channel], operation == .affine ? scale[channel] : 1)
              if operation == .add { sum.add(b[y, x, channel]) }
              if operation == .affine { sum.add(shift[channel]) }
              expected.append(activated(sum, activation))
            }
          }
        }
        expectClose(
          output.values, expected, tolerance: pair.tolerance(kernel.tolerance(activation)),
          "\(test.testDescription) \(operation), \(pair.testDescription)")
      }
    }
  }

  private func maps(_ test: WindowCase, _ pair: ElementPair) -> (MixedMap, MixedMap, MixedMap) {
    (
      MixedMap(
        pair.input, height: test.height, width: test.width, channels: test.channels, gap: test.gap,
        rowGap: test.gap, seed: 1),
      MixedMap(
        pair.output, height: test.outHeight, width: test.outWidth, channels: test.channels, gap: test.gap,
        rowGap: 1),
      MixedMap(
        pair.input, height: test.outHeight, width: test.outWidth, channels: test.channels, gap: test.gap,
        seed: 2)
    )
  }

  private func elements(_ test: WindowCase, _ value: (Int, Int, Int) -> Expected) -> [Expected] {
    var result: [Expected] = []
    for y in 0..<test.outHeight {
      for x in 0..<test.outWidth {
        for channel in 0..<test.channels { result.append(value(y, x, channel)) }
      }
    }
    return result
  }
}

extension Kernel {
  /// The tolerance with an activation.
  fileprivate func tolerance(_ activation: Activation) -> Double {
    activation.isStraight ? tolerance.sums : max(tolerance.sums, tolerance.functions)
  }
}
