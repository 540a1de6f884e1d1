/// Lets one detection run at a time and keeps their starts apart.
package struct DetectionThrottle: Sendable, Equatable {
  /// Least time between two starts.
  package var interval: Duration
  /// Whether a detection runs.
  package private(set) var isProcessing = false
  /// When the latest detection started.
  package private(set) var lastStart: Duration?

  /// An idle throttle.
  package init(interval: Duration = .milliseconds(300)) { self.interval = interval }

  /// Starts a detection if none runs and the latest started at least `interval` ago; false if it may not start.
  package mutating func begin(at now: Duration) -> Bool {
    guard !isProcessing else { return false }
    if let lastStart, now - lastStart < interval { return false }
    isProcessing = true
    lastStart = now
    return true
  }

  /// Ends the detection that runs.
  package mutating func finish() { isProcessing = false }
}
