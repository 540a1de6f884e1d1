import FileFormats
import Synchronization

/// A log of a shard's events and their times, for people and `ardf status`.
///
/// No result depends on it.
package final class EventLog: Sendable {
  package enum Event: String, Sendable {
    /// A process took the shard up.
    case began
    /// A frame's networks are about to run.
    case started
    case done
    case failed
    /// The process came to its own end.
    case ended
  }

  private let descriptor: Int32
  private let path: String
  private let turn = Mutex<Void>(())

  /// Opens or creates a log; lines are appended.
  package init(path: String) throws(FileError) {
    self.path = path
    descriptor = try POSIX.openForAppending(path)
  }

  /// Adds a line.
  ///
  /// - `time`: Seconds since 1970.
  package func write(_ event: Event, time: Double, _ fields: [String: JSONValue] = [:]) {
    var fields = fields
    fields["event"] = .string(event.rawValue)
    fields["time"] = .rounded(time, decimals: 3)
    let line = Array((JSONValue.object(fields).serialized() + "\n").utf8)
    // A disk without room for it has none for results, which say so.
    turn.withLock { _ in try? POSIX.write(line.span, to: descriptor, path: path) }
  }

  deinit { POSIX.closeDescriptor(descriptor) }
}

/// A line of an event log.
package struct LoggedEvent: Sendable {
  /// Seconds since 1970 that an event may have, to the year 5138: others are not events.
  static let times = 0.0...1e11

  package let event: EventLog.Event
  package let time: Double
  package let fields: JSONValue

  /// The events of a log in order; other lines are skipped.
  package static func forEach(in path: String, _ body: (LoggedEvent) throws -> Void) throws {
    let pipe: InputPipe
    do throws(FileError) {
      pipe = try InputPipe(file: path)
    } catch {
      throw LineReader.Failure.file(error)
    }
    var lines = LineReader(pipe, longest: Manifest.longest)
    while let line = try lines.next() {
      guard line.isEnded, let fields = try? JSONValue.parse(line.bytes), let time = fields["time"]?.number,
        times.contains(time),
        let event = fields["event"]?.string.flatMap(EventLog.Event.init)
      else { continue }
      try body(LoggedEvent(event: event, time: time, fields: fields))
    }
  }
}
