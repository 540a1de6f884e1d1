import CCrypto
import FileFormats

/// Bytes that are read at a time.
private let piece = 1 << 22

/// The SHA-256 digest of bytes, as 64 lowercase hexadecimal digits.
///
/// Bytes of a mapped file do not stay in memory. Unsafe only where libcrypto is called.
package func sha256Hex(_ bytes: FileBytes) -> String {
  unsafe sha256Hex { add in
    for start in stride(from: 0, to: bytes.count, by: piece) {
      let slice = bytes.slice(start..<min(start + piece, bytes.count))
      unsafe slice.withUnsafeBytes(add)
      slice.release()
    }
  }
}

/// The SHA-256 digest of two runs of bytes, one after the other, as 64 lowercase hexadecimal digits.
package func sha256Hex(_ head: [UInt8], _ rest: RawSpan) -> String {
  unsafe sha256Hex { add in
    unsafe head.withUnsafeBytes(add)
    unsafe rest.withUnsafeBytes(add)
  }
}

/// The digest of all that `feed` adds.
@unsafe private func sha256Hex(_ feed: (_ add: (UnsafeRawBufferPointer) -> Void) -> Void) -> String {
  var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
  var length: UInt32 = 0
  // Only an allocation failure or a build of libcrypto without SHA-256 can make any of these fail.
  let context = unsafe EVP_MD_CTX_new()
  defer { unsafe EVP_MD_CTX_free(context) }
  var isDone = unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
  unsafe feed { bytes in
    isDone = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 && isDone
  }
  isDone = unsafe EVP_DigestFinal_ex(context, &digest, &length) == 1 && isDone
  precondition(isDone && length == 32, "libcrypto cannot compute SHA-256")
  let digits = Array("0123456789abcdef".utf8)
  return String(
    decoding: digest[0..<32].flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// The SHA-256 digest of bytes, as 64 lowercase hexadecimal digits.
package func sha256Hex(_ bytes: [UInt8]) -> String { sha256Hex(FileBytes(bytes)) }

/// The SHA-256 digest of the file at `path`, as 64 lowercase hexadecimal digits.
package func sha256Hex(path: String) throws(FileError) -> String { sha256Hex(try FileBytes(path: path)) }
