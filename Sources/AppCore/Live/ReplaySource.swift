import Synchronization

/// A clock that shows the time of the frame last taken; waiting on it returns at once.
///
/// With `LiveConfiguration.Scheduling.lockstep` the same recording gives the same pictures, as fast as the machine can.
public final class ReplayClock: TimeSource {
  private let stored = Mutex(Duration.zero)

  /// A clock at zero.
  public init() {}

  /// The time shown.
  public var now: Duration { stored.withLock { $0 } }

  /// Moves on to `time`; never back.
  package func move(to time: Duration) { stored.withLock { $0 = max($0, time) } }

  /// Returns at once: what would be waited for has no length in a replay.
  ///
  /// - Throws: `CancellationError` where the task is cancelled.
  public func sleep(for duration: Duration) async throws {
    try Task.checkCancellation()
    await Task.yield()
  }
}

/// A recording as a camera: on its own timestamps, at a fixed rate, or as fast as it is taken, several times over if
/// asked.
public final class ReplaySource: FrameSource {
  /// State that all streams share.
  private struct Reading {
    var decoding = Duration.zero
    /// Frames that were decoded before the first is due; empty unless asked for.
    var kept: [CapturedFrame?] = []
    /// Why frames cannot be read, by their place among those that are played.
    var failures: [Int: CaptureError] = [:]
  }

  /// Where a stream is.
  private final class Position: Sendable {
    private let state = Mutex((next: 0, start: Duration?.none))

    func take() -> Int {
      state.withLock { state in
        defer { state.next += 1 }
        return state.next
      }
    }

    /// The time of the first frame, which is `now` where there was none before.
    func start(now: Duration) -> Duration {
      state.withLock { state in
        let start = state.start ?? now
        state.start = start
        return start
      }
    }
  }

  private let capture: any CaptureSource
  private let indices: [Int]
  /// Timestamps of the frames at `indices`.
  private let timestamps: [Double]
  private let framesPerSecond: Double?
  private let decodesFirst: Bool
  /// nil waits for timestamps on `time`.
  private let clock: ReplayClock?
  private let time: any TimeSource
  private let reading = Mutex(Reading())

  /// How many frames there are to play.
  public let count: Int

  /// A source over frames of a recording.
  ///
  /// - Parameters:
  ///   - capture: The recording, as `CaptureReader.open` gives it.
  ///   - indices: Positions in `capture.frames`, in the order to be played; nil for all.
  ///   - repeats: How often they are played, one after the other; at least once.
  ///   - framesPerSecond: The rate of frames; nil to follow their timestamps.
  ///   - decodesFirst: Whether all frames are read before the first one is due, and kept: a camera has its pictures in
  ///     memory too.
  ///   - clock: Where given, frames come as they are taken and the clock is set to their times; else they come at
  ///     the distances of their timestamps, in seconds, on `time`. A session of such a source takes its time from the
  ///     same clock.
  ///   - time: The clock to wait on.
  /// - Precondition: Positions are those of frames, and `framesPerSecond` is positive and finite.
  public init(
    _ capture: any CaptureSource, indices: [Int]? = nil, repeats: Int = 1, framesPerSecond: Double? = nil,
    decodesFirst: Bool = false, clock: ReplayClock? = nil, time: any TimeSource = SystemTime()
  ) {
    let frames = capture.frames.indices
    self.indices = indices ?? Array(frames)
    precondition(self.indices.allSatisfy(frames.contains), "a replay plays frames of its capture")
    precondition(framesPerSecond.map { $0 > 0 && $0.isFinite } ?? true, "a rate is positive and finite")
    let (count, overflows) = self.indices.count.multipliedReportingOverflow(by: max(1, repeats))
    self.count = overflows ? .max : count
    timestamps = self.indices.map { capture.frames[$0].timestamp }
    self.capture = capture
    self.framesPerSecond = framesPerSecond
    self.decodesFirst = decodesFirst
    self.clock = clock
    self.time = clock ?? time
  }

  /// Time spent on reading and decoding so far.
  public var decoding: Duration { reading.withLock(\.decoding) }

  /// The recording from its first frame.
  ///
  /// A frame that cannot be read is passed over; where none can be, the stream ends with its `CaptureError`.
  public func frames() -> AsyncThrowingStream<CapturedFrame, any Error> {
    let position = Position()
    return AsyncThrowingStream { try await self.next(position) }
  }

  /// The frames that could not be read so far, in order.
  public var unreadable: [SkippedFrame] {
    reading.withLock(\.failures).sorted { $0.key < $1.key }.map { index, error in
      SkippedFrame(name: capture.frames[indices[index]].name, reason: "\(error)")
    }
  }

  private func next(_ position: Position) async throws -> CapturedFrame? {
    var number = 0
    var read: CapturedFrame?
    while read == nil {
      number = position.take()
      guard number < count else { break }
      read = frame(number % indices.count)
    }
    guard let frame = read else {
      let failures = reading.withLock(\.failures)
      if let first = failures[0], failures.count == indices.count { throw first }
      return nil
    }
    let due =
      framesPerSecond.map { .nearest(seconds: min(Double(number) / $0, Self.longestReplay)) }
      ?? Self.due(number, timestamps: timestamps)
    let start = position.start(now: time.now)
    if let clock {
      clock.move(to: start + due)
    } else {
      try await time.sleep(for: max(start + due - time.now, .zero))
    }
    return frame
  }

  private func frame(_ index: Int) -> CapturedFrame? {
    let kept = reading.withLock(\.kept)
    if !kept.isEmpty { return kept[index] }
    let watch = ContinuousClock.now
    let frames = (decodesFirst ? Array(indices.indices) : [index]).map { place -> CapturedFrame? in
      do throws(CaptureError) {
        return try capture.frame(at: indices[place])
      } catch {
        reading.withLock { $0.failures[place] = error }
        return nil
      }
    }
    let took = ContinuousClock.now - watch
    reading.withLock { reading in
      reading.decoding += took
      if decodesFirst { reading.kept = frames }
    }
    return frames[decodesFirst ? index : 0]
  }

  /// When a frame comes, from the first one on; each round begins one mean distance after the last one's end.
  static func due(_ number: Int, timestamps: [Double]) -> Duration {
    let (round, index) = number.quotientAndRemainder(dividingBy: timestamps.count)
    func seconds(_ place: Int) -> Double {
      let offset = timestamps[place] - timestamps[0]
      return offset.isNaN ? 0 : min(max(offset, 0), longestRecording)
    }
    let length = seconds(timestamps.count - 1)
    let gap = timestamps.count > 1 ? length / Double(timestamps.count - 1) : 1.0 / 30
    return .nearest(seconds: min(Double(round) * (length + gap) + seconds(index), longestReplay))
  }

  /// Seconds; later timestamps count as this.
  private static let longestRecording = 86_400.0
  /// Seconds; what would come later comes then.
  private static let longestReplay = 1e9
}
