import Archives
import FileFormats

/// Writes PNG files: every row as its difference to the row above, deflated as fast as that goes.
///
/// Format: W3C, Portable Network Graphics, third edition.
enum PNGEncoder {
  enum Content: UInt8 {
    case grayscale = 0
    case rgb = 2
    case rgba = 6

    var channels: Int {
      switch self {
      case .grayscale: 1
      case .rgb: 3
      case .rgba: 4
      }
    }
  }

  private static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
  /// Filter 2, "up".
  private static let up: UInt8 = 2
  /// On photographs level 2 takes half as long again for files 4 % smaller.
  private static let level = 1
  /// A chunk's length is less than 2^31.
  private static let chunkLimit = 1 << 30

  /// Encodes rows of `samples`; the bytes depend on nothing but the arguments.
  static func encode<Sample: FixedWidthInteger & BitwiseCopyable>(
    _ samples: [Sample], width: Int, height: Int, content: Content
  ) throws(ImageDefect) -> [UInt8] {
    guard Int32(exactly: width) != nil, Int32(exactly: height) != nil else {
      throw .encodingFailed(.png, detail: "picture too large for the format")
    }
    let rowBytes = width * content.channels * MemoryLayout<Sample>.size
    // Samples of two bytes are stored high byte first.
    let stored = Sample.bitWidth == 8 ? samples : samples.map(\.bigEndian)
    let compressed = ZlibStream.compress(
      rowDifferences(of: stored, rowBytes: rowBytes, height: height), level: level)
    var file = signature
    file.reserveCapacity(compressed.count + 128)
    let isInterlaced: UInt8 = 0
    append(
      "IHDR",
      bigEndian(width) + bigEndian(height)
        + [UInt8(Sample.bitWidth), content.rawValue, 0, 0, isInterlaced], to: &file)
    for start in stride(from: 0, to: compressed.count, by: chunkLimit) {
      append("IDAT", compressed[start..<min(start + chunkLimit, compressed.count)], to: &file)
    }
    append("IEND", [], to: &file)
    return file
  }

  /// Each row as its filter's number and its bytes less those above, of which the first row has zeros.
  private static func rowDifferences<Sample: BitwiseCopyable>(
    of samples: [Sample], rowBytes: Int, height: Int
  ) -> [UInt8] {
    unsafe samples.withUnsafeBytes { source in
      precondition(source.count == rowBytes * height, "rows of \(rowBytes) bytes")
      return unsafe [UInt8](count: height * (1 + rowBytes)) { target in
        let bytes = unsafe source.baseAddress!.assumingMemoryBound(to: UInt8.self)
        for row in 0..<height {
          let (from, to) = unsafe (bytes + row * rowBytes, target + row * (1 + rowBytes))
          unsafe to[0] = up
          if row == 0 {
            unsafe (to + 1).update(from: from, count: rowBytes)
          } else {
            for index in 0..<rowBytes { unsafe to[1 + index] = from[index] &- from[index - rowBytes] }
          }
        }
      }
    }
  }

  private static func append(_ type: String, _ contents: some Collection<UInt8>, to file: inout [UInt8]) {
    let named = Array(type.utf8) + contents
    file += bigEndian(contents.count)
    file += named
    file += bigEndian(Int(CRC32.checksum(of: FileBytes(named))))
  }

  private static func bigEndian(_ value: Int) -> [UInt8] {
    [UInt8(value >> 24 & 0xff), UInt8(value >> 16 & 0xff), UInt8(value >> 8 & 0xff), UInt8(value & 0xff)]
  }
}
