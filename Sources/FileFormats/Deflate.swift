import CZlib

/// Compression, inflation and checksums by zlib.
///
/// Unsafe by nature.
enum Deflate {
  /// The largest part handed to zlib at once, whose counters have 32 bits.
  private static let part = 1 << 30

  /// The raw deflate stream `input` inflated; nil unless it gives exactly `size` bytes and ends with them.
  static func inflate(_ input: FileBytes, size: Int) -> [UInt8]? {
    var isComplete = false
    let output = unsafe input.withUnsafeBytes { source in
      unsafe [UInt8](unsafeUninitializedCapacity: max(size, 1)) { target, initialized in
        unsafe isComplete = inflate(source, into: target, size: size, produced: &initialized)
      }
    }
    return isComplete ? output : nil
  }

  private static func inflate(
    _ source: UnsafeRawBufferPointer, into target: UnsafeMutableBufferPointer<UInt8>, size: Int,
    produced: inout Int
  ) -> Bool {
    var stream = unsafe z_stream()
    let structSize = unsafe Int32(MemoryLayout<z_stream>.size)
    guard unsafe inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, structSize) == Z_OK else { return false }
    defer { unsafe inflateEnd(&stream) }
    var consumed = 0
    var status = Z_OK
    while status == Z_OK {
      let input = min(source.count - consumed, part)
      let room = min(size - produced, part)
      unsafe stream.next_in = UnsafeMutablePointer(
        mutating: source.baseAddress?.assumingMemoryBound(to: UInt8.self).advanced(by: consumed))
      unsafe stream.avail_in = UInt32(input)
      unsafe stream.next_out = target.baseAddress?.advanced(by: produced)
      unsafe stream.avail_out = UInt32(room)
      status = unsafe CZlib.inflate(&stream, Z_NO_FLUSH)
      unsafe consumed += input - Int(stream.avail_in)
      unsafe produced += room - Int(stream.avail_out)
    }
    return status == Z_STREAM_END && produced == size && consumed == source.count
  }

  /// On smooth grids level 9 takes 24 times as long for a tenth less.
  private static let level: Int32 = 5

  /// `input` as a zlib stream (RFC 1950).
  static func compress(_ input: [UInt8]) -> [UInt8] {
    precondition(input.count < part, "a part at most is compressed at once")
    return unsafe input.withUnsafeBytes { source in
      unsafe [UInt8](unsafeUninitializedCapacity: Int(compressBound(UInt(source.count)))) { target, count in
        var length = UInt(target.count)
        let status = unsafe compress2(
          target.baseAddress, &length, source.baseAddress?.assumingMemoryBound(to: UInt8.self),
          UInt(source.count), level)
        precondition(status == Z_OK, "the bound is enough for any input")
        count = Int(length)
      }
    }
  }

  static func crc32(of bytes: FileBytes) -> UInt32 {
    unsafe bytes.withUnsafeBytes { raw in
      unsafe UInt32(crc32_z(0, raw.baseAddress?.assumingMemoryBound(to: UInt8.self), raw.count))
    }
  }
}

/// Compressed bytes as browsers inflate them.
public enum ZlibStream {
  /// `bytes` as a zlib stream (RFC 1950).
  public static func compress(_ bytes: [UInt8]) -> [UInt8] { Deflate.compress(bytes) }

  /// The bytes of a stream; nil unless there are exactly `size`.
  ///
  /// The stream's checksum is not looked at.
  package static func decompress(_ stream: [UInt8], size: Int) -> [UInt8]? {
    let (header, checksum) = (2, 4)
    guard stream.count >= header + checksum else { return nil }
    return Deflate.inflate(FileBytes(stream).slice(header..<stream.count - checksum), size: size)
  }
}
