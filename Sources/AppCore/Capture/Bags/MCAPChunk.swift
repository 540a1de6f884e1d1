import Archives
import FileFormats

/// Where a chunk's records lie.
struct MCAPChunk: Sendable {
  /// How many bytes they have, unpacked.
  let size: Int

  private let checksum: Int
  private let compression: String
  private let range: Range<Int>

  /// `offset`: where the record's content begins in the file.
  init?(_ content: FileBytes, at offset: Int) {
    var fields = LittleEndianReader(content)
    guard fields.slice(16) != nil, let size = fields.number(bytes: 8),
      let checksum = fields.number(bytes: 4), let compression = fields.text(atMost: 64),
      let count = fields.number(bytes: 8), fields.slice(count) != nil
    else { return nil }
    self.size = size
    self.checksum = checksum
    self.compression = compression
    range = offset + fields.position - count..<offset + fields.position
  }

  /// The records, their checksum verified; those that are not compressed are shared with the file.
  func contents(in file: FileBytes, file name: String) throws(CaptureError) -> FileBytes {
    let stored = file.slice(range)
    let contents: FileBytes
    switch compression {
    case "":
      guard stored.count == size else {
        throw .malformed(file: name, reason: "has another number of bytes than it states")
      }
      contents = stored
    case "lz4": contents = try unpacked(stored, .lz4, name)
    case "zstd": contents = try unpacked(stored, .zstandard, name)
    default:
      throw .foreignLayout(path: name, layout: .bagCompression(printableName(compression)))
    }
    // 0 stands for none.
    guard checksum == 0 || Int(CRC32.checksum(of: contents)) == checksum else {
      throw .malformed(file: name, reason: "has a wrong checksum")
    }
    return contents
  }

  private func unpacked(
    _ stored: FileBytes, _ compression: Compression, _ name: String
  ) throws(CaptureError) -> FileBytes {
    do {
      return FileBytes(try compression.decompress(stored, size: size))
    } catch {
      guard case .missingLibrary = error else { throw .malformed(file: name, reason: "holds \(error)") }
      throw .missingLibrary(file: name, reason: "\(error)")
    }
  }
}
