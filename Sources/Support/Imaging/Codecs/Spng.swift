import CSpng

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The one place that calls libspng.
enum Spng {
  struct Header {
    let width: Int
    let height: Int
    let bitDepth: Int
    let isGrayscale: Bool
  }

  /// Largest chunk and sum of kept chunks, in bytes.
  private static let chunkLimit = 16 << 20

  static func header(_ bytes: [UInt8], limits: ImageLimits) throws(ImageDefect) -> Header {
    var header: Header?
    _ = try decode(bytes, limits: limits, into: UInt8.self) { found in
      header = found
      return nil
    }
    guard let header else { throw .corrupt(.png, detail: "no header") }
    return header
  }

  static func decodeRGB(_ bytes: [UInt8], limits: ImageLimits) throws(ImageDefect) -> RGBImage {
    let (header, pixels) = try decode(bytes, limits: limits, into: UInt8.self) { _ in
      Layout(format: SPNG_FMT_RGB8, elementsPerPixel: 3)
    }
    return RGBImage(width: header.width, height: header.height, pixels: pixels)
  }

  static func decodeRGBA(_ bytes: [UInt8], limits: ImageLimits) throws(ImageDefect) -> RGBAImage {
    let (header, pixels) = try decode(bytes, limits: limits, into: UInt8.self) { _ in
      Layout(format: SPNG_FMT_RGBA8, elementsPerPixel: 4, flags: SPNG_DECODE_TRNS)
    }
    return RGBAImage(width: header.width, height: header.height, pixels: pixels)
  }

  static func decodeGray<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable & Sendable>(
    _ bytes: [UInt8], limits: ImageLimits, as sample: Sample.Type
  ) throws(ImageDefect) -> Plane<Sample> {
    let (header, elements) = try decode(bytes, limits: limits, into: sample) { header throws(ImageDefect) in
      guard header.isGrayscale, header.bitDepth == Sample.bitWidth else {
        throw .unsupported(
          .png,
          detail: "\(Sample.bitWidth)-bit grayscale expected, this is "
            + "\(header.bitDepth)-bit \(header.isGrayscale ? "grayscale" : "color")")
      }
      return Layout(format: SPNG_FMT_PNG, elementsPerPixel: 1)
    }
    return Plane(width: header.width, height: header.height, elements: elements)
  }

  // MARK: - Decoding

  private struct Layout {
    let format: spng_format
    let elementsPerPixel: Int
    var flags = spng_decode_flags(0)
  }

  /// Checks the header, asks `layout` what to decode to (nil: nothing), and decodes to the end of file.
  private static func decode<Element: BitwiseCopyable>(
    _ bytes: [UInt8], limits: ImageLimits, into element: Element.Type,
    layout: (Header) throws(ImageDefect) -> Layout?
  ) throws(ImageDefect) -> (Header, [Element]) {
    guard let context = unsafe spng_ctx_new(0) else {
      throw .unreadable(reason: "out of memory for a PNG decoder")
    }
    defer { unsafe spng_ctx_free(context) }
    let parts = try PNGStructure.essentialParts(of: bytes)
    var outcome: Result<(Header, [Element]), ImageDefect> = .failure(.truncated(.png))
    unsafe bytes.withUnsafeBytes { source in
      let input = unsafe PNGInput(source, parts: parts)
      do throws(ImageDefect) {
        try unsafe check(spng_set_chunk_limits(context, chunkLimit, chunkLimit))
        try unsafe check(
          spng_set_png_stream(context, readPNGInput, Unmanaged.passUnretained(input).toOpaque()))
        let header = unsafe try readHeader(context, limits: limits)
        guard let layout = try layout(header) else {
          outcome = .success((header, []))
          return
        }
        // Before the pixels get their memory: a file that was cut off is no reason to fill it.
        guard PNGStructure.chunk("IEND", in: bytes) != nil else { throw ImageDefect.truncated(.png) }
        let count = header.width * header.height * layout.elementsPerPixel
        var status: Int32 = 0
        let elements = unsafe [Element](unsafeUninitializedCapacity: count) { buffer, initialized in
          status = unsafe spng_decode_image(
            context, buffer.baseAddress, count * MemoryLayout<Element>.stride,
            Int32(layout.format.rawValue), Int32(layout.flags.rawValue))
          initialized = status == 0 ? count : 0
        }
        try check(status)
        try unsafe check(spng_decode_chunks(context))
        outcome = .success((header, elements))
      } catch {
        outcome = .failure(error)
      }
      unsafe withExtendedLifetime(input) {}
    }
    return try outcome.get()
  }

  private static func readHeader(
    _ context: OpaquePointer, limits: ImageLimits
  ) throws(ImageDefect) -> Header {
    var header = spng_ihdr()
    try unsafe check(spng_get_ihdr(context, &header))
    try limits.check(width: Int(header.width), height: Int(header.height), format: .png)
    return Header(
      width: Int(header.width), height: Int(header.height), bitDepth: Int(header.bit_depth),
      isGrayscale: header.color_type == UInt8(SPNG_COLOR_TYPE_GRAYSCALE.rawValue))
  }

  private static func check(_ status: Int32) throws(ImageDefect) {
    guard status != 0 else { return }
    switch spng_errno(rawValue: status) {
    case SPNG_IO_EOF, SPNG_IO_ERROR, SPNG_EIDAT_TOO_SHORT: throw .truncated(.png)
    case SPNG_EWIDTH, SPNG_EHEIGHT: throw .zeroSize(.png)
    default: throw .corrupt(.png, detail: unsafe String(cString: spng_strerror(status)))
    }
  }
}

/// The essential parts of a PNG file as one stream.
@unsafe private final class PNGInput {
  private let bytes: UnsafeRawBufferPointer
  private var parts: ArraySlice<Range<Int>>

  init(_ bytes: UnsafeRawBufferPointer, parts: [Range<Int>]) {
    unsafe self.bytes = bytes
    unsafe self.parts = parts[...]
  }

  /// Fills `target`, or answers false at the end of the data.
  func read(into target: UnsafeMutableRawBufferPointer) -> Bool {
    var filled = 0
    while filled < target.count {
      guard let part = unsafe parts.first else { return false }
      let count = min(part.count, target.count - filled)
      let source = unsafe UnsafeRawBufferPointer(rebasing: bytes[part.prefix(count)])
      unsafe UnsafeMutableRawBufferPointer(rebasing: target[filled...]).copyMemory(from: source)
      filled += count
      unsafe parts[parts.startIndex] = part.dropFirst(count)
      if unsafe parts[parts.startIndex].isEmpty { unsafe parts.removeFirst() }
    }
    return true
  }
}

/// libspng's read callback over a `PNGInput`.
private func readPNGInput(
  _ context: OpaquePointer?, _ user: UnsafeMutableRawPointer?, _ target: UnsafeMutableRawPointer?,
  _ count: Int
) -> Int32 {
  guard let user = unsafe user, let target = unsafe target else { return SPNG_IO_ERROR.rawValue }
  let input = unsafe Unmanaged<PNGInput>.fromOpaque(user).takeUnretainedValue()
  let isComplete = unsafe input.read(into: UnsafeMutableRawBufferPointer(start: target, count: count))
  return isComplete ? 0 : SPNG_IO_EOF.rawValue
}
