/// How often to detect.
public enum PerformanceLevel: String, Sendable, CaseIterable {
  case low, normal, high
  /// As often as the device's health allows.
  case automatic = "auto"

  /// Time between detections at a health score.
  public func interval(score: Double) -> Duration {
    switch self {
    case .low: .milliseconds(600)
    case .normal: .milliseconds(300)
    case .high: .milliseconds(150)
    case .automatic: .nearest(seconds: min(max(0.3 / score, 0.15), 0.6))
    }
  }
}

/// The device's health as one number.
package enum HealthScore {
  /// The range of scores.
  package static let range = 0.3...1.0
  /// Below this charge a device without mains power saves energy.
  package static let lowBattery = 0.2

  /// 1 for a cool device with power and memory, less by a factor for each trouble, at least 0.3.
  package static func score(_ reading: HealthReading, memory: MemoryPressure) -> Double {
    var score =
      switch reading.thermal {
      case .nominal: 1.0
      case .fair: 0.9
      case .serious: 0.7
      case .critical: 0.5
      }
    if !reading.isPluggedIn, let battery = reading.battery, battery < lowBattery { score *= 0.7 }
    if memory >= .high { score *= 0.7 }
    return min(max(score, range.lowerBound), range.upperBound)
  }
}

/// The detection rate that the device's health and memory allow.
public struct PerformanceState: Sendable, Equatable {
  /// The device's health: 1 without heat, low battery or memory pressure, 0.3 at the least.
  public let score: Double
  /// Time between detections.
  public let interval: Duration
  /// Whether detections run at all: not while heat or memory is critical.
  public let canProcess: Bool
}

/// Follows health and memory, and says when what the loop may do changes.
package struct AdaptivePerformance: Sendable, Equatable {
  /// The chosen level; takes effect at the next update.
  package var level: PerformanceLevel
  /// The current limits of the loop.
  package private(set) var state: PerformanceState

  /// The state of a healthy device.
  package init(level: PerformanceLevel = .normal) {
    self.level = level
    state = Self.state(level: level, reading: HealthReading(), memory: .normal)
  }

  /// Takes in a reading; returns the state if it changed.
  package mutating func update(_ reading: HealthReading, memory: MemoryPressure) -> PerformanceState? {
    let next = Self.state(level: level, reading: reading, memory: memory)
    guard next != state else { return nil }
    state = next
    return next
  }

  /// Computes the loop's limits from a level, a health reading and the memory pressure.
  package static func state(
    level: PerformanceLevel, reading: HealthReading, memory: MemoryPressure
  ) -> PerformanceState {
    let score = HealthScore.score(reading, memory: memory)
    return PerformanceState(
      score: score, interval: level.interval(score: score),
      canProcess: reading.thermal < .critical && memory < .critical)
  }
}
