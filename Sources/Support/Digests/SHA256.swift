import CCrypto
import FileFormats

/// The SHA-256 digest of bytes, as 64 lowercase hexadecimal digits.
///
/// Unsafe only where libcrypto is called.
package func sha256Hex(_ bytes: FileBytes) -> String {
  var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
  var length: UInt32 = 0
  let status = unsafe bytes.withUnsafeBytes { raw in
    unsafe EVP_Digest(raw.baseAddress, raw.count, &digest, &length, EVP_sha256(), nil)
  }
  // Only an allocation failure or a build of libcrypto without SHA-256 can bring this about.
  precondition(status == 1 && length == 32, "libcrypto cannot compute SHA-256")
  let digits = Array("0123456789abcdef".utf8)
  return String(
    decoding: digest[0..<32].flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// The SHA-256 digest of bytes, as 64 lowercase hexadecimal digits.
package func sha256Hex(_ bytes: [UInt8]) -> String { sha256Hex(FileBytes(bytes)) }

/// The SHA-256 digest of the file at `path`, as 64 lowercase hexadecimal digits.
package func sha256Hex(path: String) throws(FileError) -> String { sha256Hex(try FileBytes(path: path)) }
