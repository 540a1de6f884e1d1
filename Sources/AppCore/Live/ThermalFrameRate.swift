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
