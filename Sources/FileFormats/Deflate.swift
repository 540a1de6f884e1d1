import CZlib

/// Inflation and checksums by zlib.
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

  static func crc32(of bytes: FileBytes) -> UInt32 {
    unsafe bytes.withUnsafeBytes { raw in
      unsafe UInt32(crc32_z(0, raw.baseAddress?.assumingMemoryBound(to: UInt8.self), raw.count))
    }
  }
}
