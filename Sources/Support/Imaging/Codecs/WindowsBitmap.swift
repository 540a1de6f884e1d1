import FileFormats

/// A Windows bitmap: rows of 1, 4, 8, 16, 24 or 32 bits per pixel, the last one first, with a palette up to 8 bits.
///
/// Source: Microsoft, *Bitmap Storage* (BITMAPFILEHEADER, BITMAPCOREHEADER, BITMAPINFOHEADER and its successors).
struct WindowsBitmap {
  let width: Int
  let height: Int

  private let bytes: [UInt8]
  private let bits: Int
  private let isTopDown: Bool
  /// Where the rows begin, and bytes from one to the next: multiples of four.
  private let start: Int
  private let row: Int
  /// Blue, green and red of each color, `entry` bytes apart.
  private let palette: (start: Int, count: Int, entry: Int)
  /// The bits of red, green and blue in a pixel of 16 or 32.
  private let masks: [UInt32]

  /// Sizes of the second header that are known.
  private static let headerSizes: Set<UInt32> = [12, 40, 52, 56, 64, 108, 124]
  private static let (uncompressed, maskedBits, maskedBitsWithAlpha): (UInt32, UInt32, UInt32) = (0, 3, 6)

  /// Whether the first bytes are a bitmap's.
  static func isBitmap(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 18 && bytes.starts(with: "BM".utf8) && headerSizes.contains(number(bytes, 14, 4))
  }

  private static func number(_ bytes: [UInt8], _ position: Int, _ count: Int) -> UInt32 {
    UInt32(littleEndianBytes: bytes[position..<position + count])
  }

  /// Reads the headers.
  init(_ bytes: [UInt8], limits: ImageLimits) throws(ImageDefect) {
    let header = Int(Self.number(bytes, 14, 4))
    guard bytes.count >= 14 + header else { throw .truncated(.bmp) }
    self.bytes = bytes
    func field(_ position: Int, _ count: Int) -> UInt32 { Self.number(bytes, position, count) }
    let isCore = header == 12
    let stored = isCore ? Int(field(20, 2)) : Int(Int32(bitPattern: field(22, 4)))
    width = isCore ? Int(field(18, 2)) : Int(Int32(bitPattern: field(18, 4)))
    (height, isTopDown) = (abs(stored), stored < 0)
    bits = Int(field(isCore ? 24 : 28, 2))
    try limits.check(width: width, height: height, format: .bmp)
    let compression = isCore ? Self.uncompressed : field(30, 4)
    let isMasked = compression == Self.maskedBits || compression == Self.maskedBitsWithAlpha
    guard compression == Self.uncompressed || isMasked && (bits == 16 || bits == 32) else {
      throw .unsupported(.bmp, detail: "compression \(compression)")
    }
    var afterHeader = 14 + header
    if isMasked {
      // The masks are a part of later headers, and follow the first one.
      guard bytes.count >= 66 else { throw .truncated(.bmp) }
      masks = [field(54, 4), field(58, 4), field(62, 4)]
      if header == 40 { afterHeader += 12 }
    } else {
      masks = bits == 16 ? [0x7C00, 0x3E0, 0x1F] : [0xFF0000, 0xFF00, 0xFF]
    }
    guard [1, 4, 8, 16, 24, 32].contains(bits) else {
      throw .unsupported(.bmp, detail: "\(bits) bits per pixel")
    }
    let entry = isCore ? 3 : 4
    let stated = isCore ? 0 : Int(field(46, 4))
    let colors = bits > 8 ? 0 : stated == 0 ? 1 << bits : min(stated, 1 << bits)
    palette = (afterHeader, colors, entry)
    start = Int(field(10, 4))
    row = (width * bits + 31) / 32 * 4
    let (last, overflow) = start.addingReportingOverflow(row * height)
    guard !overflow, last <= bytes.count, afterHeader + colors * entry <= bytes.count else {
      throw .truncated(.bmp)
    }
  }

  /// The picture.
  func decoded() throws(ImageDefect) -> RGBImage {
    var pixels = [UInt8](repeating: 0, count: width * height * 3)
    for y in 0..<height {
      let line = start + row * (isTopDown ? y : height - 1 - y)
      for x in 0..<width {
        let color = try color(line, x)
        let place = 3 * (y * width + x)
        (pixels[place], pixels[place + 1], pixels[place + 2]) = color
      }
    }
    return RGBImage(width: width, height: height, pixels: pixels)
  }

  private func color(_ line: Int, _ x: Int) throws(ImageDefect) -> (UInt8, UInt8, UInt8) {
    func stored(_ place: Int) -> (UInt8, UInt8, UInt8) { (bytes[place + 2], bytes[place + 1], bytes[place]) }
    switch bits {
    case 24: return stored(line + 3 * x)
    case 16:
      let place = line + 2 * x
      return masked(UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8)
    case 32:
      let place = line + 4 * x
      let (low, high) = (
        UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8,
        UInt32(bytes[place + 2]) | UInt32(bytes[place + 3]) << 8
      )
      return masked(low | high << 16)
    default:
      let shift = 8 - bits - x * bits % 8
      let color = Int(bytes[line + x * bits / 8]) >> shift & (1 << bits - 1)
      guard color < palette.count else {
        throw .corrupt(.bmp, detail: "color \(color) of \(palette.count)")
      }
      return stored(palette.start + color * palette.entry)
    }
  }

  private func masked(_ pixel: UInt32) -> (UInt8, UInt8, UInt8) {
    (Self.level(pixel, masks[0]), Self.level(pixel, masks[1]), Self.level(pixel, masks[2]))
  }

  /// The masked bits of a pixel, as 0 to 255.
  private static func level(_ pixel: UInt32, _ mask: UInt32) -> UInt8 {
    guard mask != 0 else { return 0 }
    let shift = UInt32(mask.trailingZeroBitCount)
    let (value, greatest) = (UInt64(pixel & mask) >> shift, UInt64(mask) >> shift)
    return UInt8((value * 255 + greatest / 2) / greatest)
  }
}
