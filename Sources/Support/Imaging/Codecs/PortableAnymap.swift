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
    var pixels = [UInt8](repeating: 0, count: width * height * 3)
    // Where the next sample is, as text.
    var position = start - 1
    for y in 0..<height {
      for x in 0..<width {
        let place = 3 * (y * width + x)
        for channel in 0..<channels {
          pixels[place + channel] = try level(
            isText
              ? Self.number(bytes, &position, digits: kind == .bits ? 1 : 9)
              : packed(x * channels + channel, y))
        }
        guard kind != .color else { continue }
        (pixels[place + 1], pixels[place + 2]) = (pixels[place], pixels[place])
      }
    }
    return RGBImage(width: width, height: height, pixels: pixels)
  }

  /// A sample as 0 to 255.
  private func level(_ sample: Int) throws(ImageDefect) -> UInt8 {
    guard sample <= greatest else { throw .corrupt(.pnm, detail: "a level above \(greatest)") }
    // In a bitmap 1 is black.
    return kind == .bits ? (sample == 0 ? 255 : 0) : UInt8((sample * 255 + greatest / 2) / greatest)
  }

  /// A sample of a row as bytes.
  private func packed(_ column: Int, _ row: Int) -> Int {
    let line = start + row * rowBytes
    if kind == .bits { return Int(bytes[line + column / 8] >> (7 - column % 8) & 1) }
    guard greatest > 255 else { return Int(bytes[line + column]) }
    return Int(bytes[line + 2 * column]) << 8 | Int(bytes[line + 2 * column + 1])
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
