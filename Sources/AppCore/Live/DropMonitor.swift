/// Counts dropped frames and raises an alarm when many are dropped for long.
public struct DropMonitor: Sendable {
  /// When the alarm sounds.
  public struct Rules: Sendable, Equatable {
    /// The share of drops is taken over this time.
    public var window = Duration.seconds(1)
    /// A greater share is too much.
    public var share = 0.05
    /// Too much for this long raises the alarm.
    public var patience = Duration.seconds(5)

    /// The defaults: more than 5 % of the last second's frames, for 5 s.
    public init() {}
  }

  private struct Frame: Sendable {
    let time: Duration
    let isDropped: Bool
  }

  /// When the alarm sounds.
  public let rules: Rules
  /// Frames so far, dropped ones among them.
  public private(set) var total = 0
  /// Dropped frames so far.
  public private(set) var dropped = 0
  /// Whether the alarm sounds.
  public private(set) var isAlarming = false
  private var recent: [Frame] = []
  private var tooMuchSince: Duration?

  /// A monitor that has seen nothing.
  public init(rules: Rules = Rules()) { self.rules = rules }

  /// Share of dropped frames in the window up to the latest frame, in [0, 1].
  public var rate: Double {
    recent.isEmpty ? 0 : Double(recent.count(where: \.isDropped)) / Double(recent.count)
  }

  /// Takes in a frame; true or false if the alarm has just been raised or ended.
  public mutating func record(dropped isDropped: Bool, at now: Duration) -> Bool? {
    total += 1
    if isDropped { dropped += 1 }
    recent.append(Frame(time: now, isDropped: isDropped))
    if let kept = recent.firstIndex(where: { $0.time > now - rules.window }), kept > 0 {
      recent.removeFirst(kept)
    }
    tooMuchSince = rate > rules.share ? tooMuchSince ?? now : nil
    let isTooLong = tooMuchSince.map { now - $0 >= rules.patience } ?? false
    guard isTooLong != isAlarming else { return nil }
    isAlarming = isTooLong
    return isTooLong
  }
}
