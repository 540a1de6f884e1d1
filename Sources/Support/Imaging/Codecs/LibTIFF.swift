import Geometry
import Glibc

/// The one place that calls libtiff.
@safe struct LibTIFF: Sendable {
  static let fileName = "libtiff.so.6"
  /// The library's file name in older distributions.
  private static let formerName = "libtiff.so.5"

  private typealias Handle = UnsafeMutableRawPointer
  private typealias Transfer = @convention(c) (Handle?, Handle?, Int) -> Int
  private typealias Seek = @convention(c) (Handle?, UInt64, Int32) -> UInt64
  private typealias Close = @convention(c) (Handle?) -> Int32
  private typealias Size = @convention(c) (Handle?) -> UInt64
  private typealias Map =
    @convention(c) (Handle?, UnsafeMutablePointer<Handle?>?, UnsafeMutablePointer<UInt64>?) -> Int32
  private typealias Unmap = @convention(c) (Handle?, Handle?, UInt64) -> Void
  private typealias Open =
    @convention(c) (
      UnsafePointer<CChar>, UnsafePointer<CChar>, Handle?, Transfer, Transfer, Seek, Close, Size, Map, Unmap
    ) -> OpaquePointer?
  private typealias CloseFile = @convention(c) (OpaquePointer) -> Void
  private typealias Check = @convention(c) (OpaquePointer, UnsafeMutablePointer<CChar>) -> Int32
  private typealias Read =
    @convention(c) (OpaquePointer, UInt32, UInt32, UnsafeMutablePointer<UInt32>?, Int32, Int32) -> Int32
  private typealias Begin =
    @convention(c) (Handle, OpaquePointer, Int32, UnsafeMutablePointer<CChar>) -> Int32
  private typealias End = @convention(c) (Handle) -> Void
  private typealias SetHandler = @convention(c) (Handle?) -> Handle?

  private let open: Open
  private let close: CloseFile
  private let check: Check
  private let read: Read
  private let begin: Begin
  private let end: End

  /// `struct TIFFRGBAImage` of tiffio.h, with room to spare, and where its width and height lie: after a pointer and three `int`.
  private static let (imageBytes, widthOffset, heightOffset) = (1024, 20, 24)

  private static let opened = Result { () throws(ImageDefect) in try LibTIFF() }

  /// The library, opened once for the whole process.
  static func shared() throws(ImageDefect) -> LibTIFF { try opened.get() }

  private init() throws(ImageDefect) {
    let library: PictureLibrary
    do throws(ImageDefect) {
      library = try PictureLibrary(Self.fileName, for: .tiff)
    } catch {
      guard let former = try? PictureLibrary(Self.formerName, for: .tiff) else { throw error }
      library = former
    }
    unsafe open = try library.function("TIFFClientOpen")
    unsafe close = try library.function("TIFFClose")
    unsafe check = try library.function("TIFFRGBAImageOK")
    unsafe read = try library.function("TIFFReadRGBAImageOriented")
    unsafe begin = try library.function("TIFFRGBAImageBegin")
    unsafe end = try library.function("TIFFRGBAImageEnd")
    // What it says goes to standard error otherwise.
    for name in ["TIFFSetErrorHandler", "TIFFSetWarningHandler"] {
      let setHandler: SetHandler = unsafe try library.function(name)
      _ = unsafe setHandler(nil)
    }
  }

  /// A file in memory, and where it is read.
  @safe private final class Source {
    let bytes: UnsafeRawBufferPointer
    var position = 0
    init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

    static func of(_ handle: Handle?) -> Source {
      unsafe Unmanaged<Source>.fromOpaque(handle!).takeUnretainedValue()
    }
  }

  /// The samples as they are stored, not turned: red, green, blue and alpha.
  func pixels(_ bytes: [UInt8], _ header: TIFFStructure) throws(ImageDefect) -> [UInt8] {
    var raster = [UInt32](repeating: 0, count: header.width * header.height)
    var message = [CChar](repeating: 0, count: 1024)
    let isDone = unsafe bytes.withUnsafeBytes { data -> Bool in
      let source = unsafe Source(data)
      return withExtendedLifetime(source) {
        guard
          let file = unsafe open(
            "picture", "r", Unmanaged.passUnretained(source).toOpaque(), Self.readBytes, { _, _, _ in -1 },
            Self.seek, { _ in 0 }, { unsafe UInt64(Source.of($0).bytes.count) }, { _, _, _ in 0 },
            { _, _, _ in })
        else { return false }
        defer { unsafe close(file) }
        // It writes as many rows as it finds, whatever room it is given.
        guard unsafe check(file, &message) != 0,
          unsafe size(of: file, &message) == PixelSize(width: header.width, height: header.height)
        else { return false }
        // In the file's own orientation nothing is flipped.
        return unsafe read(
          file, UInt32(header.width), UInt32(header.height), &raster, Int32(header.orientation), 1) != 0
      }
    }
    guard isDone else {
      let reason = String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      throw reason.isEmpty
        ? .corrupt(.tiff, detail: "its picture cannot be decoded") : .unsupported(.tiff, detail: reason)
    }
    var pixels = [UInt8](repeating: 0, count: 4 * raster.count)
    for (index, pixel) in raster.enumerated() {
      for channel in 0..<4 {
        pixels[4 * index + channel] = UInt8(truncatingIfNeeded: pixel >> UInt32(8 * channel))
      }
    }
    return pixels
  }

  /// The size that the library would decode.
  private func size(of file: OpaquePointer, _ message: UnsafeMutablePointer<CChar>) -> PixelSize? {
    unsafe withUnsafeTemporaryAllocation(byteCount: Self.imageBytes, alignment: 16) { image in
      unsafe image.initializeMemory(as: UInt8.self, repeating: 0)
      guard let start = image.baseAddress, unsafe begin(start, file, 1, message) != 0 else { return nil }
      defer { unsafe end(start) }
      return unsafe PixelSize(
        width: Int(image.load(fromByteOffset: Self.widthOffset, as: UInt32.self)),
        height: Int(image.load(fromByteOffset: Self.heightOffset, as: UInt32.self)))
    }
  }

  private static let readBytes: Transfer = { handle, target, count in
    let source = unsafe Source.of(handle)
    let available = unsafe max(0, min(count, source.bytes.count - source.position))
    if available > 0 {
      unsafe target!.copyMemory(
        from: source.bytes.baseAddress! + source.position, byteCount: available)
    }
    source.position += available
    return available
  }

  private static let seek: Seek = { handle, offset, whence in
    let source = unsafe Source.of(handle)
    let base = unsafe whence == SEEK_CUR ? source.position : whence == SEEK_END ? source.bytes.count : 0
    // Offsets back are two's complements.
    let place = base.addingReportingOverflow(Int(truncatingIfNeeded: offset))
    guard !place.overflow, place.partialValue >= 0 else { return .max }
    source.position = place.partialValue
    return UInt64(place.partialValue)
  }
}
