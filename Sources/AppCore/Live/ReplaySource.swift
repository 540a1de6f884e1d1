import Synchronization

/// A clock that shows the time of the frame last taken; waiting on it returns at once.
package final class ReplayClock: TimeSource {
  private let stored = Mutex(Duration.zero)

  /// A clock at zero.
  package init() {}

  /// The time shown.
  package var now: Duration { stored.withLock { $0 } }

  /// Moves on to `time`; never back.
  package func move(to time: Duration) { stored.withLock { $0 = max($0, time) } }

  /// Returns at once: what would be waited for has no length in a replay.
  package func sleep(for duration: Duration) async throws {
    try Task.checkCancellation()
    await Task.yield()
  }
}

/// A recording as a camera: on its own timestamps, at a fixed rate, or as fast as it is taken, several times over if
/// asked.
package final class ReplaySource: FrameSource {
  private struct Position {
    var next = 0
    var decoding = Duration.zero
    /// The clock at the first frame.
    var start: Duration?
    /// Frames that were decoded before the first is due; empty unless asked for.
    var kept: [CapturedFrame?] = []
    /// Why frames cannot be read, by their place among those that are played.
    var failures: [Int: CaptureError] = [:]
  }

  private let capture: any CaptureSource
  private let indices: [Int]
  private let repeats: Int
  private let framesPerSecond: Double?
  private let decodesFirst: Bool
  /// nil waits for timestamps on `time`.
  private let clock: ReplayClock?
  private let time: any TimeSource
  private let position = Mutex(Position())

  /// A source over some frames of a recording.
  ///
  /// - `indices`: Positions in `capture.frames`, in the order to be played.
  /// - `repeats`: How often they are played, one after the other.
  /// - `framesPerSecond`: Where given, frames come at this rate, whatever their timestamps.
  /// - `decodesFirst`: Whether all frames are read before the first one is due, and kept: a camera has its pictures in
  ///   memory too.
  /// - `clock`: Where given, frames come as they are taken and the clock is set to their times; else they come at
  ///   the distances of their timestamps on `time`.
  package init(
    _ capture: any CaptureSource, indices: [Int], repeats: Int = 1, framesPerSecond: Double? = nil,
    decodesFirst: Bool = false, clock: ReplayClock? = nil, time: any TimeSource = SystemTime()
  ) {
    self.capture = capture
    self.indices = indices
    self.repeats = max(1, repeats)
    self.framesPerSecond = framesPerSecond
    self.decodesFirst = decodesFirst
    self.clock = clock
    self.time = clock ?? time
  }

  /// How many frames there are to play.
  package var count: Int { indices.count * repeats }

  /// Time spent on reading and decoding so far.
  package var decoding: Duration { position.withLock(\.decoding) }

  /// The frames, to be asked for once.
  ///
  /// A frame that cannot be read is passed over; where none can be, the stream ends with its `CaptureError`.
  package func frames() -> AsyncThrowingStream<CapturedFrame, any Error> {
    AsyncThrowingStream { try await self.next() }
  }

  /// The frames that could not be read so far, in order.
  package var unreadable: [SkippedFrame] {
    position.withLock(\.failures).sorted { $0.key < $1.key }.map { index, error in
      SkippedFrame(name: capture.frames[indices[index]].name, reason: "\(error)")
    }
  }

  private func next() async throws -> CapturedFrame? {
    var number = 0
    var read: CapturedFrame?
    while read == nil {
      number = position.withLock { position -> Int in
        defer { position.next += 1 }
        return position.next
      }
      guard number < count else { break }
      read = frame(number % indices.count)
    }
    guard let frame = read else {
      let failures = position.withLock(\.failures)
      if let first = failures[0], failures.count == indices.count { throw first }
      return nil
    }
    let due =
      framesPerSecond.map { .nearest(seconds: Double(number) / $0) }
      ?? Self.due(number, timestamps: indices.map { capture.frames[$0].timestamp })
    let start = position.withLock { position -> Duration in
      let start = position.start ?? time.now
      position.start = start
      return start
    }
    if let clock {
      clock.move(to: start + due)
    } else {
      try await time.sleep(for: max(start + due - time.now, .zero))
    }
    return frame
  }

  private func frame(_ index: Int) -> CapturedFrame? {
    let kept = position.withLock(\.kept)
    if !kept.isEmpty { return kept[index] }
    let watch = ContinuousClock.now
    let frames = (decodesFirst ? Array(indices.indices) : [index]).map { place -> CapturedFrame? in
      do throws(CaptureError) {
        return try capture.frame(at: indices[place])
      } catch {
        position.withLock { $0.failures[place] = error }
        return nil
      }
    }
    let took = ContinuousClock.now - watch
    position.withLock { position in
      position.decoding += took
      if decodesFirst { position.kept = frames }
    }
    return frames[decodesFirst ? index : 0]
  }

  /// When a frame comes, from the first one on; each round begins one mean distance after the last one's end.
  static func due(_ number: Int, timestamps: [Double]) -> Duration {
    let (round, index) = number.quotientAndRemainder(dividingBy: timestamps.count)
    let length = min(max(timestamps[timestamps.count - 1] - timestamps[0], 0), longestRecording)
    let gap = timestamps.count > 1 ? length / Double(timestamps.count - 1) : 1.0 / 30
    let offset = min(max(timestamps[index] - timestamps[0], 0), longestRecording)
    return .nearest(seconds: min(Double(round) * (length + gap) + offset, 1e9))
  }

  /// Seconds; later timestamps count as this.
  private static let longestRecording = 86_400.0
}
