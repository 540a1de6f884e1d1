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
