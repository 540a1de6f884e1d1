import Archives
import FileFormats
import Synchronization

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

/// The chunks of a recording's files that were unpacked last, as many as their bytes allow: a picture and its depth, and
/// those of the next frames, often share one.
final class RecentChunks: Sendable {
  private struct Chunk {
    let file: Int
    let number: Int
    let contents: FileBytes
  }

  private struct State {
    var files = 0
    /// The last one first.
    var kept: [Chunk] = []
    /// Bytes that may still be unpacked; nil for any number.
    var allowance: Int? = BagLimits.unpackedBytes
  }

  private static let mostChunks = 64
  private let state = Mutex(State())

  /// A number for a file.
  func nextFile() -> Int {
    state.withLock { state in
      state.files += 1
      return state.files
    }
  }

  func find(_ number: Int, of file: Int) -> FileBytes? {
    state.withLock { state in
      guard let place = state.kept.firstIndex(where: { $0.file == file && $0.number == number }) else {
        return nil
      }
      let found = state.kept.remove(at: place)
      state.kept.insert(found, at: 0)
      return found.contents
    }
  }

  func keep(_ contents: FileBytes, _ number: Int, of file: Int) {
    state.withLock { state in
      state.kept.insert(Chunk(file: file, number: number, contents: contents), at: 0)
      var bytes = 0
      let count = state.kept.prefix(Self.mostChunks).prefix { chunk in
        bytes += chunk.contents.count
        return bytes <= BagLimits.keptBytes
      }.count
      state.kept.removeLast(state.kept.count - max(count, 1))
    }
  }

  /// Lets more bytes be unpacked until the recording is open.
  func allow(_ bytes: Int) {
    state.withLock { state in state.allowance = state.allowance.map { $0 + bytes } }
  }

  /// Takes bytes off what may be unpacked; false where that is less.
  func charge(_ bytes: Int) -> Bool {
    state.withLock { state in
      guard let allowance = state.allowance else { return true }
      state.allowance = allowance - bytes
      return bytes <= allowance
    }
  }

  /// Lets any number of bytes be unpacked: frames are read one by one, each for its own cost.
  func finishOpening() { state.withLock { $0.allowance = nil } }
}
