/// Frames per second over the last moments.
package struct FrameRateWindow: Sendable {
  /// How far back frames count.
  package let span: Duration
  private var times: [Duration] = []

  /// An empty window.
  package init(span: Duration = .seconds(1)) { self.span = span }

  /// Notes a frame.
  package mutating func record(at now: Duration) {
    times.append(now)
    forget(before: now - span)
  }

  /// Intervals per second between the frames of the last `span`; 0 with fewer than two.
  package func framesPerSecond(at now: Duration) -> Double {
    let recent = times.drop { $0 <= now - span }
    guard let first = recent.first, let last = recent.last, last > first else { return 0 }
    return Double(recent.count - 1) / (last - first).inSeconds
  }

  private mutating func forget(before limit: Duration) {
    if let kept = times.firstIndex(where: { $0 > limit }), kept > 0 { times.removeFirst(kept) }
  }
}
