import FileFormats
import Synchronization

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
