import FileFormats
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Why a part cannot be gone on with.
package enum PartError: Error, Equatable, CustomStringConvertible {
  case file(FileError)
  /// The file has grown without this process.
  case otherWriter(path: String)
  /// The file system cannot add to a file: a mounted store of objects.
  case noAppending(path: String)

  package var description: String {
    switch self {
    case .file(let error): "\(error)"
    case .otherWriter(let path):
      "\(path): another process writes to it; of two that have the same shard one must end, and the other be run again"
    case .noAppending(let path):
      "\(path): this file system cannot add to files; add --stage DIR, a folder of the machine's own disk, from which the "
        + "part is copied in the end"
    }
  }
}

/// The records of a shard, a line each, in a file that only grows.
///
/// A record is one write at the end of the file: whole, or the torn last line that the next process cuts off. No lock is
/// taken, as shared file systems have none that one could rely on: a file whose size is not what this process made it
/// belongs to another one too, and this one stops.
package final class PartFile: Sendable {
  package let path: String
  /// Damage that was cut off or passed over when the file was opened.
  package let damage: PartDamage

  /// How long records may wait in the system's memory: so much work a failure of power takes back.
  private static let delay = Duration.seconds(1)

  private struct State: Sendable {
    var size: Int
    var synchronized = ContinuousClock.now
    /// By position: the marks of records, the newest of each.
    var marks: [UInt64: UInt64]
    /// By position: the kinds of the failures among them.
    var failures: [UInt64: String]
  }

  private let descriptor: Int32
  private let state: Mutex<State>

  /// Opens or makes a part, and cuts off what a killed process left of a record.
  ///
  /// - Throws: `PartError`, `LineReader.Failure`.
  package init(path: String) throws {
    let descriptor: Int32
    do throws(FileError) {
      descriptor = try POSIX.openForAppending(path)
    } catch {
      throw PartError.file(error)
    }
    do {
      var marks: [UInt64: UInt64] = [:]
      var failures: [UInt64: String] = [:]
      let damage = try PartReader.forEach(in: path) { record, _, _ in
        marks[record.position.packed] = record.mark
        failures[record.position.packed] = record.failure?.kind
      }
      let size = try POSIX.size(of: descriptor, path: path) - damage.torn
      if damage.torn > 0 { try POSIX.truncate(descriptor, to: size, path: path) }
      try POSIX.synchronize(descriptor, path: path)
      self.path = path
      self.damage = damage
      self.descriptor = descriptor
      state = Mutex(State(size: size, marks: marks, failures: failures))
    } catch let error as FileError {
      POSIX.closeDescriptor(descriptor)
      throw PartError.file(error)
    } catch LineReader.Failure.file(.missing) {
      // Made a moment ago, and not to be seen before it is closed.
      POSIX.closeDescriptor(descriptor)
      throw PartError.noAppending(path: path)
    } catch {
      POSIX.closeDescriptor(descriptor)
      throw error
    }
  }

  /// Frames of which there are records.
  package var count: Int { state.withLock { $0.marks.count } }

  /// Whether the newest record of a position was made from the same inputs with the same options.
  package func holds(_ position: FramePosition, mark: UInt64) -> Bool {
    state.withLock { $0.marks[position.packed] == mark }
  }

  /// Why a position's frame has no results; nil where it has some, or no record.
  package func failureKind(at position: FramePosition) -> String? {
    state.withLock { $0.failures[position.packed] }
  }

  /// Adds a record, which takes the place of an earlier one of its position.
  package func append(_ record: PartRecord) throws(PartError) {
    let line = record.line
    try state.withLock { state throws(PartError) in
      do throws(FileError) {
        guard try POSIX.size(of: descriptor, path: path) == state.size else { throw .changed(path: path) }
        do throws(FileError) {
          try POSIX.write(line.span, to: descriptor, path: path)
        } catch {
          // A full disk takes a part of a line.
          try? POSIX.truncate(descriptor, to: state.size, path: path)
          throw error
        }
        state.size += line.count
        state.marks[record.position.packed] = record.mark
        state.failures[record.position.packed] = record.failure?.kind
        if ContinuousClock.now - state.synchronized > Self.delay {
          try POSIX.synchronize(descriptor, path: path)
          state.synchronized = .now
        }
      } catch .changed {
        throw .otherWriter(path: path)
      } catch .io(_, ESPIPE) {
        throw .noAppending(path: path)
      } catch {
        throw .file(error)
      }
    }
  }

  /// Has the disk hold everything.
  package func synchronize() throws(PartError) {
    do throws(FileError) {
      try POSIX.synchronize(descriptor, path: path)
    } catch {
      throw .file(error)
    }
  }

  deinit { POSIX.closeDescriptor(descriptor) }
}

extension PartError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    switch self {
    case .file(let error): error.faultOfOutput
    case .otherWriter: .inputOutput
    case .noAppending: .usage
    }
  }
}
