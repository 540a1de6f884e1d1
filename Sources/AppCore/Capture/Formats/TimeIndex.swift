import Geometry

/// A pose of a trajectory, or why it is invalid: the frame that it belongs to is then damaged.
typealias StatedPose = Result<RigidTransform<CameraARKit, World>, CaptureError>

/// Values by time, found by the nearest.
struct TimeIndex<Value: Sendable>: Sendable {
  private let entries: [(time: Double, value: Value)]

  init(_ entries: [(time: Double, value: Value)]) { self.entries = entries.sorted { $0.time < $1.time } }

  /// The value nearest in time, if it is not further than `tolerance` seconds.
  func nearest(to time: Double, within tolerance: Double) -> Value? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].time < time { low = middle + 1 } else { high = middle }
    }
    let candidates = [low - 1, low].filter(entries.indices.contains)
    let best = candidates.min { abs(entries[$0].time - time) < abs(entries[$1].time - time) }
    guard let best, abs(entries[best].time - time) <= tolerance else { return nil }
    return entries[best].value
  }
}
