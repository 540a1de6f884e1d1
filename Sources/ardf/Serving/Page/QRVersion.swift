/// A size of QR codes with error correction of level M: its codewords and their blocks.
struct QRVersion: Sendable {
  /// The version's number, 1 to 9.
  let number: Int
  /// Data codewords of each block; the longer ones come last.
  let blocks: [Int]
  /// Codewords of error correction of each block.
  let correction: Int
  /// The centers of alignment patterns, along both axes.
  let alignment: [Int]

  /// ISO/IEC 18004, tables 9 and E.1.
  static let all = [
    QRVersion(number: 1, blocks: [16], correction: 10, alignment: []),
    QRVersion(number: 2, blocks: [28], correction: 16, alignment: [6, 18]),
    QRVersion(number: 3, blocks: [44], correction: 26, alignment: [6, 22]),
    QRVersion(number: 4, blocks: [32, 32], correction: 18, alignment: [6, 26]),
    QRVersion(number: 5, blocks: [43, 43], correction: 24, alignment: [6, 30]),
    QRVersion(number: 6, blocks: [27, 27, 27, 27], correction: 16, alignment: [6, 34]),
    QRVersion(number: 7, blocks: [31, 31, 31, 31], correction: 18, alignment: [6, 22, 38]),
    QRVersion(number: 8, blocks: [38, 38, 39, 39], correction: 22, alignment: [6, 24, 42]),
    QRVersion(number: 9, blocks: [36, 36, 36, 37, 37], correction: 22, alignment: [6, 26, 46]),
  ]

  /// Modules a side.
  var side: Int { 17 + 4 * number }
  /// Codewords for data.
  private var capacity: Int { blocks.reduce(0, +) }
  /// Bytes of a text: mode and length take a codeword and a half.
  var mostBytes: Int { capacity - 2 }

  /// All codewords in the order in which they are drawn.
  func codewords(of bytes: [UInt8]) -> [UInt8] {
    // Four bits of mode, eight of length, the bytes, four bits of end.
    var nibbles: [UInt8] = [0b0100]
    for byte in [UInt8(bytes.count)] + bytes { nibbles += [byte >> 4, byte & 15] }
    nibbles.append(0)
    var data = stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    let padding: [UInt8] = [0xEC, 0x11]
    for index in 0..<capacity - data.count { data.append(padding[index % 2]) }

    var start = 0
    let parts = blocks.map { count in
      defer { start += count }
      return Array(data[start..<start + count])
    }
    let corrections = parts.map { ReedSolomon.correction(of: $0, codewords: correction) }
    return Self.interleaved(parts) + Self.interleaved(corrections)
  }

  /// Interleaves blocks: the first codeword of each, the second of each, and so on.
  private static func interleaved(_ blocks: [[UInt8]]) -> [UInt8] {
    let longest = blocks.map(\.count).max() ?? 0
    return (0..<longest).flatMap { index in blocks.compactMap { index < $0.count ? $0[index] : nil } }
  }
}

/// Reed-Solomon codes over the field of 256 elements with the polynomial x^8 + x^4 + x^3 + x^2 + 1.
enum ReedSolomon {
  /// The product of two elements of the field.
  static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
    var (result, a, b) = (UInt8(0), a, b)
    while b > 0 {
      if b & 1 == 1 { result ^= a }
      a = a << 1 ^ (a & 0x80 == 0 ? 0 : 0x1D)
      b >>= 1
    }
    return result
  }

  /// The remainder of the data's polynomial times x^codewords, divided by the product of all x - 2^i for i below
  /// `codewords`.
  static func correction(of data: [UInt8], codewords: Int) -> [UInt8] {
    // Without its leading 1, the highest power first.
    var divisor = [UInt8](repeating: 0, count: codewords - 1) + [1]
    var root: UInt8 = 1
    for _ in 0..<codewords {
      for index in divisor.indices {
        divisor[index] = product(divisor[index], root)
        if index + 1 < codewords { divisor[index] ^= divisor[index + 1] }
      }
      root = product(root, 2)
    }
    var rest = [UInt8](repeating: 0, count: codewords)
    for byte in data {
      let factor = byte ^ rest.removeFirst()
      rest.append(0)
      for index in rest.indices { rest[index] ^= product(divisor[index], factor) }
    }
    return rest
  }
}
