import FileFormats

/// How evenly frames follow each other.
public struct JitterReport: Sendable, Equatable {
  /// Intervals between frames.
  public let count: Int
  /// Median interval (nearest rank).
  public let p50: Duration
  /// The interval that 95 % of all do not exceed.
  public let p95: Duration
  /// The interval that 99 % of all do not exceed.
  public let p99: Duration

  /// The report on intervals in any order; nil if there are none.
  public init?(intervals: [Duration]) {
    guard !intervals.isEmpty else { return nil }
    let sorted = intervals.sorted()
    func rank(_ percent: Int) -> Duration { sorted[(percent * sorted.count + 99) / 100 - 1] }
    count = sorted.count
    p50 = rank(50)
    p95 = rank(95)
    p99 = rank(99)
  }

  /// The figures in milliseconds, to the microsecond.
  package var json: JSONValue {
    func milliseconds(_ value: Duration) -> JSONValue { .rounded(value.inSeconds * 1000, decimals: 3) }
    return [
      "count": .integer(count), "p50": milliseconds(p50), "p95": milliseconds(p95), "p99": milliseconds(p99),
    ]
  }
}

/// Collects the latest intervals between frames.
package struct JitterRecorder: Sendable {
  /// The most intervals kept.
  package let capacity: Int
  private var intervals: [Duration] = []
  private var oldest = 0
  private var last: Duration?

  /// An empty recorder; by default it keeps a minute at 60 frames a second.
  ///
  /// - Precondition: `capacity` is positive.
  package init(capacity: Int = 3600) {
    precondition(capacity > 0, "a recorder keeps at least one interval")
    self.capacity = capacity
  }

  /// Notes a frame.
  package mutating func record(at now: Duration) {
    defer { last = now }
    guard let last else { return }
    if intervals.count < capacity {
      intervals.append(now - last)
    } else {
      intervals[oldest] = now - last
      oldest = (oldest + 1) % capacity
    }
  }

  /// The report on what is kept; nil before the second frame.
  package var report: JitterReport? { JitterReport(intervals: intervals) }
}
