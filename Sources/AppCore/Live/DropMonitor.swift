/// Counts dropped frames and raises an alarm when many are dropped for long.
package struct DropMonitor: Sendable {
  /// When the alarm sounds.
  package struct Rules: Sendable, Equatable {
    /// The share of drops is taken over this time.
    package var window = Duration.seconds(1)
    /// A greater share is too much.
    package var share = 0.05
    /// Too much for this long raises the alarm.
    package var patience = Duration.seconds(5)

    /// The defaults: more than 5 % of the last second's frames, for 5 s.
    package init() {}
  }

  private struct Frame: Sendable {
    let time: Duration
    let isDropped: Bool
  }

  /// When the alarm sounds.
  package let rules: Rules
  /// Frames so far, dropped ones among them.
  package private(set) var total = 0
  /// Dropped frames so far.
  package private(set) var dropped = 0
  /// Whether the alarm sounds.
  package private(set) var isAlarming = false
  /// Frames of the window from `oldest` on; those before it wait to be removed together.
  private var recent: [Frame] = []
  private var oldest = 0
  private var recentDrops = 0
  private var tooMuchSince: Duration?

  /// A monitor that has seen nothing.
  package init(rules: Rules = Rules()) { self.rules = rules }

  /// Share of dropped frames in the window up to the latest frame, in [0, 1].
  package var rate: Double {
    recent.count == oldest ? 0 : Double(recentDrops) / Double(recent.count - oldest)
  }

  /// Takes in a frame; true or false if the alarm has just been raised or ended.
  package mutating func record(dropped isDropped: Bool, at now: Duration) -> Bool? {
    total += 1
    recent.append(Frame(time: now, isDropped: isDropped))
    if isDropped {
      dropped += 1
      recentDrops += 1
    }
    forget(before: now - rules.window)
    tooMuchSince = rate > rules.share ? tooMuchSince ?? now : nil
    let isTooLong = tooMuchSince.map { now - $0 >= rules.patience } ?? false
    guard isTooLong != isAlarming else { return nil }
    isAlarming = isTooLong
    return isTooLong
  }

  private mutating func forget(before limit: Duration) {
    while oldest < recent.count - 1, recent[oldest].time <= limit {
      if recent[oldest].isDropped { recentDrops -= 1 }
      oldest += 1
    }
    if oldest > recent.count / 2 {
      recent.removeFirst(oldest)
      oldest = 0
    }
  }
}
