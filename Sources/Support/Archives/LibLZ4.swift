import FileFormats

/// The one place that calls liblz4, for its frames.
@safe struct LibLZ4: Sendable {
  private typealias Create = @convention(c) (UnsafeMutablePointer<OpaquePointer?>, UInt32) -> Int
  private typealias Free = @convention(c) (OpaquePointer) -> Int
  private typealias Decompress =
    @convention(c) (
      OpaquePointer, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>, UnsafeRawPointer?,
      UnsafeMutablePointer<Int>, UnsafeRawPointer?
    ) -> Int
  private typealias IsError = @convention(c) (Int) -> UInt32

  /// The version of the interface of frames.
  private static let version: UInt32 = 100

  private let create: Create
  private let free: Free
  private let decompress: Decompress
  private let isError: IsError

  private static let opened = Result { () throws(CompressionError) in try LibLZ4() }

  /// The library, opened once for the whole process.
  static func shared() throws(CompressionError) -> LibLZ4 { try opened.get() }

  private init() throws(CompressionError) {
    do {
      let library = try RuntimeLibrary(Compression.lz4.library)
      unsafe create = try library.function("LZ4F_createDecompressionContext")
      unsafe free = try library.function("LZ4F_freeDecompressionContext")
      unsafe decompress = try library.function("LZ4F_decompress")
      isError = try library.function("LZ4F_isError")
    } catch {
      throw .missingLibrary(.lz4, reason: error.description)
    }
  }

  /// The bytes of frames, exactly `size`.
  func decompress(_ input: FileBytes, size: Int) throws(CompressionError) -> [UInt8] {
    var context: OpaquePointer?
    guard unsafe isError(create(&context, Self.version)) == 0, let context = unsafe context else {
      throw .damaged(.lz4)
    }
    defer { _ = unsafe free(context) }
    var isComplete = false
    let output = unsafe input.withUnsafeBytes { source in
      unsafe [UInt8](unsafeUninitializedCapacity: max(size, 1)) { target, count in
        var (consumed, produced, isAtEnd) = (0, 0, true)
        while consumed < source.count {
          var (read, written) = (source.count - consumed, size - produced)
          let hint = unsafe decompress(
            context, target.baseAddress.map { unsafe $0 + produced }, &written,
            source.baseAddress.map { unsafe $0 + consumed }, &read, nil)
          guard isError(hint) == 0, read > 0 || written > 0 else {
            isAtEnd = false
            break
          }
          consumed += read
          produced += written
          isAtEnd = hint == 0
        }
        isComplete = isAtEnd && consumed == source.count && produced == size
        count = isComplete ? size : 0
      }
    }
    guard isComplete else { throw .damaged(.lz4) }
    return output
  }
}
