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
  /// On photographs and depth level 2 takes half as long again for files 4 % smaller.
  private static let level = 1
  /// Gray bytes are masks and codes, long runs of the same: level 1 takes twice as long on these as level 2.
  private static let levelOfRuns = 2
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
    let compressed = ZlibStream.compress(
      rowDifferences(of: samples, rowBytes: rowBytes, height: height),
      level: content == .grayscale && Sample.bitWidth == 8 ? levelOfRuns : level)
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
  private static func rowDifferences<Sample: FixedWidthInteger & BitwiseCopyable>(
    of samples: [Sample], rowBytes: Int, height: Int
  ) -> [UInt8] {
    unsafe samples.withUnsafeBytes { source in
      precondition(source.count == rowBytes * height, "rows of \(rowBytes) bytes")
      precondition(Sample.bitWidth <= 16, "samples have one or two bytes")
      let above = [UInt8](repeating: 0, count: rowBytes)
      return unsafe above.withUnsafeBytes { zeros in
        unsafe [UInt8](count: height * (1 + rowBytes)) { target in
          for row in 0..<height {
            let from = unsafe source.baseAddress! + row * rowBytes
            let above = unsafe row == 0 ? zeros.baseAddress! : from - rowBytes
            let to = unsafe target + row * (1 + rowBytes)
            unsafe to[0] = up
            if Sample.bitWidth == 8 {
              unsafe differences(from, above, count: rowBytes, into: to + 1)
            } else {
              unsafe pairDifferences(from, above, count: rowBytes / 2, into: to + 1)
            }
          }
        }
      }
    }
  }

  private static func differences(
    _ row: UnsafeRawPointer, _ above: UnsafeRawPointer, count: Int, into target: UnsafeMutablePointer<UInt8>
  ) {
    let row = unsafe row.assumingMemoryBound(to: UInt8.self)
    let above = unsafe above.assumingMemoryBound(to: UInt8.self)
    for index in 0..<count { unsafe target[index] = row[index] &- above[index] }
  }

  /// Differences of the bytes of samples of two, which are stored high byte first.
  private static func pairDifferences(
    _ row: UnsafeRawPointer, _ above: UnsafeRawPointer, count: Int, into target: UnsafeMutablePointer<UInt8>
  ) {
    let target = UnsafeMutableRawPointer(target)
    for index in 0..<count {
      let own = unsafe row.loadUnaligned(fromByteOffset: 2 &* index, as: UInt16.self)
      let other = unsafe above.loadUnaligned(fromByteOffset: 2 &* index, as: UInt16.self)
      let high = (own & 0xff00) &- (other & 0xff00)
      let low = (own &- other) & 0xff
      unsafe target.storeBytes(of: (high | low).bigEndian, toByteOffset: 2 &* index, as: UInt16.self)
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
