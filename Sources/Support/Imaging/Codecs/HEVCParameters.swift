/// The sequence parameter set of HEVC (ITU-T H.265, 7.3.2.2), as far as the picture's size.
enum HEVCParameters {
  /// Width and height of the coded picture; nil where the bits end before.
  static func size(_ unit: [UInt8]) -> (width: Int, height: Int)? {
    var bits = Bits(payload(of: unit.dropFirst(2)))
    guard bits.skip(4), let layers = bits.read(3), bits.skip(1 + profileBits + levelBits) else { return nil }
    var present: [(profile: Bool, level: Bool)] = []
    for _ in 0..<layers {
      guard let profile = bits.read(1), let level = bits.read(1) else { return nil }
      present.append((profile == 1, level == 1))
    }
    if layers > 0, !bits.skip(2 * (8 - layers)) { return nil }
    for layer in present {
      guard bits.skip((layer.profile ? profileBits : 0) + (layer.level ? levelBits : 0)) else { return nil }
    }
    guard bits.exponential() != nil, let chroma = bits.exponential() else { return nil }
    if chroma == 3, !bits.skip(1) { return nil }
    guard let width = bits.exponential(), let height = bits.exponential() else { return nil }
    return (width, height)
  }

  private static let profileBits = 88
  private static let levelBits = 8

  /// A unit's bytes without those that keep start codes out of it.
  private static func payload(of unit: ArraySlice<UInt8>) -> [UInt8] {
    var payload: [UInt8] = []
    var zeros = 0
    for byte in unit {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      payload.append(byte)
    }
    return payload
  }

  private struct Bits {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func skip(_ count: Int) -> Bool {
      position += count
      return position <= bytes.count * 8
    }

    mutating func read(_ count: Int) -> Int? {
      guard position + count <= bytes.count * 8 else { return nil }
      var value = 0
      for _ in 0..<count {
        value = value << 1 | Int(bytes[position >> 3] >> (7 - UInt8(position & 7)) & 1)
        position += 1
      }
      return value
    }

    /// An Exp-Golomb number of at most 32 bits.
    mutating func exponential() -> Int? {
      var zeros = 0
      while true {
        guard let bit = read(1), zeros <= 32 else { return nil }
        if bit == 1 { break }
        zeros += 1
      }
      return read(zeros).map { (1 << zeros) - 1 + $0 }
    }
  }
}
