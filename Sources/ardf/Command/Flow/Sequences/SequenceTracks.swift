import AppCore
import Imaging
import Synchronization

/// The tracker of the objects of a run's source, from frame to frame; a source's frames come one after the other, and its
/// tracker goes with the last of them.
final class SequenceTracks: Sendable {
  private struct Current {
    let source: Int
    var tracker: MultiObjectTracker
  }

  /// A tracker without tracks.
  private let first: MultiObjectTracker
  private let current = Mutex<Current?>(nil)

  /// nil where no tracker is asked for.
  init?(_ tracker: MultiObjectTracker?) {
    guard let tracker else { return nil }
    first = tracker
  }

  /// The detections of a source's next frame that are followed, with their identities.
  func followed(_ detections: [Detection], in image: RGBImage?, source: Int) -> [Detection] {
    current.withLock { current in
      var own = current.flatMap { $0.source == source ? $0 : nil } ?? Current(source: source, tracker: first)
      defer { current = own }
      return own.tracker.followed(detections, in: image)
    }
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
