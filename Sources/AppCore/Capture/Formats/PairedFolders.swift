import FileFormats
import Geometry
import Imaging

/// A folder of pictures, a folder of their depth, and one stated camera: what depth cameras are exported to.
///
/// Depth lies on the picture's grid, or one that covers the same field. There are no poses: every camera stands at the
/// origin and looks level along -z; the timestamp is the position. Pictures and depths go together by their names
/// without endings, a number or a time in them, or by their order (`NamePairs`).
struct PairedFolders: CaptureSource {
  let path: String
  let frames: [FrameReference]
  let skipped: [SkippedFrame]
  var layout: CaptureLayout { .imageWithDepth }

  private struct Pair {
    let name, picture, depth: String
    let confidence: String?
  }

  private let pictures, depths: CaptureFolder
  private let confidences: CaptureFolder?
  private let pairs: [Pair]
  private let camera: StatedCamera
  private let unit: DepthUnit

  init(
    pictures: String, depths: String, confidences: String?, camera: StatedCamera, unit: DepthUnit,
    limits: CaptureLimits
  ) throws(CaptureError) {
    path = pictures
    self.camera = camera
    self.unit = unit
    self.pictures = try CaptureFolder(path: pictures, limits: limits).followingLinks
    self.depths = try CaptureFolder(path: depths, limits: limits).followingLinks
    self.confidences = try confidences.map { path throws(CaptureError) in
      try CaptureFolder(path: path, limits: limits).followingLinks
    }
    let found = try self.pictures.names().filter(hasPictureEnding)
    let stored = try self.depths.names().filter(Self.isMap)
    guard found.count <= limits.frames else { throw .tooManyFrames(path: pictures, limit: limits.frames) }
    let maps = try Self.matches(found, stored, folders: (pictures, depths))
    let trusts = try self.confidences.map { folder throws(CaptureError) in
      try Self.matches(found, try folder.names().filter(Self.isMap), folders: (pictures, folder.path))
    }
    let names = frameNames(of: found)
    var (pairs, skipped): ([Pair], [SkippedFrame]) = ([], [])
    for (place, name) in names.enumerated() {
      if let depth = maps[place] {
        pairs.append(Pair(name: name, picture: found[place], depth: depth, confidence: trusts?[place]))
      } else {
        skipped.append(
          SkippedFrame(name: name, reason: "\(depths) has no depth of that name, number or time"))
      }
    }
    self.pairs = pairs
    frames = pairs.enumerated().map { FrameReference(name: $1.name, timestamp: Double($0)) }
    let unreadable = [self.pictures, self.depths, self.confidences].compactMap(\.self)
    self.skipped = skipped + unreadable.flatMap { $0.skippedNames() }
    guard !frames.isEmpty else {
      throw .unpairedFiles(
        pictures: found.count, folder: pictures, depths: stored.count, depthFolder: depths)
    }
  }

  private static func isMap(_ name: String) -> Bool {
    [".png", ".npy"].contains { name.lowercased().hasSuffix($0) }
  }

  /// The file that goes with each picture; nil for a picture that none goes with.
  private static func matches(
    _ pictures: [String], _ files: [String], folders: (String, String)
  ) throws(CaptureError) -> [String?] {
    guard let pairs = NamePairs(pictures, files) else {
      throw .unpairedFiles(
        pictures: pictures.count, folder: folders.0, depths: files.count, depthFolder: folders.1)
    }
    return pairs.partners.map { $0.map { files[$0] } }
  }

  func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame {
    let reference = try reference(at: index)
    let pair = pairs[index]
    let bytes = try pictures.bytes(pair.picture, namedBy: path)
    let header = try DepthDecoding.pictureHeader(bytes, file: pair.picture, limits: pictures.limits)
    var parts = FrameParts(
      file: pair.picture, name: reference.name, timestamp: reference.timestamp, imageSize: header.size,
      orientation: header.orientation,
      intrinsics: try camera.intrinsics(for: header.size, file: pair.picture),
      cameraToWorld: RigidTransform(rotation: header.orientation.levelCamera, origin: .origin))
    if decodingImage {
      parts.image = try DepthDecoding.picture(bytes, file: pair.picture, limits: pictures.limits)
    }
    parts.depth = try depths.depth(pair.depth, namedBy: depths.path, unit: unit)
    if let confidences, let confidence = pair.confidence {
      parts.confidence = try confidences.confidence(confidence, namedBy: confidences.path)
    }
    parts.sensor = layout.sensor
    var frame = try parts.assembled()
    frame.isPosed = false
    frame.cameraOrigin = .stated
    return frame
  }

  func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? {
    _ = try reference(at: index)
    return try pictures.encodedPicture(pairs[index].picture, namedBy: path)
  }
}
