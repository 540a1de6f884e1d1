import AppCore
import Synchronization

/// What follows the objects of each source of a run from frame to frame; a source's frames come one after the other.
final class SequenceTracks: Sendable {
  /// A tracker that follows nothing yet.
  private let first: MultiObjectTracker
  private let trackers = Mutex<[Int: MultiObjectTracker]>([:])

  /// nil where no tracker is asked for.
  init?(_ options: TrackingOptions) {
    guard let first = options.tracker() else { return nil }
    self.first = first
  }

  /// The detections of a source's next frame that are followed, with their identities.
  func followed(_ detections: [Detection], source: Int) -> [Detection] {
    trackers.withLock { $0[source, default: first].followed(detections) }
  }
}
