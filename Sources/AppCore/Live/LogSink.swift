import Synchronization

/// Where the live loop writes what it does.
public protocol LogSink: Sendable {
  /// Something worth knowing.
  func info(_ message: String)
  /// Something went wrong.
  func error(_ message: String, _ error: (any Error)?)
  /// Something that only helps to find a fault.
  func debug(_ message: String)
}

/// A log that forgets everything.
public struct SilentLog: LogSink {
  /// The log.
  public init() {}
  /// Nothing.
  public func info(_ message: String) {}
  /// Nothing.
  public func error(_ message: String, _ error: (any Error)?) {}
  /// Nothing.
  public func debug(_ message: String) {}
}

/// A log that keeps its lines.
package final class RecordingLog: LogSink {
  /// One line.
  package struct Line: Sendable, Equatable {
    /// How serious it is.
    package enum Level: String, Sendable {
      case info, error, debug
    }

    /// How serious it is.
    package let level: Level
    /// The text; for errors followed by a colon and the error's description.
    package let text: String

    /// A line from its parts.
    package init(_ level: Level, _ text: String) {
      self.level = level
      self.text = text
    }
  }

  private let kept = Mutex<[Line]>([])

  /// An empty log.
  package init() {}

  /// The lines so far, first written first.
  package var lines: [Line] { kept.withLock { $0 } }

  /// Keeps the message.
  package func info(_ message: String) { add(Line(.info, message)) }

  /// Keeps the message and the error.
  package func error(_ message: String, _ error: (any Error)?) {
    add(Line(.error, error.map { "\(message): \($0)" } ?? message))
  }

  /// Keeps the message.
  package func debug(_ message: String) { add(Line(.debug, message)) }

  private func add(_ line: Line) { kept.withLock { $0.append(line) } }
}
