import FileFormats

/// A session's endurance: sustained frame rate, peak memory, recovery from critical pressure.
public struct EnduranceFigures: Sendable, Equatable {
  /// Frames shown.
  public private(set) var framesShown = 0
  /// The most bytes held; nil if they were never counted.
  public private(set) var peakBytes: Int?
  /// The longest time from critical pressure to the end of it; nil if it never ended.
  public private(set) var slowestRecovery: Duration?
  private var criticalSince: Duration?

  /// No figures yet.
  package init() {}

  /// Notes a frame that was shown.
  package mutating func frameShown() { framesShown += 1 }

  /// Notes a memory reading and the level that it led to.
  package mutating func memoryRead(bytes: Int, pressure: MemoryPressure, at now: Duration) {
    peakBytes = max(bytes, peakBytes ?? bytes)
    if pressure == .critical {
      criticalSince = criticalSince ?? now
    } else if let since = criticalSince {
      slowestRecovery = max(now - since, slowestRecovery ?? .zero)
      criticalSince = nil
    }
  }

  /// The figures of a session that took `duration`.
  ///
  /// - Precondition: `duration` is positive.
  package func json(duration: Duration) -> JSONValue {
    precondition(duration > .zero, "a session takes time")
    return [
      "sustainedFramesPerSecond": .rounded(Double(framesShown) / duration.inSeconds, decimals: 3),
      "peakMemoryMB": peakBytes.map { .rounded(Double($0) / 1e6, decimals: 3) } ?? .null,
      "recoverySeconds": slowestRecovery.map { .rounded($0.inSeconds, decimals: 6) } ?? .null,
    ]
  }
}
