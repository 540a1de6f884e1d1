/// A change of what the loop may do, caused by heat, power or memory.
package enum ConditionChange: Sendable, Equatable {
  /// The memory pressure's level; its actions are due.
  case pressure(MemoryPressure)
  /// How often to detect, and whether.
  case performance(PerformanceState)
  /// Frames per second to show.
  case frameRate(Int)
}

/// Health and memory together: what they allow now.
package struct LiveConditions: Sendable, Equatable {
  /// The memory account.
  package private(set) var memory: MemoryWatch
  /// How often to detect.
  package private(set) var performance: AdaptivePerformance
  /// How many frames to show.
  package private(set) var frameRate = ThermalFrameRate()
  /// The latest health.
  package private(set) var health = HealthReading()

  /// A healthy device with free memory.
  package init(level: PerformanceLevel = .normal, memoryBudget: Int = MemoryWatch.defaultBudget) {
    memory = MemoryWatch(budget: memoryBudget)
    performance = AdaptivePerformance(level: level)
  }

  /// Takes in readings, nil where there is none, and returns what changes: memory first, then performance, then
  /// the frame rate.
  package mutating func update(
    health reading: HealthReading? = nil, heldBytes: Int? = nil, at now: Duration
  ) -> [ConditionChange] {
    var changes: [ConditionChange] = []
    if let reading { health = reading }
    if let heldBytes, let pressure = memory.update(bytes: heldBytes) {
      changes.append(.pressure(pressure))
    }
    if let state = performance.update(health, memory: memory.pressure) { changes.append(.performance(state)) }
    if let rate = frameRate.update(health.thermal, at: now) { changes.append(.frameRate(rate)) }
    return changes
  }
}
