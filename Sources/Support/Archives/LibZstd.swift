import FileFormats

/// The one place that calls libzstd.
@safe struct LibZstd: Sendable {
  private typealias Decompress =
    @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeRawPointer?, Int) -> Int
  private typealias IsError = @convention(c) (Int) -> UInt32
  private typealias ContentSize = @convention(c) (UnsafeRawPointer?, Int) -> UInt64

  private let decompress: Decompress
  private let isError: IsError
  private let contentSize: ContentSize

  private static let opened = Result { () throws(CompressionError) in try LibZstd() }

  /// The library, opened once for the whole process.
  static func shared() throws(CompressionError) -> LibZstd { try opened.get() }

  private init() throws(CompressionError) {
    do {
      let library = try RuntimeLibrary(Compression.zstandard.library)
      unsafe decompress = try library.function("ZSTD_decompress")
      isError = try library.function("ZSTD_isError")
      unsafe contentSize = try library.function("ZSTD_getFrameContentSize")
    } catch {
      throw .missingLibrary(.zstandard, reason: error.description)
    }
  }

  /// The bytes of frames, exactly `size`.
  func decompress(_ input: FileBytes, size: Int) throws(CompressionError) -> [UInt8] {
    var isComplete = false
    let output = unsafe input.withUnsafeBytes { source in
      unsafe [UInt8](unsafeUninitializedCapacity: max(size, 1)) { target, count in
        let written = unsafe decompress(target.baseAddress, size, source.baseAddress, source.count)
        isComplete = isError(written) == 0 && written == size
        count = isComplete ? size : 0
      }
    }
    guard isComplete else { throw .damaged(.zstandard) }
    return output
  }

  /// The unpacked size that the first frame states; nil where it states none, or is not a frame.
  func statedSize(of frame: FileBytes) -> Int? {
    let size = unsafe frame.withUnsafeBytes { unsafe contentSize($0.baseAddress, $0.count) }
    // The two highest numbers stand for not known, and for no frame.
    return Int(exactly: size)
  }
}
