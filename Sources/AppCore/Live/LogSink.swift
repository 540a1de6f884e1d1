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
public final class RecordingLog: LogSink {
  /// One line.
  public struct Line: Sendable, Equatable {
    /// How serious it is.
    public enum Level: String, Sendable {
      case info, error, debug
    }

    /// How serious it is.
    public let level: Level
    /// The text; for errors with the error's description behind a colon.
    public let text: String

    /// A line from its parts.
    public init(_ level: Level, _ text: String) {
      self.level = level
      self.text = text
    }
  }

  private let kept = Mutex<[Line]>([])

  /// An empty log.
  public init() {}

  /// The lines so far, first written first.
  public var lines: [Line] { kept.withLock { $0 } }

  /// Keeps the message.
  public func info(_ message: String) { add(Line(.info, message)) }

  /// Keeps the message and the error.
  public func error(_ message: String, _ error: (any Error)?) {
    add(Line(.error, error.map { "\(message): \($0)" } ?? message))
  }

  /// Keeps the message.
  public func debug(_ message: String) { add(Line(.debug, message)) }

  private func add(_ line: Line) { kept.withLock { $0.append(line) } }
}
