import AppCore
import FileFormats
import TestSupport
import Testing

@Suite struct OrderStatisticTests {
  @Test(arguments: [1, 2, 3, 100, 2048, 2049, 5000, 7919, 49152]) func agreesWithSorting(_ count: Int) {
    var random = SplitMix64(seed: UInt64(count))
    var scratch: [Double] = []
    let inputs: [[Double]] = [
      (0..<count).map { _ in random.gaussian() },
      (0..<count).map { _ in Double(Int.random(in: 0..<3, using: &random)) },
      (0..<count).map { Double($0) },
      (0..<count).map { -Double($0) },
      (0..<count).map { Double(($0 * 7919) % count) },
      [Double](repeating: 4, count: count),
      (0..<count).map { $0 % 7919 == 0 ? 1e9 : Double($0 % 5) },
    ]
    for values in inputs {
      let sorted = values.sorted()
      for rank in Set([0, count / 20, count / 2, 19 * count / 20, count - 1]) {
        #expect(orderStatistic(values, rank: rank, scratch: &scratch) == sorted[rank])
      }
    }
  }

  /// 70,000 values are more than a key of the radix sort has room for.
  @Test(arguments: [0, 1, 31, 32, 800, 5000, 70_000]) func orderIsThatOfAStableSort(_ count: Int) {
    var random = SplitMix64(seed: UInt64(count))
    let inputs: [[Double]] = [
      (0..<count).map { _ in random.gaussian() },
      (0..<count).map { _ in Double(Int.random(in: 0..<3, using: &random)) },
      (0..<count).map { $0 == 0 ? 1e6 : random.gaussian() },
      (0..<count).map { 1 + 1e-12 * Double($0 % 7) },
      [Double](repeating: 4, count: count),
    ]
    for values in inputs {
      let expected = values.indices.sorted {
        values[$0] != values[$1] ? values[$0] > values[$1] : $0 < $1
      }
      #expect(descendingOrder(of: values) == expected)
    }
  }
}
