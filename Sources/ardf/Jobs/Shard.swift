import FileFormats

/// One of equal parts of a job's work.
package struct Shard: Hashable, Sendable, CustomStringConvertible {
  package static let whole = Shard(uncheckedNumber: 1, of: 1)
  /// The most parts of a job.
  package static let most = 100_000

  /// From 1 to `count`.
  package let number: Int
  package let count: Int

  private init(uncheckedNumber number: Int, of count: Int) {
    self.number = number
    self.count = count
  }

  /// Part `number`, counted from 1; nil where there is none.
  package init?(number: Int, of count: Int) {
    guard (1...Self.most).contains(count), (1...count).contains(number) else { return nil }
    self.init(uncheckedNumber: number, of: count)
  }

  /// `I/N` with I from 1 to N.
  package init?(_ text: String) {
    let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map {
      integer(of: $0, in: 1...Self.most)
    }
    guard numbers.count == 2, let number = numbers[0], let count = numbers[1] else { return nil }
    self.init(number: number, of: count)
  }

  package var description: String { "\(number)/\(count)" }

  /// This shard's positions among `total`: a stretch of neighbors, so that the parts, one after the other, are the
  /// whole.
  package func positions(of total: Int) -> Range<Int> {
    total * (number - 1) / count..<total * number / count
  }

  /// Whether a capture of a manifest, counted from 0, is this shard's: every `count`th, so that the total
  /// need not be known, and long and short captures are distributed evenly.
  package func takes(capture: Int) -> Bool { capture % count == number - 1 }

  /// A file's name with the shard in it, so that names sort as the shards do: `results.jsonl`,
  /// `results-03-of-12.jsonl`.
  package func fileName(_ stem: String, _ ending: String) -> String {
    guard self != .whole else { return "\(stem).\(ending)" }
    return "\(stem)-\(zeroPadded(number, "\(count)".count))-of-\(count).\(ending)"
  }
}
