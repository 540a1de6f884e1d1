import Synchronization

/// Measures the running loop.
public protocol PerformanceMonitor: Sendable {
  /// Begins to measure; nothing if it has begun.
  func start()
  /// Ends and forgets; nothing if it has not begun.
  func stop()
  /// Notes a frame that was shown; nothing while stopped.
  func frameShown()
  /// Frames per second over the last second; 0 while stopped.
  var currentFPS: Double { get }
  /// Resident memory in megabytes of 10^6 bytes; nil where the platform does not say.
  var memoryUsageMB: Double? { get }
}

/// The monitor over an injected clock and memory probe.
public final class WindowPerformanceMonitor: PerformanceMonitor {
  private let time: any TimeSource
  private let memory: any MemoryProbe
  /// Nil while stopped.
  private let window = Mutex<FrameRateWindow?>(nil)

  /// A stopped monitor.
  public init(time: any TimeSource, memory: any MemoryProbe) {
    self.time = time
    self.memory = memory
  }

  /// Begins to measure.
  public func start() { window.withLock { if $0 == nil { $0 = FrameRateWindow() } } }

  /// Ends and forgets.
  public func stop() { window.withLock { $0 = nil } }

  /// Whether it measures.
  public var isRunning: Bool { window.withLock { $0 != nil } }

  /// Notes a frame.
  public func frameShown() { window.withLock { $0?.record(at: time.now) } }

  /// Frames per second over the last second.
  public var currentFPS: Double { window.withLock { $0?.framesPerSecond(at: time.now) } ?? 0 }

  /// Resident memory in megabytes.
  public var memoryUsageMB: Double? { memory.residentBytes().map { Double($0) / 1e6 } }
}
