import FileFormats
import Geometry
import Imaging

/// A recording of ROS 2 with color, depth and their cameras, in MCAP or rosbag2's SQLite files.
struct BagCapture: CaptureSource {
  let path: String
  let frames: [FrameReference]
  let defects: [Int: CaptureError]
  let skipped: [SkippedFrame]
  let notes: [String]
  var layout: CaptureLayout { .rosBag }
  var hasPoses: Bool { poses.path != nil }

  private let recording: BagRecording
  private let topics: BagTopics
  private let poses: BagPoses
  private let limits: CaptureLimits
  /// nil of what is damaged.
  private let shots: [Shot?]
  private let camera: BagCamera?
  private let registration: DepthRegistration?

  /// A picture and its depth.
  private struct Shot: Sendable {
    let time: Int
    let color: BagRecording.Message
    let depth: BagRecording.Message?
  }

  /// The farthest that the times of a picture and its depth may be apart, seconds.
  static let timeTolerance = 0.05

  /// - `wanted`: names of topics, or of what lies above them; empty for what the names and types tell.
  /// - `notes`: what is odd about the files, a line each.
  init(
    files: [String], path: String, wanted: [String], limits: CaptureLimits, notes: [String] = []
  ) throws(CaptureError) {
    let recording = try BagRecording(files: files, limits: limits)
    let topics: BagTopics
    do throws(CaptureError) {
      topics = try BagTopics(recording, wanted: wanted, path: path)
    } catch .noTopic(let path, let wanted, let found) {
      guard let first = recording.damage.first else {
        throw .noTopic(path: path, wanted: wanted, found: found)
      }
      throw .malformed(
        file: first.name, reason: "\(first.reason), and what is left holds no pictures that are read")
    }
    let pairs = try Self.pairs(recording, topics, limits: limits, path: path)
    let poses = try BagPoses(
      recording, frame: topics.color.frame, others: topics.depth.map { [$0.frame] } ?? [],
      times: (pairs.first?.time ?? 0)...(pairs.last?.time ?? 0))
    let cameras = try BagCameras(recording, topics, poses.tree, path: path)
    var shots: NameTable<Shot> = [:]
    var listing = SequenceListing(path: path, limits: limits)
    for (position, pair) in pairs.enumerated() {
      let name = Self.name(position)
      try listing.add(name: name, file: name) { () throws(CaptureError) in
        if let depth = topics.depth, pair.depth == nil {
          throw .nothingNear(file: depth.name, frame: name, seconds: Self.timeTolerance)
        }
        if poses.path != nil, poses.pose(at: pair.time) == nil {
          throw .nothingNear(file: "poses", frame: name, seconds: Self.timeTolerance)
        }
        shots[name] = pair
        return Double(pair.time) / 1e9
      }
    }
    // How many pictures a damaged part held is not known: it counts as one.
    for damage in recording.damage {
      try listing.add(name: damage.name, file: damage.name) { () throws(CaptureError) in
        throw .malformed(file: damage.name, reason: damage.reason)
      }
    }
    try listing.finish()
    (self.path, self.recording, self.topics, self.poses) = (path, recording, topics, poses)
    self.limits = limits
    frames = listing.frames.map(\.reference)
    (defects, skipped) = (listing.defects, listing.skipped)
    self.shots = frames.map { shots[$0.name] }
    (camera, registration) = (cameras.color, cameras.registration)
    let chosen = "color \(topics.color.name), depth \(topics.depth?.name ?? "none")"
    self.notes = [chosen] + poses.notes + topics.notes + cameras.notes + recording.notes + notes
    recording.finishOpening()
  }

  func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame {
    let reference = try reference(at: index)
    guard let shot = shots[index] else { throw .noSuchFrame(index: index, count: frames.count) }
    let file = label(index)
    let picture = try self.picture(shot.color, of: topics.color)
    let size = try picture.size(file: file, limits: limits)
    let image = decodingImage ? try picture.decoded(file: file, limits: limits) : nil
    guard let camera else {
      var frame = CapturedFrame(
        name: reference.name, image: image, imageSize: size, timestamp: reference.timestamp)
      frame.isPosed = false
      return frame
    }
    let pose = poses.pose(at: shot.time)
    var parts = FrameParts(
      file: file, name: reference.name, timestamp: reference.timestamp, imageSize: size,
      orientation: pose.map { Orientation(gravityIn: $0) } ?? .up,
      intrinsics: try camera.camera.intrinsics(for: size, file: file), cameraToWorld: pose ?? .identity)
    parts.image = image
    if let depth = topics.depth, let message = shot.depth {
      let name = "\(depth.name), \(reference.name)"
      let map = try self.picture(message, of: depth).depth(file: name, limits: limits)
      parts.depth = try registration?.registered(map, picture: size, file: name) ?? map
    }
    parts.sensor = layout.sensor
    var frame = try parts.assembled()
    frame.isPosed = pose != nil
    return frame
  }

  func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? {
    _ = try reference(at: index)
    guard let shot = shots[index] else { throw .noSuchFrame(index: index, count: frames.count) }
    return try picture(shot.color, of: topics.color).encoded(file: label(index), limits: limits)
  }

  private func label(_ index: Int) -> String { "\(topics.color.name), \(frames[index].name)" }

  private func picture(
    _ message: BagRecording.Message, of images: BagTopics.Images
  ) throws(CaptureError) -> BagPicture {
    try recording.decoded(message, of: images.name) { bytes throws(CDRError) in
      try BagPicture(bytes, type: images.type)
    }
  }

  /// Six digits.
  private static func name(_ position: Int) -> String {
    zeroPadded(position, 6)
  }

  /// The pictures in the order of their times, each with the depth map nearest to it, which has no picture nearer to it.
  private static func pairs(
    _ recording: BagRecording, _ topics: BagTopics, limits: CaptureLimits, path: String
  ) throws(CaptureError) -> [Shot] {
    let colors = try timed(recording, topics.color, limits: limits, path: path)
    guard let depth = topics.depth else {
      return colors.map { Shot(time: $0.time, color: $0.message, depth: nil) }
    }
    let depths = try timed(recording, depth, limits: limits, path: path)
    let depthIndex = TimeIndex(depths.enumerated().map { (Double($1.time) / 1e9, $0) })
    let colorIndex = TimeIndex(colors.enumerated().map { (Double($1.time) / 1e9, $0) })
    return colors.enumerated().map { position, color in
      let nearest = depthIndex.nearest(to: Double(color.time) / 1e9, within: timeTolerance).flatMap { found in
        colorIndex.nearest(to: Double(depths[found].time) / 1e9, within: timeTolerance) == position
          ? found : nil
      }
      return Shot(time: color.time, color: color.message, depth: nearest.map { depths[$0].message })
    }
  }

  private static func timed(
    _ recording: BagRecording, _ images: BagTopics.Images, limits: CaptureLimits, path: String
  ) throws(CaptureError) -> [(time: Int, message: BagRecording.Message)] {
    let messages = images.topic.messages
    guard messages.count <= limits.frames else { throw .tooManyFrames(path: path, limit: limits.frames) }
    var found: [(time: Int, message: BagRecording.Message)] = []
    for message in messages { found.append((try recording.time(of: message), message)) }
    return found.sorted { $0.time < $1.time }
  }
}
