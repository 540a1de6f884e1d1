import Geometry

/// An object that is followed from detection to detection.
public struct TrackedObject: Sendable, Equatable, Identifiable {
  /// Stays the same as long as the object is followed; never used again.
  public let id: Int
  /// The class's index in the detector's list.
  public let classId: Int
  /// The class's name.
  public let className: String
  /// Confidence of the latest sighting.
  public internal(set) var confidence: Float
  /// The smoothed box.
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

/// Follows objects across detections: greedy association by overlap, smoothed boxes, limited lifetimes.
public struct ObjectTracker: Sendable {
  /// How objects are followed.
  public struct Rules: Sendable, Equatable {
    /// Least intersection over union of a box with its object's smoothed box.
    public var overlap = 0.5
    /// Weight of the new box in the exponential moving average.
    public var smoothing = 0.5
    /// Objects not seen for longer are forgotten.
    public var lifetime = Duration.seconds(30)

    /// The defaults.
    public init() {}
  }

  /// How objects are followed.
  public let rules: Rules
  /// The objects, first seen first.
  public private(set) var objects: [TrackedObject] = []
  private var nextId = 0
  private var latestUpdate: Duration?

  /// A tracker that follows nothing yet.
  public init(rules: Rules = Rules()) { self.rules = rules }

  /// Takes in the detections of one picture and forgets what is too old.
  ///
  /// Pairs of the same class are joined from the greatest overlap down, each object and detection once;
  /// equal overlaps go to the older object, then to the earlier detection. What remains is a new object.
  public mutating func update(_ detections: [Detection], at now: Duration) {
    expire(at: now)
    latestUpdate = now
    var isFree = detections.map { _ in true }
    var isUnseen = objects.map { _ in true }
    for pair in candidatePairs(detections) where isFree[pair.detection] && isUnseen[pair.object] {
      isFree[pair.detection] = false
      isUnseen[pair.object] = false
      see(detections[pair.detection], as: pair.object, at: now)
    }
    for (detection, _) in zip(detections, isFree).filter(\.1) {
      objects.append(
        TrackedObject(
          id: nextId, classId: detection.classId, className: detection.className,
          confidence: detection.confidence, box: detection.box, detectionId: detection.id,
          firstSeen: now, lastSeen: now, sightings: 1))
      nextId += 1
    }
  }

  /// Forgets objects not seen for longer than their lifetime.
  public mutating func expire(at now: Duration) { drop(olderThan: rules.lifetime, at: now) }

  /// Forgets objects not seen for longer than `age`.
  public mutating func drop(olderThan age: Duration, at now: Duration) {
    objects.removeAll { now - $0.lastSeen > age }
  }

  /// Forgets all objects that the latest update did not see.
  public mutating func dropAllButCurrent() {
    objects.removeAll { $0.lastSeen != latestUpdate }
  }

  private struct Pair {
    let overlap: Double
    let object: Int
    let detection: Int
  }

  private func candidatePairs(_ detections: [Detection]) -> [Pair] {
    var pairs: [Pair] = []
    for (index, object) in objects.enumerated() {
      for (number, detection) in detections.enumerated() where detection.classId == object.classId {
        let overlap = object.box.intersectionOverUnion(detection.box)
        if overlap >= rules.overlap { pairs.append(Pair(overlap: overlap, object: index, detection: number)) }
      }
    }
    return pairs.sorted { ($1.overlap, $0.object, $0.detection) < ($0.overlap, $1.object, $1.detection) }
  }

  private mutating func see(_ detection: Detection, as index: Int, at now: Duration) {
    func mix(_ old: Double, _ new: Double) -> Double { old + rules.smoothing * (new - old) }
    let old = objects[index].box
    let new = detection.box
    objects[index].box = Rect(
      minX: mix(old.minX, new.minX), minY: mix(old.minY, new.minY), maxX: mix(old.maxX, new.maxX),
      maxY: mix(old.maxY, new.maxY))
    objects[index].confidence = detection.confidence
    objects[index].detectionId = detection.id
    objects[index].lastSeen = now
    objects[index].sightings += 1
  }
}
