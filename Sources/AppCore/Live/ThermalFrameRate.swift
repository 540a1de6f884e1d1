/// Halves the frame rate of a hot device until it has been cool for a while.
package struct ThermalFrameRate: Sendable, Equatable {
  /// Frames per second of a cool device.
  package static let full = 60
  /// Frames per second from `serious` on.
  package static let reduced = 30
  /// How long the device must be at most `fair` before the full rate returns.
  package static let coolingTime = Duration.seconds(10)

  /// Frames per second now.
  package private(set) var framesPerSecond = ThermalFrameRate.full
  private var coolSince: Duration?

  /// The full rate.
  package init() {}

  /// When the full rate returns if the device stays cool; nil if it is there or the device is hot.
  package var recoveryTime: Duration? { coolSince.map { $0 + Self.coolingTime } }

  /// Takes in the thermal state; returns the rate if it changed.
  package mutating func update(_ thermal: ThermalState, at now: Duration) -> Int? {
    if thermal >= .serious {
      coolSince = nil
      return change(to: Self.reduced)
    }
    guard framesPerSecond == Self.reduced else { return nil }
    let since = coolSince ?? now
    coolSince = since
    guard now - since >= Self.coolingTime else { return nil }
    coolSince = nil
    return change(to: Self.full)
  }

  private mutating func change(to rate: Int) -> Int? {
    guard rate != framesPerSecond else { return nil }
    framesPerSecond = rate
    return rate
  }
}

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
