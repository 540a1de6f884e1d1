import Imaging

/// PNG files put together by hand, chunk by chunk.
enum PNGSamples {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// Where the header chunk ends: signature, length, type, 13 bytes, checksum.
  static let headerEnd = 8 + 4 + 4 + 13 + 4

  static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return bigEndian(UInt32(data.count)) + body + bigEndian(crc(body))
  }

  static func header(
    width: UInt32, height: UInt32, depth: UInt8 = 8, color: UInt8 = 2, interlace: UInt8 = 0
  ) -> [UInt8] {
    signature + chunk("IHDR", bigEndian(width) + bigEndian(height) + [depth, color, 0, 0, interlace])
  }

  /// A file with a chunk added after its header.
  static func inserting(_ chunk: [UInt8], in png: [UInt8]) -> [UInt8] {
    Array(png[..<headerEnd]) + chunk + Array(png[headerEnd...])
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// CRC-32 as PNG computes it, bit by bit.
  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
