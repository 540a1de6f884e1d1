import Glibc
import NNKernelInterface
import NNRuntime
import Testing

/// An attention to check.
struct AttentionCase: CustomTestStringConvertible, Sendable {
  var tokens, heads, keyWidth, valueWidth: Int
  /// Whether each head's query, key and value lie together, or all queries before all keys before all values.
  var interleaved = false
  /// Largest query and key entries: large ones make a sharp softmax.
  var spread: Float = 1
  /// An offset added to queries and subtracted from keys, for scores far below zero; in bf16 only.
  var distance: Float = 0
  /// The factor on keys of the second half, for scores that the first do not foresee; in bf16 only.
  var growth: Float = 1

  var testDescription: String {
    "\(tokens) tokens, \(heads) heads of \(keyWidth)/\(valueWidth)\(interleaved ? ", interleaved" : "")"
      + ", spread \(spread), distance \(distance), growth \(growth)"
  }
}

@Suite("Attention keeps to its definition")
struct AttentionConformance {
  static let cases: [AttentionCase] = [
    .init(tokens: 1, heads: 1, keyWidth: 1, valueWidth: 1),
    .init(tokens: 3, heads: 2, keyWidth: 8, valueWidth: 5),
    .init(tokens: 37, heads: 2, keyWidth: 20, valueWidth: 23, interleaved: true),
    .init(tokens: 85, heads: 3, keyWidth: 32, valueWidth: 64, interleaved: true),
    .init(tokens: 150, heads: 2, keyWidth: 64, valueWidth: 64, spread: 6),
    .init(tokens: 257, heads: 1, keyWidth: 64, valueWidth: 80, spread: 12),
    .init(tokens: 171, heads: 2, keyWidth: 17, valueWidth: 48),
    .init(tokens: 1410, heads: 1, keyWidth: 64, valueWidth: 32),
  ]

  @Test(arguments: Implementation.all + MixedImplementation.all.map(Implementation.native), cases)
  func attention(_ implementation: Implementation, _ test: AttentionCase) throws {
    for kernel in try implementation.catalogue().kernels(of: AttentionTask.self) where kernel.maps == .float32
    {
      attention(kernel, test)
    }
  }

  private func attention(_ kernel: Kernel<AttentionTask>, _ test: AttentionCase) {
    let (k, v, heads) = (test.keyWidth, test.valueWidth, test.heads)
    let headStride = test.interleaved ? 2 * k + v : k
    let keyStart = test.interleaved ? k : heads * k
    let valueStart = test.interleaved ? 2 * k : 2 * heads * k
    let valueStride = test.interleaved ? headStride : v
    let packed = GuardedMap(
      height: 1, width: test.tokens, channels: heads * (2 * k + v), gap: 3, seed: 1, scale: test.spread)
    let scale = 1 / Float(k).squareRoot()

    func run(split: Bool) -> [Float] {
      let output = GuardedMap(height: 1, width: test.tokens, channels: heads * v, gap: 2)
      let base = unsafe packed.input.base
      var task = unsafe AttentionTask(
        tokens: test.tokens, heads: heads, keyWidth: k, valueWidth: v, scale: scale, query: base,
        key: base + keyStart, value: base + valueStart, tokenStride: packed.pixelStride,
        queryHeadStride: headStride, keyHeadStride: headStride, valueHeadStride: valueStride,
        output: output.output.base, outputTokenStride: output.pixelStride, outputHeadStride: v)
      let items = heads * ((test.tokens + kernel.together - 1) / kernel.together)
      for begin in stride(from: 0, to: items, by: split ? 1 : items) {
        kernel.run(&task, begin..<(split ? begin + 1 : items))
      }
      #expect(output.guardsAreIntact)
      return output.values
    }

    var expected = [Expected](repeating: Expected(), count: test.tokens * heads * v)
    for head in 0..<heads {
      for query in 0..<test.tokens {
        let scores = (0..<test.tokens).map { key in
          (0..<k).reduce(0.0) { sum, index in
            sum + Double(packed[0, query, head * headStride + index])
              * Double(packed[0, key, keyStart + head * headStride + index])
          } * Double(scale)
        }
        let greatest = scores.max() ?? 0
        let powers = scores.map { exp($0 - greatest) }
        let sum = powers.reduce(0, +)
        // A score's rounding error is its size times the precision, and moves the weights by as much.
        let magnitude = Double(test.spread) * (1 + abs(greatest))
        for channel in 0..<v {
          var value = 0.0
          for key in 0..<test.tokens {
            value += powers[key] * Double(packed[0, key, valueStart + head * valueStride + channel])
          }
          expected[(query * heads + head) * v + channel] = Expected(value: value / sum, magnitude: magnitude)
        }
      }
    }
    let whole = run(split: false)
    expectClose(
      whole, expected, tolerance: kernel.tolerance.sums, "\(kernel.fullName), \(test.testDescription)")
    #expect(run(split: true).map(\.bitPattern) == whole.map(\.bitPattern), "the split must not matter")
  }
}
