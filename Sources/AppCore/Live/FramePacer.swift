/// Thins out frames to a rate: a frame is taken when its time has come.
package struct FramePacer: Sendable, Equatable {
  /// Frames this much early are taken; sources are never exact.
  package static let slack = Duration.milliseconds(1)

  /// Frames per second that are let through.
  package var framesPerSecond: Int
  private var due: Duration?

  /// A pacer that takes the next frame.
  ///
  /// - Precondition: the rate is positive.
  package init(framesPerSecond: Int) {
    precondition(framesPerSecond > 0, "a frame rate is positive")
    self.framesPerSecond = framesPerSecond
  }

  /// Whether to take the frame that comes now.
  package mutating func take(at now: Duration) -> Bool {
    guard let due else {
      self.due = now + interval
      return true
    }
    guard now >= due - Self.slack else { return false }
    // Due times keep their own grid, so early and late frames do not shift it; a late source starts a new one.
    self.due = now < due + interval ? due + interval : now + interval
    return true
  }

  private var interval: Duration { .nanoseconds(1_000_000_000 / Int64(framesPerSecond)) }
}
