import FileFormats
import Geometry

/// Where a recording says that its camera stood.
struct BagPoses: Sendable {
  /// All transforms, for cameras beside the one whose poses are asked for.
  let tree: TransformTree
  /// The camera's; nil where none are known.
  let path: TransformPath?
  /// Which poses these are, for people, and what was left out, a line each.
  let notes: [String]

  private static let fixedTopics = ["tf_static"]
  /// Frames in which a camera that does not move stands still (REP 105).
  private static let worlds = ["map", "odom", "world"]
  /// Words in the names of topics whose poses are goals rather than measurements.
  private static let wishes = ["goal", "target", "setpoint", "waypoint", "command", "cmd"]

  /// - `frame`: the color camera's.
  /// - `others`: of cameras that are joined to it.
  /// - `times`: of the pictures.
  init(
    _ recording: BagRecording, frame: String, others: [String], times: ClosedRange<Int>
  ) throws(CaptureError) {
    var reader = PoseReader(recording)
    var odometry: [(topic: BagRecording.Topic, first: ROSTransform)] = []
    for topic in recording.topics where topic.type == .odometry {
      if let first = try reader.first(of: topic) { odometry.append((topic, first)) }
    }
    let tree = try reader.tree(above: [frame] + others + odometry.map(\.first.parent))
    self.tree = tree
    let own = tree.path(from: frame)
    let around = times.lowerBound - TransformTrack.longestGap...times.upperBound + TransformTrack.longestGap
    for (topic, first) in odometry {
      // What tf tells of the odometry's frame counts for more.
      guard let below = own.cut(at: first.child), own.cut(at: first.parent) == nil,
        own.tracks.dropFirst(below.tracks.count).allSatisfy(\.isFixed),
        let track = try reader.track(topic, ROSTransform.odometry), track.count(in: around) > 1
      else { continue }
      var whole = below
      whole.append(track)
      let above = tree.path(from: track.parent)
      if above.frames.allSatisfy({ own.cut(at: $0) == nil }) {
        for track in above.tracks { whole.append(track) }
      }
      path = whole
      notes = ["poses of \(frame) in \(whole.root), by \(topic.name)"] + reader.notes
      return
    }
    if own.moves {
      path = own
      notes = ["poses of \(frame) in \(own.root), by tf"] + reader.notes
      return
    }
    for topic in recording.topics where topic.type == .pose && !Self.isWish(topic.name) {
      guard let track = try reader.track(topic, ROSTransform.pose), track.count(in: around) > 1 else {
        continue
      }
      var whole = TransformPath(frame: frame)
      whole.append(track)
      path = whole
      notes = ["poses in \(track.parent), by \(topic.name), taken for those of \(frame)"] + reader.notes
      return
    }
    if Self.worlds.contains(lastComponent(own.root)), own.tracks.contains(where: { !$0.isStatic }) {
      path = own
      notes = ["poses of \(frame) in \(own.root), by tf"] + reader.notes
      return
    }
    path = nil
    let reason =
      odometry.isEmpty
      ? "nothing says where \(frame) stood (tf, Odometry, PoseStamped)"
      : "no transform of tf joins \(frame) to the odometry's frame"
    notes = ["no poses: \(reason)"] + reader.notes
  }

  /// Whether a topic's transforms are fixed.
  fileprivate static func isFixed(_ topic: String) -> Bool { fixedTopics.contains(lastComponent(topic)) }

  private static func isWish(_ topic: String) -> Bool {
    topic.lowercased().split { $0 == "/" || $0 == "_" }.contains { word in wishes.contains { $0 == word } }
  }

  /// Where the camera stood at a time, with this project's axes; nil where that is not known.
  ///
  /// An optical frame's axes are OpenCV's (REP 103), the world's +z points up.
  func pose(at time: Int) -> RigidTransform<CameraARKit, World>? {
    guard let pose = path?.pose(at: time) else { return nil }
    let found = RigidTransform<CameraOpenCV, WorldZUp>(
      rotation: pose.rotation, origin: Point3(pose.origin.x, pose.origin.y, pose.origin.z))
    return found.ofARKitCamera.inYUpWorld
  }
}

/// Reads transforms and poses; messages that are damaged are left out and counted.
private struct PoseReader {
  private let recording: BagRecording
  private var count = 0
  private var damaged: NameTable<Int> = [:]

  init(_ recording: BagRecording) { self.recording = recording }

  /// Messages that were left out, a line for each topic.
  var notes: [String] {
    damaged.keys.map { name in
      let count = damaged[name, default: 0]
      return "\(name): \(counted(count, "message is", "messages are")) damaged and left out"
    }
  }

  /// The first pose of a topic of odometry that is one.
  func first(of topic: BagRecording.Topic) throws(CaptureError) -> ROSTransform? {
    try recording.first(of: topic) { bytes throws(CDRError) in
      guard let found = try ROSTransform.odometry(bytes) else { throw .noPose }
      return found
    }?.said
  }

  /// The transforms of some frames and of all above them; no others are kept.
  mutating func tree(above frames: [String]) throws(CaptureError) -> TransformTree {
    var parents: NameTable<String> = [:]
    try eachTransform(counting: true) { transform, _ throws(CaptureError) in
      guard parents[transform.child] == nil else { return }
      parents[transform.child] = transform.parent
      try Self.check(parents.count)
    }
    var wanted: NameSet = []
    for frame in frames {
      var frame = frame
      while let parent = parents[frame], wanted.insert(frame) { frame = parent }
    }
    var tree = TransformTree()
    var count = count
    try eachTransform(counting: false) { transform, isFixed throws(CaptureError) in
      guard wanted.contains(transform.child) else { return }
      count += 1
      try Self.check(count)
      tree.add(transform, isFixed: isFixed)
    }
    self.count = count
    tree.finish()
    return tree
  }

  private static func check(_ count: Int) throws(CaptureError) {
    guard count <= BagLimits.poses else {
      throw .malformed(file: "tf", reason: "more than \(BagLimits.poses) transforms and poses")
    }
  }

  /// `counting`: whether damaged messages are counted, once for all times that they are read.
  private mutating func eachTransform(
    counting: Bool, _ body: (ROSTransform, _ isFixed: Bool) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    for topic in recording.topics where topic.type == .transforms {
      let isFixed = BagPoses.isFixed(topic.name)
      for message in topic.messages {
        guard let found = try recording.readable(message, of: topic.name, ROSTransform.transforms) else {
          if counting { damaged[topic.name, default: 0] += 1 }
          continue
        }
        for transform in found { try body(transform, isFixed) }
      }
    }
  }

  /// The poses of a topic, of the first parent that it names; nil for none.
  mutating func track(
    _ topic: BagRecording.Topic, _ decode: (FileBytes) throws(CDRError) -> ROSTransform?
  ) throws(CaptureError) -> TransformTrack? {
    count += topic.messages.count
    try Self.check(count)
    var track: TransformTrack?
    for message in topic.messages {
      guard let found = try recording.readable(message, of: topic.name, decode) else {
        damaged[topic.name, default: 0] += 1
        continue
      }
      guard let transform = found else { continue }
      if track == nil { track = TransformTrack(parent: transform.parent, isFixed: false) }
      if track?.parent.isSameName(as: transform.parent) == true { track?.add(transform) }
    }
    track?.finish()
    return track
  }
}
