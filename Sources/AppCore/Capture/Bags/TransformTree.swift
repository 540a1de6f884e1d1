import FileFormats
import Geometry

/// Where a frame stood in its parent, over time.
struct TransformTrack: Sendable {
  /// In the order of their times; of a fixed transform one.
  private var samples: [(time: Int, pose: RigidTransform<ROSFrame, ROSFrame>)] = []
  let parent: String
  /// Whether all of its samples are the same.
  private(set) var isFixed: Bool
  /// Whether it is fixed, by the topic that it was published on.
  let isStatic: Bool

  init(parent: String, isFixed: Bool) {
    (self.parent, self.isFixed, isStatic) = (parent, isFixed, isFixed)
  }

  /// How many samples there are in a range of times.
  func count(in times: ClosedRange<Int>) -> Int { samples.count { times.contains($0.time) } }

  mutating func add(_ transform: ROSTransform) {
    if isFixed { samples.removeAll(keepingCapacity: true) }
    samples.append((transform.stamp, transform.pose))
  }

  mutating func finish() { samples.sort { $0.time < $1.time } }

  /// Takes a transform that was published again and again for a fixed one.
  mutating func joinEqual() {
    guard let last = samples.last, samples.allSatisfy({ $0.pose == last.pose }) else { return }
    (samples, isFixed) = ([last], true)
  }

  /// Nanoseconds between two samples between which poses are interpolated.
  static let longestGap = 1_000_000_000
  /// Nanoseconds before the first and after the last sample in which its pose counts.
  private static let tolerance = 50_000_000

  /// The pose at a time: between two samples interpolated, a fixed one at any time; nil where none is near.
  func pose(at time: Int) -> RigidTransform<ROSFrame, ROSFrame>? {
    guard !isFixed else { return samples.last?.pose }
    var (low, high) = (0, samples.count)
    while low < high {
      let middle = (low + high) / 2
      if samples[middle].time < time { low = middle + 1 } else { high = middle }
    }
    let after = low < samples.count ? samples[low] : nil
    let before = low > 0 ? samples[low - 1] : nil
    if let after, after.time == time { return after.pose }
    if let before, let after, after.time - before.time <= Self.longestGap {
      let share = Double(time - before.time) / Double(after.time - before.time)
      return Self.between(before.pose, after.pose, share)
    }
    let nearest = [before, after].compactMap(\.self).min { abs($0.time - time) < abs($1.time - time) }
    guard let nearest, abs(nearest.time - time) <= Self.tolerance else { return nil }
    return nearest.pose
  }

  /// Positions on a line, rotations along the shorter arc (normalized linear interpolation).
  private static func between(
    _ a: RigidTransform<ROSFrame, ROSFrame>, _ b: RigidTransform<ROSFrame, ROSFrame>, _ share: Double
  ) -> RigidTransform<ROSFrame, ROSFrame> {
    let (p, q) = (a.rotation.xyzw, b.rotation.xyzw)
    let sign = zip(p, q).reduce(0) { $0 + $1.0 * $1.1 } < 0 ? -1.0 : 1.0
    let mixed = zip(p, q).map { $0 * (1 - share) + $1 * sign * share }
    let rotation = Quaternion(x: mixed[0], y: mixed[1], z: mixed[2], w: mixed[3]) ?? a.rotation
    func mix(_ x: Double, _ y: Double) -> Double { x * (1 - share) + y * share }
    return RigidTransform(
      rotation: rotation,
      origin: Point3(
        mix(a.origin.x, b.origin.x), mix(a.origin.y, b.origin.y), mix(a.origin.z, b.origin.z)))
  }
}

/// The frames of a robot, each with its parent (REP 105), by the names of the children.
struct TransformTree: Sendable {
  private var tracks: [TransformTrack] = []
  /// The tracks of children.
  private var places: NameTable<Int> = [:]
  /// Frames above a camera, at most.
  private static let deepest = 100
  /// The frame of a map, above which there may be those of the earth, which are not level.
  private static let map = "map"

  /// Adds a transform; a frame keeps the parent that it had first, and one that moves is not fixed by a later message.
  mutating func add(_ transform: ROSTransform, isFixed: Bool) {
    guard !transform.child.isEmpty else { return }
    let place = places[transform.child] ?? tracks.count
    if place == tracks.count {
      places[transform.child] = place
      tracks.append(TransformTrack(parent: transform.parent, isFixed: isFixed))
    }
    if tracks[place].parent.isSameName(as: transform.parent) { tracks[place].add(transform) }
  }

  mutating func finish() {
    for place in tracks.indices {
      tracks[place].finish()
      tracks[place].joinEqual()
    }
  }

  /// The frames from one up to its root, or to the map, with the transform to each from the one before it.
  func path(from frame: String) -> TransformPath {
    var path = TransformPath(frame: frame)
    var seen: NameSet = [frame]
    while path.tracks.count < Self.deepest, lastComponent(path.root) != Self.map,
      let place = places[path.root], seen.insert(tracks[place].parent)
    { path.append(tracks[place]) }
    return path
  }

  /// The fixed transform from one frame to another; nil where there is none.
  func fixed(from source: String, to target: String) -> RigidTransform<ROSFrame, ROSFrame>? {
    let (up, down) = (path(from: source), path(from: target))
    guard let common = up.frames.first(where: { name in down.frames.contains { $0.isSameName(as: name) } }),
      let there = up.cut(at: common), let back = down.cut(at: common), !there.moves, !back.moves,
      let first = there.pose(at: 0), let second = back.pose(at: 0)
    else { return nil }
    return second.inverse.after(first)
  }
}

/// A frame and those above it.
struct TransformPath: Sendable {
  private(set) var frames: [String]
  private(set) var tracks: [TransformTrack] = []

  init(frame: String) { frames = [frame] }

  var root: String { frames[frames.count - 1] }
  /// Whether the frame moves in the root's.
  var moves: Bool { tracks.contains { !$0.isFixed } }

  mutating func append(_ track: TransformTrack) {
    frames.append(track.parent)
    tracks.append(track)
  }

  /// The part up to a frame; nil where that is not in it.
  func cut(at frame: String) -> TransformPath? {
    guard let end = frames.firstIndex(where: { $0.isSameName(as: frame) }) else { return nil }
    var path = self
    path.frames = Array(frames[...end])
    path.tracks = Array(tracks[..<end])
    return path
  }

  /// Where the frame stood in the root's at a time; nil where that is not known.
  func pose(at time: Int) -> RigidTransform<ROSFrame, ROSFrame>? {
    var pose = RigidTransform<ROSFrame, ROSFrame>.identity
    for track in tracks {
      guard let step = track.pose(at: time) else { return nil }
      pose = step.after(pose)
    }
    return pose
  }
}
