/// A portable bitmap, graymap or pixmap (PBM, PGM, PPM), as text or bytes.
///
/// Source: Netpbm's `pbm(5)`, `pgm(5)` and `ppm(5)`.
struct PortableAnymap {
  let width: Int
  let height: Int

  private let bytes: [UInt8]
  private let kind: Kind
  private let isText: Bool
  private let greatest: Int
  /// Where the samples begin.
  private let start: Int

  private enum Kind { case bits, gray, color }

  /// Whether the first bytes are one's.
  static func isAnymap(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 3 && bytes[0] == UInt8(ascii: "P")
      && (UInt8(ascii: "1")...UInt8(ascii: "6")).contains(bytes[1])
      && isSpace(bytes[2])
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

  /// Reads the header.
  init(_ bytes: [UInt8], limits: ImageLimits) throws(ImageDefect) {
    self.bytes = bytes
    let magic = Int(bytes[1] - UInt8(ascii: "0"))
    kind = [.bits, .gray, .color][(magic - 1) % 3]
    isText = magic <= 3
    var position = 2
    width = try Self.number(bytes, &position)
    height = try Self.number(bytes, &position)
    greatest = kind == .bits ? 1 : try Self.number(bytes, &position)
    try limits.check(width: width, height: height, format: .pnm)
    guard (1...65535).contains(greatest) else {
      throw .corrupt(.pnm, detail: "a greatest level of \(greatest)")
    }
    // One white space lies between the header and samples as bytes.
    start = position + 1
    let count = isText ? 0 : rowBytes * height
    guard start + count <= bytes.count || isText else { throw .truncated(.pnm) }
  }

  private var channels: Int { kind == .color ? 3 : 1 }
  private var rowBytes: Int {
    kind == .bits ? (width + 7) / 8 : width * channels * (greatest > 255 ? 2 : 1)
  }

  /// The picture.
  func decoded() throws(ImageDefect) -> RGBImage {
    let samples = isText ? try texts() : packed()
    guard let greatestRead = samples.max(), greatestRead <= greatest else {
      throw .corrupt(.pnm, detail: "a level above \(greatest)")
    }
    let levels = samples.map { sample in
      // In a bitmap 1 is black.
      kind == .bits ? UInt8(sample == 0 ? 255 : 0) : UInt8((sample * 255 + greatest / 2) / greatest)
    }
    return RGBImage(
      width: width, height: height, pixels: kind == .color ? levels : levels.flatMap { [$0, $0, $0] })
  }

  private func packed() -> [Int] {
    if kind == .bits {
      return (0..<width * height).map { index in
        let (x, y) = (index % width, index / width)
        return Int(bytes[start + y * rowBytes + x / 8] >> (7 - x % 8) & 1)
      }
    }
    let count = width * height * channels
    guard greatest > 255 else { return bytes[start..<start + count].map(Int.init) }
    return (0..<count).map { Int(bytes[start + 2 * $0]) << 8 | Int(bytes[start + 2 * $0 + 1]) }
  }

  private func texts() throws(ImageDefect) -> [Int] {
    var position = start - 1
    var samples: [Int] = []
    for _ in 0..<width * height * channels {
      // Digits of a bitmap may stand without white space.
      samples.append(try Self.number(bytes, &position, digits: kind == .bits ? 1 : 9))
    }
    return samples
  }

  /// The next number, after white space and comments.
  private static func number(
    _ bytes: [UInt8], _ position: inout Int, digits: Int = 9
  ) throws(ImageDefect) -> Int {
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "#") {
        while position < bytes.count, bytes[position] != 10, bytes[position] != 13 { position += 1 }
      } else if isSpace(bytes[position]) {
        position += 1
      } else {
        break
      }
    }
    guard position < bytes.count else { throw .truncated(.pnm) }
    var (value, count) = (0, 0)
    while position < bytes.count, count < digits, (48...57).contains(bytes[position]) {
      value = value * 10 + Int(bytes[position] - 48)
      (position, count) = (position + 1, count + 1)
    }
    guard count > 0 else { throw .corrupt(.pnm, detail: "no number at byte \(position)") }
    return value
  }
}
