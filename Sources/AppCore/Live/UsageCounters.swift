import FileFormats

/// Counts of use, kept on the device and only on request; nothing is ever sent.
public struct UsageCounters: Sendable, Equatable {
  /// A counted kind of event.
  public enum Counter: String, Sendable, CaseIterable {
    case sessions, framesShown, framesDropped, detections, failures
  }

  /// Whether anything is counted; off unless asked for.
  public let isEnabled: Bool
  private var counts: [Counter: Int] = [:]

  /// Counters at zero.
  public init(isEnabled: Bool = false) { self.isEnabled = isEnabled }

  /// Counts one more; nothing while off.
  public mutating func count(_ counter: Counter) {
    if isEnabled { counts[counter, default: 0] += 1 }
  }

  /// The count so far.
  public subscript(counter: Counter) -> Int { counts[counter, default: 0] }

  /// All counts by name; null while off.
  package var json: JSONValue {
    guard isEnabled else { return .null }
    return .object(
      Dictionary(uniqueKeysWithValues: Counter.allCases.map { ($0.rawValue, .integer(self[$0])) }))
  }
}
