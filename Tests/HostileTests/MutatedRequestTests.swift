import FileFormats
import Foundation
import ParserTargets
import Testing

/// Requests that are sound but for a few numbers, names and bytes: 100,000 of them, the same ones each time.
@Suite struct MutatedRequestTests {
  /// In place of a number, whatever it says: at the ends of every type, beyond them, and no number at all.
  private static let numbers = [
    "0", "-0", "1", "-1", "2", "0.5", "1e-50", "255", "256", "300", "-129", "65504", "65520", "65536",
    "2147483648",
    "4294967296", "67108864", "67108865", "4611686018427387904", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "18446744073709551616", "1e19", "3.5e38", "-1e39", "1e300", "1e400", "NaN",
    "Infinity",
    "null", "true", "\"1\"", "[]", "{}", "99999999999999999999999999",
  ].map { Array($0.utf8) }

  private struct Mutation {
    private var numbers: SplitMix64

    init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    private mutating func below(_ bound: Int) -> Int { Int(numbers.next() % UInt64(max(1, bound))) }

    private static func isNumeral(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || byte == 0x2e || byte == 0x2d || byte == 0x2b
    }

    mutating func change(_ bytes: [UInt8], others: [[UInt8]]) -> [UInt8] {
      var bytes = bytes
      for _ in 0...below(3) {
        let at = below(bytes.count + 1)
        switch below(8) {
        case 0...3:
          // The first number from there on.
          guard let start = bytes[at...].firstIndex(where: Self.isNumeral) else { continue }
          let end = bytes[start...].firstIndex { !Self.isNumeral($0) } ?? bytes.endIndex
          bytes.replaceSubrange(
            start..<end, with: MutatedRequestTests.numbers[below(MutatedRequestTests.numbers.count)])
        case 4: if at < bytes.count { bytes[at] = UInt8(truncatingIfNeeded: numbers.next()) }
        case 5: bytes.removeSubrange(at..<min(bytes.count, at + below(16)))
        case 6: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + below(64))], at: at)
        default:
          let other = others[below(others.count)]
          let from = below(other.count)
          bytes.insert(contentsOf: other[from..<min(other.count, from + below(64))], at: at)
        }
      }
      return bytes
    }

    /// Mostly with the length of its JSON corrected, so that sizes after it are checked.
    mutating func measured(_ bytes: [UInt8]) -> [UInt8] {
      guard bytes.count > 2, bytes[0] != 0xff || bytes[1] != 0xff, below(8) > 0,
        let last = bytes.lastIndex(of: UInt8(ascii: "}"))
      else { return bytes }
      let length = UInt16(clamping: last - 1)
      return [UInt8(truncatingIfNeeded: length), UInt8(truncatingIfNeeded: length >> 8)] + bytes[2...]
    }
  }

  @Test(arguments: ["request", "inference-request"]) func areAcceptedOrRefused(name: String) throws {
    let target = try #require(ParserTarget.named(name))
    let seeds = try target.seeds().map(\.bytes)
    var mutation = Mutation(seed: 41)
    var accepted = 0
    for index in 0..<50_000 {
      let changed = mutation.change(seeds[index % seeds.count], others: seeds)
      let bytes = name == "request" ? changed : mutation.measured(changed)
      switch target(bytes) {
      case .accepted: accepted += 1
      case .refused(let message):
        guard !message.isEmpty, message.utf8.count < 1000, !message.utf8.contains(where: { $0 < 0x20 }) else {
          Issue.record("\(index): \(message.prefix(200))")
          return
        }
      }
    }
    // They reach what lies after the first look.
    #expect(accepted > 500)
  }
}
