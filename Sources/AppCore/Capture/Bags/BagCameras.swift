import FileFormats
import Geometry

/// The cameras of a capture's topics, and how depth comes to lie on the color camera's field.
struct BagCameras {
  /// nil for pictures without depth and without a camera.
  let color: BagCamera?
  /// nil for depth that lies there already.
  let registration: DepthRegistration?
  /// A line each, for people.
  let notes: [String]

  /// How far numbers of two cameras may differ that are the same, relatively.
  private static let tolerance = 0.01

  /// - Throws: `CaptureError.noCameraInfo`, `.unregisteredDepth`, what a camera's own numbers say.
  init(
    _ recording: BagRecording, _ topics: BagTopics, _ tree: TransformTree, path: String
  ) throws(CaptureError) {
    let (colorTopic, depthTopic) = (topics.color, topics.depth)
    guard let info = try Self.info(recording, for: colorTopic) else {
      guard depthTopic == nil else { throw .noCameraInfo(path: path, topic: colorTopic.name) }
      (color, registration) = (nil, nil)
      notes = ["no camera_info goes with \(colorTopic.name): pictures without a camera"]
      return
    }
    let color: BagCamera
    do throws(CaptureError) {
      color = try BagCamera(info, isRectified: colorTopic.isRectified, topic: colorTopic.name)
    } catch .badIntrinsics where depthTopic == nil {
      (self.color, registration) = (nil, nil)
      notes = ["the camera_info of \(colorTopic.name) was not calibrated: pictures without a camera"]
      return
    }
    let depth = try Self.depth(recording, topics, color, tree, path: path)
    self.color = color
    registration = depth.registration
    notes = Self.lensNotes(color, colorTopic) + depth.notes
  }

  /// How depth comes to lie on the color camera's field.
  private static func depth(
    _ recording: BagRecording, _ topics: BagTopics, _ color: BagCamera, _ tree: TransformTree, path: String
  ) throws(CaptureError) -> (registration: DepthRegistration?, notes: [String]) {
    guard let images = topics.depth, !images.saysRegistered(to: topics.color) else { return (nil, []) }
    let isSameFrame = images.frame.isSameName(as: topics.color.frame)
    guard let info = try info(recording, for: images) else {
      if isSameFrame { return (nil, []) }
      throw .unregisteredDepth(
        path: path, depth: images.name, lacks: "no camera_info goes with \(images.name)")
    }
    let depth = try BagCamera(info, isRectified: images.isRectified, topic: images.name)
    let isSameCamera = agree(color.camera, depth.camera)
    if isSameFrame, isSameCamera { return (nil, []) }
    let frames = "\(images.frame) to \(topics.color.frame)"
    if let transform = isSameFrame ? .identity : tree.fixed(from: images.frame, to: topics.color.frame) {
      let note =
        "\(images.name) is of another camera than \(topics.color.name), and is carried over to it (\(frames))"
      return (
        DepthRegistration(depth: depth.camera, color: color.camera, colorFromDepth: transform),
        [note] + lensNotes(depth, images)
      )
    }
    guard isSameCamera else {
      throw .unregisteredDepth(
        path: path, depth: images.name, lacks: "no fixed transform of tf joins \(frames)")
    }
    return (
      nil, ["\(images.name) has the camera of \(topics.color.name) and another frame: taken for registered"]
    )
  }

  private static func lensNotes(_ camera: BagCamera, _ images: BagTopics.Images) -> [String] {
    guard let shift = camera.distortion, shift >= 1 else { return [] }
    return [
      "the lens of \(images.name) moves points by up to \(counted(Int(clamping: shift.rounded()), "pixel")), which stay moved: "
        + "rectified pictures (image_rect) are exact"
    ]
  }

  /// Whether two cameras see the same field, whatever their pictures' sizes are.
  private static func agree(_ a: StatedCamera, _ b: StatedCamera) -> Bool {
    let (width, height) = (Double(a.size?.width ?? 1), Double(a.size?.height ?? 1))
    let (otherWidth, otherHeight) = (
      Double(b.size?.width ?? a.size?.width ?? 1), Double(b.size?.height ?? a.size?.height ?? 1)
    )
    let (principal, otherPrincipal) = (a.principalPoint, b.principalPoint)
    let numbers = [
      (a.fx / width, b.fx / otherWidth), (a.fy / height, b.fy / otherHeight),
      (principal.x / width, otherPrincipal.x / otherWidth),
      (principal.y / height, otherPrincipal.y / otherHeight),
    ]
    return numbers.allSatisfy { abs($0.0 - $0.1) <= tolerance * max(abs($0.0), abs($0.1)) }
  }

  /// The camera of an image topic: that beside it (image_transport's rule), else the only one of its frame.
  private static func info(
    _ recording: BagRecording, for images: BagTopics.Images
  ) throws(CaptureError) -> ROSCameraInfo? {
    func decoded(_ topic: BagRecording.Topic) throws(CaptureError) -> ROSCameraInfo? {
      try recording.first(of: topic) { bytes throws(CDRError) in try ROSCameraInfo(bytes) }?.said
    }
    let infos = recording.topics.filter { $0.type == .cameraInfo && !$0.messages.isEmpty }
    for topic in infos {
      let place = topic.name.split(separator: "/").dropLast().joined(separator: "/")
      if place.isSameName(as: images.place), let info = try decoded(topic) { return info }
    }
    var only: ROSCameraInfo?
    for topic in infos {
      guard let info = try decoded(topic), info.frame.isSameName(as: images.frame) else { continue }
      if let only, only != info { return nil }
      only = info
    }
    return only
  }
}
