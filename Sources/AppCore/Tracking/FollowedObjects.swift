import Geometry
import Imaging

/// An object that is followed from detection to detection.
public struct TrackedObject: Sendable, Equatable, Identifiable {
  /// Its identity, from 1: stays the same as long as the object is followed; never used again.
  public let id: Int
  /// The index of the class, by the latest sighting, in the detector's list.
  public internal(set) var classId: Int
  /// The class's name.
  public internal(set) var className: String
  /// Confidence of the latest sighting.
  public internal(set) var confidence: Float
  /// The smoothed box at the latest sighting.
  public internal(set) var box: Rect<ImagePixels>
  /// The detection of the latest sighting, by its `id` among those of that frame.
  public internal(set) var detectionId: Int
  /// When it was first seen.
  public let firstSeen: Duration
  /// When it was last seen.
  public internal(set) var lastSeen: Duration
  /// How often it was seen.
  public internal(set) var sightings: Int
}

/// The objects that the live loop's tracker follows, and those it remembers after they left the view.
package struct FollowedObjects: Sendable {
  /// The objects, first seen first.
  package private(set) var objects: [TrackedObject] = []
  private let lifetime: Duration
  private var tracker: MultiObjectTracker
  private var latestUpdate: Duration?

  /// No objects yet; those not seen for longer than `lifetime` are forgotten.
  package init(_ rules: TrackingRules = .live, lifetime: Duration = TrackingRules.liveLifetime) {
    self.lifetime = lifetime
    tracker = MultiObjectTracker(rules)
  }

  /// Takes in the detections of one picture and forgets what is too old.
  ///
  /// - Parameters:
  ///   - detections: The picture's detections.
  ///   - now: The time.
  ///   - image: The picture, by which the tracker finds the camera's motion if its rules ask for it.
  /// - Returns: the detections, each with the identity of its object, if it has one.
  package mutating func update(
    _ detections: [Detection], at now: Duration, in image: RGBImage? = nil
  ) -> [Detection] {
    expire(at: now)
    latestUpdate = now
    let identities = tracker.update(detections, in: image)
    for (detection, identity) in zip(detections, identities) {
      if let identity { see(detection, as: identity, at: now) }
    }
    // Of those that are there twice the tracker follows one.
    objects.removeAll { tracker.box(of: $0.id) == nil }
    return zip(detections, identities).map { detection, identity in
      var detection = detection
      detection.track = identity
      return detection
    }
  }

  /// Forgets objects not seen for longer than their lifetime.
  package mutating func expire(at now: Duration) { drop(olderThan: lifetime, at: now) }

  /// Forgets objects not seen for longer than `age`.
  package mutating func drop(olderThan age: Duration, at now: Duration) {
    forget { now - $0.lastSeen > age }
  }

  /// Forgets all objects that the latest update did not see.
  package mutating func dropAllButCurrent() {
    let latest = latestUpdate
    forget { $0.lastSeen != latest }
  }

  private mutating func forget(_ isOld: (TrackedObject) -> Bool) {
    tracker.forget(Set(objects.filter(isOld).map(\.id)))
    objects.removeAll(where: isOld)
  }

  private mutating func see(_ detection: Detection, as identity: Int, at now: Duration) {
    guard let index = objects.firstIndex(where: { $0.id == identity }) else {
      objects.append(
        TrackedObject(
          id: identity, classId: detection.classId, className: detection.className,
          confidence: detection.confidence, box: detection.box, detectionId: detection.id,
          firstSeen: now, lastSeen: now, sightings: 1))
      return
    }
    objects[index].box = tracker.box(of: identity).map(Rect.init) ?? detection.box
    objects[index].classId = detection.classId
    objects[index].className = detection.className
    objects[index].confidence = detection.confidence
    objects[index].detectionId = detection.id
    objects[index].lastSeen = now
    objects[index].sightings += 1
  }
}

extension Rect<ImagePixels> {
  fileprivate init(_ box: TrackedBox) {
    self.init(
      minX: Double(box.minX), minY: Double(box.minY), maxX: Double(box.maxX), maxY: Double(box.maxY))
  }
}
