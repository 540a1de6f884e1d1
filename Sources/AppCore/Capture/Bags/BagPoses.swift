import FileFormats
import Geometry

/// Where a recording says that its camera stood.
struct BagPoses: Sendable {
  /// All transforms, for cameras beside the one whose poses are asked for.
  let tree: TransformTree
  /// The camera's; nil where none are known.
  let path: TransformPath?
  /// Which poses these are, for people.
  let note: String

  private static let fixedTopics = ["tf_static"]

  /// - `frame`: the color camera's.
  init(_ recording: BagRecording, frame: String) throws(CaptureError) {
    var count = 0
    func counted(_ more: Int) throws(CaptureError) {
      count += more
      guard count <= BagLimits.poses else {
        throw .malformed(file: "tf", reason: "more than \(BagLimits.poses) transforms and poses")
      }
    }
    var tree = TransformTree()
    for topic in recording.topics where topic.type == .transforms {
      let isFixed = Self.fixedTopics.contains(lastComponent(topic.name))
      for message in topic.messages {
        let found = try recording.decoded(message, of: topic.name, ROSTransform.transforms)
        try counted(found.count)
        for transform in found { tree.add(transform, isFixed: isFixed) }
      }
    }
    tree.finish()
    self.tree = tree
    let own = tree.path(from: frame)
    if own.moves {
      path = own
      note = "poses of \(frame) in \(own.root), by tf"
      return
    }
    for topic in recording.topics where topic.type == .odometry {
      guard let first = topic.messages.first,
        let child = try recording.decoded(first, of: topic.name, ROSTransform.odometry)?.child,
        let below = own.cut(at: child)
      else { continue }
      try counted(topic.messages.count)
      let track = try Self.track(recording, topic, ROSTransform.odometry)
      guard let track else { continue }
      var whole = below
      whole.append(track)
      path = whole
      note = "poses of \(frame) in \(track.parent), by \(topic.name)"
      return
    }
    for topic in recording.topics where topic.type == .pose {
      try counted(topic.messages.count)
      guard let track = try Self.track(recording, topic, ROSTransform.pose) else { continue }
      var whole = TransformPath(frame: frame)
      whole.append(track)
      path = whole
      note = "poses in \(track.parent), by \(topic.name), taken for those of \(frame)"
      return
    }
    path = nil
    let odometry = recording.topics.contains { $0.type == .odometry && !$0.messages.isEmpty }
    note =
      odometry
      ? "no poses: no transform of tf joins \(frame) to the odometry's frame"
      : "no poses: nothing says where \(frame) stood (tf, Odometry, PoseStamped)"
  }

  /// The poses of a topic, of the first parent that it names; nil for none.
  private static func track(
    _ recording: BagRecording, _ topic: BagRecording.Topic,
    _ decode: (FileBytes) throws(CDRError) -> ROSTransform?
  ) throws(CaptureError) -> TransformTrack? {
    var track: TransformTrack?
    for message in topic.messages {
      guard let transform = try recording.decoded(message, of: topic.name, decode) else { continue }
      if track == nil { track = TransformTrack(parent: transform.parent, isFixed: false) }
      if track?.parent.isSameName(as: transform.parent) == true { track?.add(transform) }
    }
    track?.finish()
    return track
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
