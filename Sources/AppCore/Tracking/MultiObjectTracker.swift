import Geometry
import Imaging

/// Gives the detections of a film's pictures identities: two rounds of association of predicted boxes with detections,
/// the sure ones first.
///
/// Source: Y. Zhang et al., *ByteTrack: multi-object tracking by associating every detection box* (2022). Limits that the
/// paper leaves open are those of Ultralytics: the same boxes get the same identities.
public struct MultiObjectTracker: Sendable {
  private struct Track: Sendable {
    enum State: Sendable { case tracked, lost }

    let id: Int
    /// The class of its first detection.
    let classId: Int
    var motion: BoxMotion
    var state = State.tracked
    /// Seen twice, or in the first picture, or by the rules at once: others are not shown yet.
    var isConfirmed: Bool
    let firstPicture: Int
    var lastPicture: Int
    /// Position of its newest detection.
    var detection: Int
    /// Whether it was unseen for longer than the buffer: it can come back for one more picture, and is not kept the next time it is lost.
    var isOverdue = false
  }

  private struct Sighting {
    let detection: Int
    let classId: Int
    let box: TrackedBox
    let score: Float
  }

  /// The greatest cost of a pair of the second round, and of a new track with its second detection.
  private static let (secondCost, newCost) = (0.5, 0.7)
  /// Overlap of a seen and a lost track above which one of them is removed.
  private static let greatestOverlap: Float = 0.85

  private let rules: TrackingRules
  private var picture = 0
  private var nextId = 1
  /// Seen in the last picture; those that are not confirmed among them.
  private var tracked: [Track] = []
  private var lost: [Track] = []
  private var camera = CameraMotion()

  /// A tracker that follows nothing yet.
  public init(_ rules: TrackingRules = TrackingRules()) { self.rules = rules }

  /// Takes in the detections of the next picture.
  ///
  /// - Parameters:
  ///   - detections: The picture's detections, in its pixels.
  ///   - image: The picture, by which rules with `followsCamera` find the camera's motion; they take it to stand still
  ///     where there is none.
  /// - Returns: the identity of each detection, from 1 and never used again; nil of one that belongs to no track, or to
  ///   one that has to be seen once more.
  public mutating func update<Frame>(
    _ detections: [FramedDetection<Frame>], in image: RGBImage? = nil
  ) -> [Int?] {
    picture += 1
    let sightings = detections.enumerated().compactMap { index, found -> Sighting? in
      let box = TrackedBox(found.box)
      guard box.hasArea, found.confidence.isFinite else { return nil }
      return Sighting(detection: index, classId: found.classId, box: box, score: found.confidence)
    }
    var sure = sightings.filter { $0.score >= rules.highScore }
    let unsure = sightings.filter { $0.score > rules.lowScore && $0.score < rules.highScore }

    // First round: whatever was seen before with what is sure.
    var pool = tracked.filter(\.isConfirmed) + lost
    for index in pool.indices {
      pool[index].motion.predict(isSeen: pool[index].state == .tracked, movesUnseen: rules.movesLost)
    }
    var unconfirmed = tracked.filter { !$0.isConfirmed }
    if let image, rules.method == .botsort, rules.followsCamera {
      let motion = camera.similarity(to: image)
      for index in pool.indices { pool[index].motion.follow(motion) }
      for index in unconfirmed.indices { unconfirmed[index].motion.follow(motion) }
    }
    let first = pairs(pool, sure, fusesScores: rules.fusesScores, limit: rules.mostCost)
    var isSeen = pool.map { _ in false }
    see(&pool, sure, first, &isSeen)
    var seen = zip(pool, isSeen).filter(\.1).map(\.0)
    sure = left(sure, first)

    // Second round: what was tracked until now with what is not sure, by overlap alone.
    var open = zip(pool, isSeen).filter { !$0.1 && $0.0.state == .tracked }.map(\.0)
    let second = pairs(open, unsure, fusesScores: false, limit: Self.secondCost)
    var isFound = open.map { _ in false }
    see(&open, unsure, second, &isFound)
    seen += zip(open, isFound).filter(\.1).map(\.0)
    var newlyLost = zip(open, isFound).filter { !$0.1 }.map(\.0)
    for index in newlyLost.indices { newlyLost[index].state = .lost }

    // Tracks of one detection need a second one, or go.
    let third = pairs(unconfirmed, sure, fusesScores: rules.fusesScores, limit: Self.newCost)
    var isConfirmed = unconfirmed.map { _ in false }
    see(&unconfirmed, sure, third, &isConfirmed)
    seen += zip(unconfirmed, isConfirmed).filter(\.1).map(\.0)
    sure = left(sure, third)

    for sighting in sure where sighting.score >= rules.newScore {
      seen.append(
        Track(
          id: nextId, classId: sighting.classId, motion: BoxMotion(sighting.box, shape: shape),
          isConfirmed: picture == 1 || rules.confirmsAtOnce, firstPicture: picture, lastPicture: picture,
          detection: sighting.detection))
      nextId += 1
    }
    keep(seen: seen, pool: pool, isSeen: isSeen, newlyLost: newlyLost)

    var identities = [Int?](repeating: nil, count: detections.count)
    for track in tracked where track.isConfirmed { identities[track.detection] = track.id }
    return identities
  }

  /// Stops following objects of some identities; those that are not followed do not count.
  public mutating func forget(_ identities: Set<Int>) {
    tracked.removeAll { identities.contains($0.id) }
    lost.removeAll { identities.contains($0.id) }
  }

  /// Where an object is by the last picture, smoothed, or expected if that did not show it; nil of one that is not
  /// followed.
  func box(of identity: Int) -> TrackedBox? {
    (tracked.first { $0.id == identity } ?? lost.first { $0.id == identity })?.motion.box
  }

  private var shape: BoxMotion.Shape { rules.method == .bytetrack ? .aspectAndHeight : .widthAndHeight }

  /// Pairs of tracks and sightings, at least cost.
  private func pairs(
    _ tracks: [Track], _ sightings: [Sighting], fusesScores: Bool, limit: Double
  ) -> [Int?] {
    guard !tracks.isEmpty, !sightings.isEmpty else { return tracks.map { _ in nil } }
    let costs = tracks.map { track in
      let box = track.motion.box
      return sightings.map { sighting in
        guard isPossible(track.classId, sighting.classId) else { return limit + 1 }
        let distance = 1 - box.overlap(sighting.box)
        let cost = Double(fusesScores ? 1 - (1 - distance) * sighting.score : distance)
        // A box that camera motions have made too large to count.
        return cost.isFinite ? cost : limit + 1
      }
    }
    return LinearAssignment.columns(costs, limit: limit)
  }

  private func isPossible(_ first: Int, _ second: Int) -> Bool { first == second || !rules.separatesClasses }

  private func see(_ tracks: inout [Track], _ sightings: [Sighting], _ pairs: [Int?], _ isSeen: inout [Bool])
  {
    for (index, pair) in pairs.enumerated() {
      guard let pair else { continue }
      tracks[index].motion.update(sightings[pair].box)
      tracks[index].state = .tracked
      tracks[index].isConfirmed = true
      tracks[index].lastPicture = picture
      tracks[index].detection = sightings[pair].detection
      isSeen[index] = true
    }
  }

  private func left(_ sightings: [Sighting], _ pairs: [Int?]) -> [Sighting] {
    let taken = Set(pairs.compactMap(\.self))
    return sightings.enumerated().filter { !taken.contains($0.offset) }.map(\.element)
  }

  /// Separates what continues from what is lost, and drops what was lost for too long and what is there twice.
  private mutating func keep(seen: [Track], pool: [Track], isSeen: [Bool], newlyLost: [Track]) {
    var lost = zip(pool, isSeen).filter { !$0.1 && $0.0.state == .lost && !$0.0.isOverdue }.map(\.0)
    lost += newlyLost.filter { !$0.isOverdue }
    if let buffer = rules.buffer {
      for index in lost.indices { lost[index].isOverdue = picture - lost[index].lastPicture > buffer }
    }
    // What was tracked keeps its order, as pairs of equal cost go by it; then come new tracks, then those found again.
    var order: [Int: Int] = [:]
    for (position, track) in tracked.enumerated() { order[track.id] = position }
    let others = seen.filter { order[$0.id] == nil }
    var tracked = seen.filter { order[$0.id] != nil }.sorted { order[$0.id]! < order[$1.id]! }
    tracked += others.filter { $0.firstPicture == picture } + others.filter { $0.firstPicture < picture }
    var (gone, goneLost): (Set<Int>, Set<Int>) = ([], [])
    for track in tracked {
      for other in lost
      where isPossible(track.classId, other.classId)
        && track.motion.box.overlap(other.motion.box) > Self.greatestOverlap
      {
        if track.lastPicture - track.firstPicture > other.lastPicture - other.firstPicture {
          goneLost.insert(other.id)
        } else {
          gone.insert(track.id)
        }
      }
    }
    tracked.removeAll { gone.contains($0.id) }
    lost.removeAll { goneLost.contains($0.id) }
    (self.tracked, self.lost) = (tracked, lost)
  }
}
