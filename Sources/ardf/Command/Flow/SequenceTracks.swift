import AppCore
import Imaging
import Synchronization

/// Trackers of the objects of each source of a run, from frame to frame; a source's frames come one after the other.
final class SequenceTracks: Sendable {
  /// A tracker without tracks.
  private let first: MultiObjectTracker
  private let trackers = Mutex<[Int: MultiObjectTracker]>([:])

  /// nil where no tracker is asked for.
  init?(_ tracker: MultiObjectTracker?) {
    guard let tracker else { return nil }
    first = tracker
  }

  /// The detections of a source's next frame that are followed, with their identities.
  func followed(_ detections: [Detection], in image: RGBImage?, source: Int) -> [Detection] {
    trackers.withLock { $0[source, default: first].followed(detections, in: image) }
  }
}

extension MultiObjectTracker {
  /// The detections of the next picture that are followed, with their identities.
  mutating func followed(_ detections: [Detection], in image: RGBImage?) -> [Detection] {
    zip(detections, update(detections, in: image)).compactMap { detection, identity in
      var detection = detection
      detection.track = identity
      return identity == nil ? nil : detection
    }
  }
}
