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

    /// Damaged messages before the first that can be read, which are left out of `topic`.
    let leftOut: Int
    /// The name without that of the transport (image_transport's `compressed` and `compressedDepth`).
    let base: String
    /// The components of `base`.
    let parts: [Substring]

    var name: String { topic.name }

    init(
      _ topic: BagRecording.Topic, type: MessageType, kind: BagPictureKind, frame: String, leftOut: Int
    ) {
      var topic = topic
      topic.messages.removeFirst(leftOut)
      (self.topic, self.type, self.kind, self.frame, self.leftOut) = (topic, type, kind, frame, leftOut)
      let transports = ["/compressed", "/compressedDepth"]
      let last = type == .compressedImage ? transports.first(where: topic.name.hasSuffix) : nil
      base = String(topic.name.dropLast(last?.count ?? 0))
      parts = base.split(separator: "/")
    }

    /// The name without its last component.
    var place: String { parts.dropLast().joined(separator: "/") }

    /// Whether the pictures are undistorted, as image_proc calls them.
    var isRectified: Bool { lastComponent(base).contains("rect") }

    /// Name that all topics of one camera share: those of two transports, or raw and rectified by the names of
    /// image_proc.
    var camera: String {
      let words = (parts.last ?? "").split(separator: "_")
      let forms: Set<Substring> = ["raw", "rect", "color", "mono"]
      return words.first == "image" && words.dropFirst().allSatisfy(forms.contains)
        ? place + "/image" : parts.joined(separator: "/")
    }

    /// Whether the map lies on the field of a color camera: by the names of RealSense's, OpenNI's and Azure Kinect's
    /// drivers, beside the camera's own topics or in its frame.
    func saysRegistered(to color: Images) -> Bool {
      let names = ["aligned_depth_to_color", "depth_registered", "depth_to_rgb"]
      guard let mark = parts.firstIndex(where: { part in names.contains(where: part.contains) }) else {
        return false
      }
      // Such as /camera/aligned_depth_to_color/image_raw of /camera/color/image_raw.
      let isBeside = color.parts.count <= mark + 2 && color.parts.starts(with: parts[..<mark])
      return isBeside || frame.isSameName(as: color.frame)
    }

    /// How many components two names begin with in common.
    func closeness(to other: Images) -> Int {
      zip(parts, other.parts).prefix { $0.0 == $0.1 }.count
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
        let first = try recording.first(
          of: topic, first: Self.headBytes,
          { bytes throws(CDRError) in
            try BagPicture(bytes, type: type)
          })
      else { continue }
      found.append(
        Images(
          topic, type: type, kind: first.said.kind, frame: first.said.header.frame, leftOut: first.position))
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
    var all = wantedDepths.isEmpty ? depths : wantedDepths
    if !wanted.isEmpty, wantedDepths.isEmpty {
      // A camera that was named has its own depth, or none.
      let others = found.filter {
        [.color, .gray].contains($0.kind) && !$0.camera.isSameName(as: color.camera)
      }
      let nearer = NamePrefixes(others)
      all = all.filter { depth in
        let closeness = depth.closeness(to: color)
        return depth.frame.isSameName(as: color.frame)
          || closeness > 0 && closeness >= nearer.closeness(to: depth)
      }
    }
    let sameFrame = all.filter { $0.frame.isSameName(as: color.frame) }
    let registered = all.filter { $0.saysRegistered(to: color) }
    let possible = [sameFrame, registered, all].first { !$0.isEmpty } ?? []
    depth = possible.isEmpty ? nil : try Self.one(of: possible, "depth", near: [color], path: path)
  }

  /// Messages that were left out, a line for each topic.
  var notes: [String] {
    [color, depth].compactMap(\.self).filter { $0.leftOut > 0 }.map {
      "\($0.name): \(counted($0.leftOut, "message at its start is", "messages at its start are")) damaged and left out"
    }
  }

  /// The one of several that is meant: raw rather than compressed, rectified rather than raw, nearest by name to `others`.
  private static func one(
    of candidates: [Images], _ what: String, near others: [Images], path: String
  ) throws(CaptureError) -> Images {
    var kept: [Images] = []
    var places: NameTable<Int> = [:]
    for images in candidates {
      let camera = images.camera
      guard let known = places[camera] else {
        places[camera] = kept.count
        kept.append(images)
        continue
      }
      if rank(images) < rank(kept[known]) { kept[known] = images }
    }
    let names = NamePrefixes(others)
    let closeness = kept.map(names.closeness)
    let greatest = closeness.max()
    let best = zip(kept, closeness).filter { $0.1 == greatest }.map(\.0)
    guard best.count == 1 else {
      throw .severalTopics(path: path, what: what, names: best.map(\.name))
    }
    return best[0]
  }

  /// The lower the better.
  private static func rank(_ images: Images) -> Int {
    (images.isRectified ? 0 : 2) + (images.type == .image ? 0 : 1)
  }

  /// Lists a recording's topics for people: image topics with their kinds, other topics with their types.
  private static func listed(_ recording: BagRecording, _ found: [Images]) -> [String] {
    let kinds = NameTable(found.lazy.map { ($0.name, $0.kind) })
    return recording.topics.map { topic in
      if topic.topic.encoding != "cdr" {
        return "\(topic.name) (\(topic.topic.type) in \(topic.topic.encoding))"
      }
      switch kinds[topic.name] {
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

/// The leading components of some topics' names, each prefix once.
private struct NamePrefixes {
  private var prefixes: NameSet = []
  /// Components of a name that count.
  private static let deepest = 32

  init(_ topics: [BagTopics.Images]) {
    for topic in topics { for prefix in Self.prefixes(of: topic) { prefixes.insert(prefix) } }
  }

  /// How many components a name begins with in common with the nearest of them.
  func closeness(to topic: BagTopics.Images) -> Int {
    Self.prefixes(of: topic).prefix { prefixes.contains($0) }.count
  }

  private static func prefixes(of topic: BagTopics.Images) -> [String] {
    var (prefix, found): (String, [String]) = ("", [])
    for part in topic.parts.prefix(deepest) {
      prefix += "/" + part
      found.append(prefix)
    }
    return found
  }
}
