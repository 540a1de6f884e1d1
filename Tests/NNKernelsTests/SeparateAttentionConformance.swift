import Glibc
import NNKernelInterface
import NNRuntime
import Testing

/// An attention of queries, keys and values from maps of their own, in groups.
struct SeparateAttentionCase: CustomTestStringConvertible, Sendable {
  var groups, heads, tokens, keys, keyWidth, valueWidth: Int
  /// Groups and heads of what is added to the products; nil for nothing.
  var addends: (groups: Int, heads: Int)?
  /// Whether every third key is masked for every second query.
  var isMasked = false

  var testDescription: String {
    "\(groups) groups of \(heads) heads, \(tokens) queries, \(keys) keys, \(keyWidth)/\(valueWidth)"
      + (addends.map { ", addends of \($0.groups) groups and \($0.heads) heads" } ?? "")
      + (isMasked ? ", masked" : "")
  }
}

@Suite("Attention of several maps keeps to its definition")
struct SeparateAttentionConformance {
  static let cases: [SeparateAttentionCase] = [
    .init(groups: 1, heads: 1, tokens: 1, keys: 1, keyWidth: 1, valueWidth: 1),
    .init(groups: 1, heads: 2, tokens: 5, keys: 200, keyWidth: 20, valueWidth: 23),
    .init(groups: 3, heads: 2, tokens: 70, keys: 37, keyWidth: 32, valueWidth: 48),
    .init(groups: 4, heads: 2, tokens: 49, keys: 49, keyWidth: 8, valueWidth: 5, addends: (1, 2)),
    .init(groups: 2, heads: 3, tokens: 70, keys: 200, keyWidth: 17, valueWidth: 64, addends: (2, 3)),
    .init(
      groups: 2, heads: 2, tokens: 150, keys: 171, keyWidth: 64, valueWidth: 32, addends: (2, 1),
      isMasked: true),
    .init(
      groups: 1, heads: 4, tokens: 33, keys: 260, keyWidth: 16, valueWidth: 16, addends: (1, 1),
      isMasked: true),
  ]

  @Test(arguments: Implementation.all, cases)
  func attention(_ implementation: Implementation, _ test: SeparateAttentionCase) throws {
    for kernel in try implementation.catalogue().kernels(of: AttentionTask.self)
    where kernel.maps == .float32 && kernel.products == .float32 {
      attention(kernel, test)
    }
  }

  private func attention(_ kernel: Kernel<AttentionTask>, _ test: SeparateAttentionCase) {
    let (k, v, heads, groups) = (test.keyWidth, test.valueWidth, test.heads, test.groups)
    let query = GuardedMap(height: groups, width: test.tokens, channels: heads * k, gap: 3, seed: 1)
    let key = GuardedMap(height: groups, width: test.keys, channels: heads * k, gap: 1, seed: 2)
    let value = GuardedMap(height: groups, width: test.keys, channels: heads * v, gap: 2, seed: 3)
    let (manyGroups, manyHeads) = (test.addends?.groups ?? 1 > 1, test.addends?.heads ?? 1 > 1)
    let addends = GuardedMap(
      height: (manyGroups ? groups : 1) * (manyHeads ? heads : 1), width: test.keys, channels: test.tokens,
      gap: 2, seed: 4, scale: 3)
    if test.isMasked {
      for row in 0..<addends.height {
        for key in stride(from: 1, to: test.keys, by: 3) {
          for query in stride(from: 0, to: test.tokens, by: 2) { addends[row, key, query] = -.infinity }
        }
      }
    }
    let scale = 1 / Float(k).squareRoot()

    func run(split: Bool) -> [Float] {
      let output = GuardedMap(height: groups, width: test.tokens, channels: heads * v, gap: 2)
      var task = unsafe AttentionTask(
        tokens: test.tokens, heads: heads, keyWidth: k, valueWidth: v, scale: scale,
        query: query.input.base, key: key.input.base, value: value.input.base,
        tokenStride: query.pixelStride, queryHeadStride: k, keyHeadStride: k, valueHeadStride: v,
        output: output.output.base, outputTokenStride: output.pixelStride, outputHeadStride: v)
      (task.keyTokens, task.keyTokenStride, task.valueTokenStride) = (
        test.keys, key.pixelStride, value.pixelStride
      )
      (task.groups, task.queryGroupStride, task.keyGroupStride) = (groups, query.rowStride, key.rowStride)
      (task.valueGroupStride, task.outputGroupStride) = (value.rowStride, output.rowStride)
      if test.addends != nil {
        unsafe task.addends = addends.input.base
        task.addendKeyStride = addends.pixelStride
        task.addendHeadStride = manyHeads ? addends.rowStride : 0
        task.addendGroupStride = manyGroups ? addends.rowStride * (manyHeads ? heads : 1) : 0
      }
      let items = groups * heads * ((test.tokens + kernel.together - 1) / kernel.together)
      for begin in stride(from: 0, to: items, by: split ? 1 : items) {
        kernel.run(&task, begin..<(split ? begin + 1 : items))
      }
      #expect(output.guardsAreIntact)
      return output.values
    }

    var expected: [Expected] = []
    for group in 0..<groups {
      for token in 0..<test.tokens {
        for head in 0..<heads {
          let row = (manyGroups ? group * (manyHeads ? heads : 1) : 0) + (manyHeads ? head : 0)
          let scores = (0..<test.keys).map { other in
            (0..<k).reduce(0.0) { sum, index in
              sum + Double(query[group, token, head * k + index])
                * Double(key[group, other, head * k + index])
            } * Double(scale) + (test.addends == nil ? 0 : Double(addends[row, other, token]))
          }
          let greatest = scores.max() ?? 0
          let powers = scores.map { exp($0 - greatest) }
          let sum = powers.reduce(0, +)
          for channel in 0..<v {
            let product = zip(powers, 0...).reduce(0.0) {
              $0 + $1.0 * Double(value[group, $1.1, head * v + channel])
            }
            expected.append(Expected(value: product / sum, magnitude: 1 + abs(greatest)))
          }
        }
      }
    }
    let whole = run(split: false)
    expectClose(
      whole, expected, tolerance: kernel.tolerance.sums, "\(kernel.fullName), \(test.testDescription)")
    #expect(run(split: true).map(\.bitPattern) == whole.map(\.bitPattern), "the split must not matter")
  }
}
