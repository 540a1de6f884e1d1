/// How close the loop is to its memory budget.
public enum MemoryPressure: String, Sendable, CaseIterable, Comparable {
  case normal, medium, high, critical

  /// The percentage of the budget from which on the level holds.
  public var entryPercent: Int {
    switch self {
    case .normal: 0
    case .medium: 60
    case .high: 80
    case .critical: 95
    }
  }

  /// Lower pressure comes first.
  public static func < (a: MemoryPressure, b: MemoryPressure) -> Bool { a.entryPercent < b.entryPercent }

  /// The actions that free memory at this level, in order.
  package var actions: [MemoryAction] {
    switch self {
    case .normal: []
    case .medium: [.dropObjects(olderThan: .seconds(20))]
    case .high: [.clearInactiveOverlays, .dropObjects(olderThan: .seconds(10))]
    case .critical: [.keepOnlyActiveOverlay, .dropAllButCurrentObjects]
    }
  }
}

/// Something that frees memory.
package enum MemoryAction: Sendable, Equatable, CustomStringConvertible {
  /// Forget objects not seen for longer.
  case dropObjects(olderThan: Duration)
  /// Drop the cached overlays that are not shown.
  case clearInactiveOverlays
  /// Keep the film that is shown and free every other one.
  case keepOnlyActiveOverlay
  /// Forget every object that the latest picture did not show.
  case dropAllButCurrentObjects

  /// The action in a word and a number.
  package var description: String {
    switch self {
    case .dropObjects(let age): "dropObjects>\(age.components.seconds)s"
    case .clearInactiveOverlays: "clearInactiveOverlays"
    case .keepOnlyActiveOverlay: "keepOnlyActiveOverlay"
    case .dropAllButCurrentObjects: "dropAllButCurrentObjects"
    }
  }
}

/// Turns memory readings into pressure levels, with a margin before a level is left again.
package struct MemoryWatch: Sendable, Equatable {
  /// Percent of the budget below a level's entry at which it is left.
  package static let hysteresisPercent = 5
  /// 200 MB, neither networks nor mapped weights counted.
  package static let defaultBudget = 200_000_000

  /// Bytes the loop should stay under.
  package let budget: Int
  /// The level now.
  package private(set) var pressure = MemoryPressure.normal

  /// A watch at normal pressure.
  ///
  /// - Precondition: `budget` is positive.
  package init(budget: Int = MemoryWatch.defaultBudget) {
    precondition(budget > 0, "a memory budget is positive")
    self.budget = budget
  }

  /// Takes in a reading; returns the level if it changed.
  package mutating func update(bytes: Int) -> MemoryPressure? {
    let percent = Double(bytes) * 100 / Double(budget)
    let reached = MemoryPressure.allCases.last { percent >= Double($0.entryPercent) } ?? .normal
    let held =
      MemoryPressure.allCases.last {
        $0 <= pressure && percent >= Double($0.entryPercent - Self.hysteresisPercent)
      } ?? .normal
    let next = max(reached, held)
    guard next != pressure else { return nil }
    pressure = next
    return next
  }
}
