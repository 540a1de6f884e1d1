import CTurboJPEG

/// The one place that calls libturbojpeg.
enum TurboJPEG {
  struct Header {
    let width: Int
    let height: Int
    let isCMYK: Bool
  }

  static func header(_ bytes: [UInt8]) throws(ImageDefect) -> Header {
    let decoder = unsafe try makeDecoder()
    defer { unsafe _ = tjDestroy(decoder) }
    // The call may succeed and leave all four untouched (tables without a frame), and may fail
    // only for an unusual subsampling, which decoding does not mind.
    var width: Int32 = 0
    var height: Int32 = 0
    var subsampling: Int32 = -1
    var colorSpace: Int32 = -1
    let status = unsafe bytes.withUnsafeBufferPointer { source in
      unsafe tjDecompressHeader3(
        decoder, source.baseAddress, UInt(source.count), &width, &height, &subsampling, &colorSpace)
    }
    guard width > 0, height > 0 else {
      if status == 0 || JPEGStructure.header(bytes).isCutShort { throw .truncated(.jpeg) }
      throw defect(text: unsafe message(decoder))
    }
    guard colorSpace >= 0 else { throw .unsupported(.jpeg, detail: "unknown color space") }
    return Header(
      width: Int(width), height: Int(height),
      isCMYK: colorSpace == Int32(TJCS_CMYK.rawValue) || colorSpace == Int32(TJCS_YCCK.rawValue))
  }

  /// Decodes to interleaved RGB with the decoder settings of the reference libraries: integer
  /// accurate DCT, smooth chroma upsampling.
  static func decodeRGB(_ bytes: [UInt8], limits: ImageLimits) throws(ImageDefect) -> RGBImage {
    let header = try header(bytes)
    try limits.check(width: header.width, height: header.height, format: .jpeg)
    if header.isCMYK {
      let inks = try decode(bytes, header, format: TJPF_CMYK, channels: 4)
      return RGBImage(width: header.width, height: header.height, pixels: rgb(fromInvertedCMYK: inks))
    }
    return RGBImage(
      width: header.width, height: header.height,
      pixels: try decode(bytes, header, format: TJPF_RGB, channels: 3))
  }

  private static func decode(
    _ bytes: [UInt8], _ header: Header, format: TJPF, channels: Int
  ) throws(ImageDefect) -> [UInt8] {
    // Stopping at the first warning keeps a small damaged file from filling a huge picture with gray.
    var bytes = bytes
    var remarks = JPEGRemark.allCases
    while true {
      let strict = try attempt(bytes, header, format, channels, stopOnWarning: true)
      guard let warning = strict.warning else { return strict.pixels }
      let isEnded = remarks.contains(.noEnd)
      if isEnded, JPEGRemark.isAtTheEnd(warning) {
        return try attempt(bytes, header, format, channels, stopOnWarning: false).pixels
      }
      guard isEnded else { throw .truncated(.jpeg) }
      // Each is put right once.
      guard let remark = JPEGRemark(warning), let index = remarks.firstIndex(of: remark),
        let mended = remark.mended(bytes)
      else { throw defect(text: warning) }
      remarks.remove(at: index)
      bytes = mended
    }
  }

  private static func attempt(
    _ bytes: [UInt8], _ header: Header, _ format: TJPF, _ channels: Int, stopOnWarning: Bool
  ) throws(ImageDefect) -> (pixels: [UInt8], warning: String?) {
    let decoder = unsafe try makeDecoder()
    defer { unsafe _ = tjDestroy(decoder) }
    let flags = TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS | (stopOnWarning ? TJFLAG_STOPONWARNING : 0)
    let size = header.width * header.height * channels
    var status: Int32 = 0
    let pixels = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      status = unsafe bytes.withUnsafeBufferPointer { source in
        unsafe tjDecompress2(
          decoder, source.baseAddress, UInt(source.count), buffer.baseAddress, Int32(header.width),
          Int32(header.width * channels), Int32(header.height), Int32(format.rawValue), flags)
      }
      // A warning leaves rows unwritten; those pixels never leave this file.
      count = status == 0 || !stopOnWarning ? size : 0
    }
    if status == 0 { return (pixels, nil) }
    let text = unsafe message(decoder)
    guard unsafe tjGetErrorCode(decoder) == Int32(TJERR_WARNING.rawValue) else { throw defect(text: text) }
    return (pixels, text)
  }

  /// libjpeg's own bound on a side that it writes, pixels.
  private static let longestSide = 65_500

  private static func defect(text: String) -> ImageDefect {
    if text.contains("Premature end") { return .truncated(.jpeg) }
    if text.contains("Unsupported") || text.contains("not implemented") || text.contains("scans") {
      return .unsupported(.jpeg, detail: text)
    }
    let prefix = "Corrupt JPEG data: "
    return .corrupt(.jpeg, detail: String(text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...]))
  }

  static func encode(_ image: RGBImage, quality: Int) throws(ImageDefect) -> [UInt8] {
    guard max(image.width, image.height) <= longestSide else {
      throw .sideTooLong(.jpeg, width: image.width, height: image.height, limit: longestSide)
    }
    guard let encoder = unsafe tjInitCompress() else {
      throw .encodingFailed(.jpeg, detail: "out of memory")
    }
    defer { unsafe _ = tjDestroy(encoder) }
    var status: Int32 = 0
    let capacity = Int(tjBufSize(Int32(image.width), Int32(image.height), Int32(TJSAMP_420.rawValue)))
    guard capacity > 0 else { throw .encodingFailed(.jpeg, detail: "picture too large for the format") }
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      var target = buffer.baseAddress
      var size = UInt(capacity)
      status = unsafe image.pixels.withUnsafeBufferPointer { source in
        unsafe tjCompress2(
          encoder, source.baseAddress, Int32(image.width), Int32(image.width * 3), Int32(image.height),
          Int32(TJPF_RGB.rawValue), &target, &size, Int32(TJSAMP_420.rawValue), Int32(quality),
          TJFLAG_ACCURATEDCT | TJFLAG_NOREALLOC)
      }
      count = status == 0 ? Int(size) : 0
    }
    guard status == 0 else { throw .encodingFailed(.jpeg, detail: unsafe message(encoder)) }
    return bytes
  }

  private static func makeDecoder() throws(ImageDefect) -> tjhandle {
    guard let decoder = unsafe tjInitDecompress() else {
      throw .unreadable(reason: "out of memory for a JPEG decoder")
    }
    return unsafe decoder
  }

  private static func message(_ handle: tjhandle) -> String {
    guard let text = unsafe tjGetErrorStr2(handle) else { return "unknown error" }
    return unsafe String(cString: text)
  }

  /// Adobe writes inverted inks: 255 is no ink, so red = cyan x black / 255, to within a level.
  private static func rgb(fromInvertedCMYK inks: [UInt8]) -> [UInt8] {
    var pixels = [UInt8](repeating: 0, count: inks.count / 4 * 3)
    for pixel in 0..<inks.count / 4 {
      let black = Int(inks[pixel * 4 + 3])
      for channel in 0..<3 {
        let paper = 255 - Int(inks[pixel * 4 + channel])
        pixels[pixel * 3 + channel] = UInt8(black - (paper * black) >> 8)
      }
    }
    return pixels
  }
}
