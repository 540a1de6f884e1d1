import Glibc

/// The one place that calls libwebp.
@safe struct LibWebP: Sendable {
  static let fileName = "libwebp.so.7"

  private typealias Info =
    @convention(c) (
      UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>
    ) -> Int32
  private typealias Decode =
    @convention(c) (
      UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?, Int, Int32
    ) -> UnsafeMutablePointer<UInt8>?

  private let info: Info
  private let decodeRGB: Decode
  private let decodeRGBA: Decode

  private static let opened = Result { () throws(ImageDefect) in try LibWebP() }

  /// The library, opened once for the whole process.
  static func shared() throws(ImageDefect) -> LibWebP { try opened.get() }

  private init() throws(ImageDefect) {
    let library = try PictureLibrary(Self.fileName, for: .webp)
    unsafe info = try library.function("WebPGetInfo")
    unsafe decodeRGB = try library.function("WebPDecodeRGBInto")
    unsafe decodeRGBA = try library.function("WebPDecodeRGBAInto")
  }

  /// Width and height as the file states them.
  func size(_ bytes: [UInt8], limits: ImageLimits) throws(ImageDefect) -> (width: Int, height: Int) {
    try WebPStructure.check(bytes)
    var (width, height): (Int32, Int32) = (0, 0)
    let isRead = unsafe bytes.withUnsafeBufferPointer { source in
      unsafe info(source.baseAddress, source.count, &width, &height)
    }
    guard isRead != 0 else { throw .corrupt(.webp, detail: "its header is not WebP's") }
    try limits.check(width: Int(width), height: Int(height), format: .webp)
    return (Int(width), Int(height))
  }

  /// The samples, interleaved, as they are stored.
  func pixels(
    _ bytes: [UInt8], limits: ImageLimits, withAlpha: Bool
  ) throws(ImageDefect) -> (width: Int, height: Int, pixels: [UInt8]) {
    let size = try size(bytes, limits: limits)
    let row = size.width * (withAlpha ? 4 : 3)
    let decode = unsafe withAlpha ? decodeRGBA : decodeRGB
    var isDecoded = false
    let pixels = unsafe [UInt8](unsafeUninitializedCapacity: row * size.height) { target, count in
      isDecoded = unsafe bytes.withUnsafeBufferPointer { source in
        unsafe decode(
          source.baseAddress, source.count, target.baseAddress, row * size.height, Int32(row)) != nil
      }
      count = isDecoded ? row * size.height : 0
    }
    guard isDecoded else { throw .corrupt(.webp, detail: "its picture cannot be decoded") }
    return (size.width, size.height, pixels)
  }
}
