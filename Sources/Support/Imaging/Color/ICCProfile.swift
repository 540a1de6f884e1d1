import FileFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An ICC profile of three primaries and three curves (ICC.1, 8.3), as phones, cameras and screens have them.
///
/// The rest of a profile is ignored, and so are profiles of another kind.
struct ICCProfile {
  /// How the profile's colors become sRGB's; nil where they are.
  let conversion: ColorConversion?

  private static let mostTags = 200
  private static let mostEntries = 1 << 16
  /// From XYZ under D50, in which profiles state primaries, to sRGB's linear light: the inverse of sRGB's own primaries
  /// under D50 (Bradford).
  private static let fromXYZ = Matrix3(rows: [
    0.436074, 0.385065, 0.143080, 0.222504, 0.716879, 0.060617, 0.013932, 0.097105, 0.714173,
  ]).inverse

  /// Reads a profile; nil where it is not of this kind.
  init?(_ bytes: [UInt8]) {
    let profile = BigEndian(bytes)
    guard profile.text(16) == "RGB ", profile.text(20) == "XYZ ", profile.text(36) == "acsp",
      let count = profile.number(128, 4), count <= Self.mostTags, let fromXYZ = Self.fromXYZ
    else { return nil }
    var tags: NameTable<Int> = [:]
    for tag in 0..<count {
      guard let name = profile.text(132 + tag * 12), let offset = profile.number(136 + tag * 12, 4) else {
        return nil
      }
      tags[name] = offset
    }
    let columns = ["rXYZ", "gXYZ", "bXYZ"].compactMap { tags[$0].flatMap(profile.xyz) }
    let curves = ["rTRC", "gTRC", "bTRC"].compactMap { tags[$0].flatMap { Self.curve(profile, at: $0) } }
    guard columns.count == 3, curves.count == 3 else { return nil }
    let toXYZ = Matrix3(rows: (0..<3).flatMap { row in columns.map { $0[row] } })
    conversion = ColorConversion(curves: curves, matrix: (fromXYZ * toXYZ).rows)
  }

  /// Linear light of each byte by the curve at an offset.
  private static func curve(_ profile: BigEndian, at offset: Int) -> [Float]? {
    guard let count = profile.number(offset + 8, 4) else { return nil }
    switch profile.text(offset) {
    case "curv":
      if count == 0 { return (0...255).map { Float($0) / 255 } }
      if count == 1 {
        guard let gamma = profile.number(offset + 12, 2) else { return nil }
        return (0...255).map { Float(pow(Double($0) / 255, Double(gamma) / 256)) }
      }
      guard count <= mostEntries else { return nil }
      let entries = (0..<count).compactMap { profile.number(offset + 12 + 2 * $0, 2) }
      guard entries.count == count else { return nil }
      return (0...255).map { (byte: Int) -> Float in
        let place = Double(byte) / 255 * Double(count - 1)
        let lower = min(byte * (count - 1) / 255, count - 2)
        let share = place - Double(lower)
        let (low, high) = (Double(entries[lower]), Double(entries[lower + 1]))
        let value: Double = low * (1 - share) + high * share
        return Float(value / 65535)
      }
    case "para":
      guard let kind = profile.number(offset + 8, 2), kind <= 4 else { return nil }
      let number = [1, 3, 4, 5, 7][kind]
      let found = (0..<number).compactMap { profile.fixed(offset + 12 + 4 * $0) }
      return found.count == number ? parametric(kind, found) : nil
    default: return nil
    }
  }

  /// The functions of ICC.1, table 68.
  private static func parametric(_ kind: Int, _ p: [Double]) -> [Float] {
    let g = p[0]
    let (a, b) = kind >= 1 ? (p[1], p[2]) : (1, 0)
    func power(_ x: Double) -> Double { pow(max(0, a * x + b), g) }
    return (0...255).map { byte in
      let x = Double(byte) / 255
      let y: Double =
        switch kind {
        case 0: pow(x, g)
        case 1: a * x + b >= 0 ? power(x) : 0
        case 2: a * x + b >= 0 ? power(x) + p[3] : p[3]
        case 3: x >= p[4] ? power(x) : p[3] * x
        default: x >= p[4] ? power(x) + p[5] : p[3] * x + p[6]
        }
      return Float(min(max(y, 0), 1))
    }
  }

  /// Numbers as profiles have them; nil beyond the end.
  private struct BigEndian {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func number(_ offset: Int, _ count: Int) -> Int? {
      guard offset >= 0, offset <= bytes.count - count else { return nil }
      return Int(bigEndianBytes: bytes[offset..<offset + count])
    }

    func text(_ offset: Int) -> String? {
      guard offset >= 0, offset <= bytes.count - 4 else { return nil }
      return String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
    }

    /// A signed number of 15.16 bits.
    func fixed(_ offset: Int) -> Double? {
      number(offset, 4).map { Double(Int32(truncatingIfNeeded: $0)) / 65536 }
    }

    func xyz(_ offset: Int) -> [Double]? {
      guard text(offset) == "XYZ " else { return nil }
      let found = (0..<3).compactMap { fixed(offset + 8 + 4 * $0) }
      return found.count == 3 ? found : nil
    }
  }
}
