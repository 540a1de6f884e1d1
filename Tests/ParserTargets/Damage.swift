/// Every truncation, every single-byte change and every number of a file in its extremes, in a fixed order.
public struct Damage: Sendable {
  /// The change made to the file.
  public enum Kind: Sendable, Equatable, CustomStringConvertible {
    /// Only the first bytes were kept.
    case cut(to: Int)
    /// The byte at an offset was replaced.
    case replaced(offset: Int, by: UInt8)
    /// The digits at an offset were replaced, with sign, point and exponent.
    case number(offset: Int, by: String)

    /// In words.
    public var description: String {
      switch self {
      case .cut(let count): "cut to \(count) bytes"
      case .replaced(let offset, let byte): "byte \(offset) replaced by \(byte)"
      case .number(let offset, let text): "the number at byte \(offset) replaced by \(text)"
      }
    }
  }

  private let bytes: [UInt8]
  /// The values that each byte is changed by: exclusive-or masks.
  private let masks: [UInt8]
  /// Where numbers are, as texts have them.
  private let numbers: [Range<Int>]

  /// The ends of what integers and floating-point numbers hold, and what looks like a number and is not.
  public static let extremes = [
    "0", "-1", "-0", "0.5", "2147483648", "4294967296", "9007199254740993", "9223372036854775807",
    "-9223372036854775808", "18446744073709551616", "1e19", "1e36", "3e38", "1e308", "-1e308", "1e-308",
    "NaN",
    "Infinity", "99999999999999999999999999",
  ]

  /// All 255 other values of every byte.
  public static let everyValue = [UInt8](1...255)
  /// One bit each, the next number, the highest digit, all bits.
  public static let fewValues: [UInt8] = [0x01, 0x02, 0x10, 0x20, 0x80, 0xff]

  /// The damages of `bytes`.
  public init(_ bytes: [UInt8], masks: [UInt8] = everyValue) {
    self.bytes = bytes
    self.masks = masks
    numbers = Self.numbers(bytes)
  }

  private static func numbers(_ bytes: [UInt8]) -> [Range<Int>] {
    let (digits, others) = (UInt8(ascii: "0")...UInt8(ascii: "9"), Array("+-.eE".utf8))
    var found: [Range<Int>] = []
    var start = 0
    while start < bytes.count {
      var end = start
      while end < bytes.count, digits.contains(bytes[end]) || others.contains(bytes[end]) { end += 1 }
      // Not the letters of words.
      if bytes[start..<end].contains(where: digits.contains) { found.append(start..<end) }
      start = max(end, start + 1)
    }
    return found
  }

  /// How many there are.
  public var count: Int { ofBytes + numbers.count * Self.extremes.count }

  private var ofBytes: Int { bytes.count * (1 + masks.count) }

  /// Damage number `index`.
  public func kind(_ index: Int) -> Kind {
    guard index >= bytes.count else { return .cut(to: index) }
    guard index < ofBytes else {
      let (place, extreme) = (index - ofBytes).quotientAndRemainder(dividingBy: Self.extremes.count)
      return .number(offset: numbers[place].lowerBound, by: Self.extremes[extreme])
    }
    let (offset, mask) = (index - bytes.count).quotientAndRemainder(dividingBy: masks.count)
    return .replaced(offset: offset, by: bytes[offset] ^ masks[mask])
  }

  /// The file with damage number `index`.
  public func damaged(_ index: Int) -> [UInt8] {
    switch kind(index) {
    case .cut(let count): return Array(bytes[..<count])
    case .replaced(let offset, let byte):
      var changed = bytes
      changed[offset] = byte
      return changed
    case .number(let offset, let text):
      var changed = bytes
      if let range = numbers.first(where: { $0.lowerBound == offset }) {
        changed.replaceSubrange(range, with: text.utf8)
      }
      return changed
    }
  }
}
