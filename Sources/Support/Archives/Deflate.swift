import CDeflate
import FileFormats

/// Compression and inflation by libdeflate.
///
/// Unsafe by nature.
enum Deflate {
  /// The raw deflate stream `input` inflated; nil unless it gives exactly `size` bytes and ends with them.
  static func inflate(_ input: FileBytes, size: Int) -> [UInt8]? {
    guard let decompressor = unsafe libdeflate_alloc_decompressor() else { return nil }
    defer { unsafe libdeflate_free_decompressor(decompressor) }
    var isComplete = false
    let output = unsafe input.withUnsafeBytes { source in
      unsafe [UInt8](unsafeUninitializedCapacity: max(size, 1)) { target, initialized in
        var (consumed, produced) = (0, 0)
        let result = unsafe libdeflate_deflate_decompress_ex(
          decompressor, source.baseAddress, source.count, target.baseAddress, size, &consumed, &produced)
        isComplete = result == LIBDEFLATE_SUCCESS && consumed == source.count && produced == size
        initialized = isComplete ? size : 0
      }
    }
    return isComplete ? output : nil
  }

  /// `input` as a zlib stream (RFC 1950).
  ///
  /// `level`: From 1, the fastest, to 12.
  static func compress(_ input: [UInt8], level: Int) -> [UInt8] {
    guard let compressor = unsafe libdeflate_alloc_compressor(Int32(level)) else {
      fatalError("no memory for a compressor of level \(level)")
    }
    defer { unsafe libdeflate_free_compressor(compressor) }
    return unsafe input.withUnsafeBytes { source in
      let bound = unsafe libdeflate_zlib_compress_bound(compressor, source.count)
      return unsafe [UInt8](unsafeUninitializedCapacity: bound) { target, count in
        count = unsafe libdeflate_zlib_compress(
          compressor, source.baseAddress, source.count, target.baseAddress, target.count)
        precondition(count > 0, "the bound is enough for any input")
      }
    }
  }
}

/// The checksum of zip members and PNG chunks (ISO/IEC 3309).
package enum CRC32 {
  package static func checksum(of bytes: FileBytes) -> UInt32 {
    unsafe bytes.withUnsafeBytes { unsafe libdeflate_crc32(0, $0.baseAddress, $0.count) }
  }
}

/// Compressed bytes as browsers and PNG files have them.
package enum ZlibStream {
  /// `bytes` as a zlib stream (RFC 1950).
  ///
  /// `level`: From 1, the fastest, to 12, the smallest.
  package static func compress(_ bytes: [UInt8], level: Int) -> [UInt8] {
    precondition((1...12).contains(level), "a level is 1...12")
    return Deflate.compress(bytes, level: level)
  }

  /// The bytes of a stream; nil unless there are exactly `size`.
  ///
  /// The stream's checksum is not verified.
  package static func decompress(_ stream: [UInt8], size: Int) -> [UInt8]? {
    let (header, checksum) = (2, 4)
    guard stream.count >= header + checksum else { return nil }
    return Deflate.inflate(FileBytes(stream).slice(header..<stream.count - checksum), size: size)
  }
}
