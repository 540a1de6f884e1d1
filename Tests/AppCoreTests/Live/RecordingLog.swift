import AppCore
import Synchronization

/// A log that keeps its lines.
final class RecordingLog: LogSink {
  /// One line.
  struct Line: Sendable, Equatable {
    /// How serious it is.
    enum Level: String, Sendable {
      case info, error, debug
    }

    /// How serious it is.
    let level: Level
    /// The text; for errors followed by a colon and the error's description.
    let text: String

    /// A line from its parts.
    init(_ level: Level, _ text: String) {
      self.level = level
      self.text = text
    }
  }

  private let kept = Mutex<[Line]>([])

  /// An empty log.
  init() {}

  /// The lines so far, first written first.
  var lines: [Line] { kept.withLock { $0 } }

  /// Keeps the message.
  func info(_ message: String) { add(Line(.info, message)) }

  /// Keeps the message and the error.
  func error(_ message: String, _ error: (any Error)?) {
    add(Line(.error, error.map { "\(message): \($0)" } ?? message))
  }

  /// Keeps the message.
  func debug(_ message: String) { add(Line(.debug, message)) }

  private func add(_ line: Line) { kept.withLock { $0.append(line) } }
}
