import FileFormats
import Testing

/// Untrusted numbers never end the process.
@Suite struct CheckedNumberTests {
  /// Where sums, differences and products of 64 bits end.
  private static let extremes = [Int.min, .min + 1, -1, 0, 1, 2, 1 << 31, 1 << 32, 1 << 53, .max - 1, .max]

  @Test(arguments: extremes, extremes)
  func arithmetic(_ first: Int, _ second: Int) throws {
    let (a, b) = (CheckedInt(first), CheckedInt(second))
    let results: [(CheckedInt?, (partialValue: Int, overflow: Bool))] = [
      (a.adding(b), first.addingReportingOverflow(second)),
      (a.subtracting(b), first.subtractingReportingOverflow(second)),
      (a.multiplied(by: b), first.multipliedReportingOverflow(by: second)),
    ]
    for (found, expected) in results {
      #expect(found == (expected.overflow ? nil : CheckedInt(expected.partialValue)))
    }
    let sum = Int128(first) + Int128(second)
    #expect(a.addingSaturated(b) == CheckedInt(Int(clamping: sum)))
    #expect((a < b) == (first < second))
  }

  @Test func ranges() {
    #expect(CheckedInt(7).within(0...7) == 7)
    #expect(CheckedInt(8).within(0...7) == nil)
    #expect(CheckedInt(.min).within(-5...7) == nil)
    #expect(CheckedInt(.min).clamped(to: -5...7) == -5)
    #expect(CheckedInt(.max).clamped(to: -5...7) == 7)
  }

  @Test func products() {
    #expect(CheckedInt.product(of: []) == 1)
    #expect(CheckedInt.product(of: [3, 5, 7]) == 105)
    #expect(CheckedInt.product(of: [CheckedInt(1 << 32), CheckedInt(1 << 32), 0]) == nil)
    #expect(CheckedInt.product(of: [0, CheckedInt(1 << 32), CheckedInt(1 << 32)]) == 0)
  }

  @Test(arguments: [
    ("7", 7), ("-7", -7), ("+7", 7), ("007", 7), ("9223372036854775807", Int.max),
    ("9223372036854775808", nil), ("-9223372036854775808", .min), ("-9223372036854775809", nil), ("", nil),
    ("1e3", nil), ("0x10", nil), (" 1", nil), ("1.0", nil), ("nan", nil),
  ])
  func texts(_ text: String, _ expected: Int?) {
    #expect(CheckedInt(text) == expected.map { CheckedInt($0) })
    #expect(integer(of: text, in: 0...1000) == expected.flatMap { (0...1000).contains($0) ? $0 : nil })
  }

  @Test func valuesOfJSON() throws {
    let json = try JSONValue.parse(
      Array("[1, 2.0, 2.5, 9223372036854775807, 1e19, -1, \"1\", [1, 2], [1, 1e3]]".utf8))
    #expect(json[0]?.integer(in: 0...9) == 1)
    #expect(json[1]?.integer(in: 0...9) == 2)
    for other in 2...6 { #expect(json[other]?.integer(in: 0...9) == nil) }
    #expect(json[3]?.wholeNumber == CheckedInt(.max))
    #expect(json[4]?.wholeNumber == nil)
    #expect(json[7]?.integers(in: 0...9) == [1, 2])
    #expect(json[8]?.integers(in: 0...9) == nil)
    #expect(json.integers(in: 0...9) == nil)
  }
}
