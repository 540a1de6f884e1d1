import FileFormats

/// Which topics of a recording make the capture.
struct BagTopics: Sendable {
  /// An image topic, and what its first message says.
  struct Images: Sendable {
    let topic: BagRecording.Topic
    let type: MessageType
    let kind: BagPictureKind
    /// The frame of the camera.
    let frame: String

    var name: String { topic.name }

    /// The name without that of the transport (image_transport's `compressed` and `compressedDepth`).
    var base: String {
      let transports = ["/compressed", "/compressedDepth"]
      guard type == .compressedImage, let last = transports.first(where: topic.name.hasSuffix) else {
        return topic.name
      }
      return String(topic.name.dropLast(last.count))
    }

    /// The name without its last component.
    var place: String { base.split(separator: "/").dropLast().joined(separator: "/") }

    /// Whether the pictures are undistorted, as image_proc calls them.
    var isRectified: Bool { lastComponent(base).contains("rect") }

    /// Whether the map lies on the color camera's field, by the names of RealSense's and OpenNI's drivers.
    var saysRegistered: Bool {
      ["aligned_depth_to_color", "aligned_depth_to_infra", "depth_registered", "depth_to_rgb"]
        .contains(where: base.contains)
    }

    /// How many components two names begin with in common.
    func closeness(to other: Images) -> Int {
      zip(base.split(separator: "/"), other.base.split(separator: "/")).prefix { $0.0 == $0.1 }.count
    }
  }

  let color: Images
  let depth: Images?

  /// Bytes of a message in which its header, size and encoding lie.
  static let headBytes = 1 << 14

  /// Chooses the topics.
  ///
  /// - `wanted`: names of topics, or of what lies above them; empty for what the names and types tell.
  /// - Throws: `CaptureError.noTopic`, `.severalTopics`.
  init(_ recording: BagRecording, wanted: [String], path: String) throws(CaptureError) {
    var found: [Images] = []
    for topic in recording.topics {
      guard let type = topic.type, type == .image || type == .compressedImage,
        let first = topic.messages.first
      else { continue }
      let bytes = try recording.bytes(of: first, first: Self.headBytes)
      guard let picture = try? BagPicture(bytes, type: type) else { continue }
      found.append(Images(topic: topic, type: type, kind: picture.kind, frame: picture.header.frame))
    }
    func isWanted(_ images: Images) -> Bool {
      wanted.contains { images.name.isSameName(as: $0) || images.name.startsWithBytes(of: $0 + "/") }
    }
    let named = wanted.isEmpty ? found : found.filter(isWanted)
    let depths =
      [BagPictureKind.depth, .wideGray].map { kind in found.filter { $0.kind == kind } }
      .first { !$0.isEmpty } ?? []
    let colors = [BagPictureKind.color, .gray].map { kind in named.filter { $0.kind == kind } }
    guard let candidates = colors.first(where: { !$0.isEmpty }) else {
      throw .noTopic(path: path, wanted: wanted, found: Self.listed(recording, found))
    }
    let color = try Self.one(of: candidates, "color", near: depths, path: path)
    self.color = color
    let wantedDepths = wanted.isEmpty ? [] : depths.filter(isWanted)
    let all = wantedDepths.isEmpty ? depths : wantedDepths
    let aligned = all.filter { $0.saysRegistered || $0.frame.isSameName(as: color.frame) }
    let possible = aligned.isEmpty ? all : aligned
    depth = possible.isEmpty ? nil : try Self.one(of: possible, "depth", near: [color], path: path)
  }

  /// The one of several that is meant: raw rather than compressed, rectified rather than raw, nearest by name to `others`.
  private static func one(
    of candidates: [Images], _ what: String, near others: [Images], path: String
  ) throws(CaptureError) -> Images {
    var kept: [Images] = []
    for images in candidates {
      guard let known = kept.firstIndex(where: { isSameCamera($0, images) }) else {
        kept.append(images)
        continue
      }
      if rank(images) < rank(kept[known]) { kept[known] = images }
    }
    let closeness = kept.map { images in others.map(images.closeness).max() ?? 0 }
    let best = zip(kept, closeness).filter { $0.1 == closeness.max() }.map(\.0)
    guard best.count == 1 else {
      throw .severalTopics(path: path, what: what, names: best.map(\.name))
    }
    return best[0]
  }

  /// Whether two topics are of one camera: in two transports, or raw and rectified by the names of image_proc.
  private static func isSameCamera(_ a: Images, _ b: Images) -> Bool {
    if a.base.isSameName(as: b.base) { return true }
    let names = [a, b].map { lastComponent($0.base) }
    return a.place.isSameName(as: b.place) && names.allSatisfy { $0.hasPrefix("image") }
  }

  /// The lower the better.
  private static func rank(_ images: Images) -> Int {
    (images.isRectified ? 0 : 2) + (images.type == .image ? 0 : 1)
  }

  /// What a recording holds, for people: image topics with what they are, other topics with their types.
  private static func listed(_ recording: BagRecording, _ found: [Images]) -> [String] {
    recording.topics.map { topic in
      if topic.topic.encoding != "cdr" {
        return "\(topic.name) (\(topic.topic.type) in \(topic.topic.encoding))"
      }
      switch found.first(where: { $0.name.isSameName(as: topic.name) })?.kind {
      case .depth, .wideGray: return "\(topic.name) (depth)"
      case .other(let what): return "\(topic.name) (\(what))"
      case .color, .gray: return topic.name
      case nil:
        return
          "\(topic.name) (\(topic.messages.isEmpty && topic.type != nil ? "no messages" : topic.topic.type))"
      }
    }
  }
}
