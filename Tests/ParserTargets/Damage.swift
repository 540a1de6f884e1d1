/// Every truncation and every single-byte change of a file, in a fixed order.
public struct Damage: Sendable {
  /// What was done to the file.
  public enum Kind: Sendable, Equatable, CustomStringConvertible {
    /// Only the first bytes were kept.
    case cut(to: Int)
    /// The byte at an offset was replaced.
    case replaced(offset: Int, by: UInt8)

    /// In words.
    public var description: String {
      switch self {
      case .cut(let count): "cut to \(count) bytes"
      case .replaced(let offset, let byte): "byte \(offset) replaced by \(byte)"
      }
    }
  }

  private let bytes: [UInt8]
  /// The values that each byte is changed by: exclusive-or masks.
  private let masks: [UInt8]

  /// All 255 other values of every byte.
  public static let everyValue = [UInt8](1...255)
  /// One bit each, the next number, the highest digit, all bits.
  public static let fewValues: [UInt8] = [0x01, 0x02, 0x10, 0x20, 0x80, 0xff]

  /// The damages of `bytes`.
  public init(_ bytes: [UInt8], masks: [UInt8] = everyValue) {
    self.bytes = bytes
    self.masks = masks
  }

  /// How many there are.
  public var count: Int { bytes.count * (1 + masks.count) }

  /// Damage number `index`.
  public func kind(_ index: Int) -> Kind {
    guard index >= bytes.count else { return .cut(to: index) }
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
    }
  }
}
