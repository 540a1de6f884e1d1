import FileFormats
import Geometry
import Imaging

/// Meters of one unit of a stored depth, by the kind of file.
struct DepthUnit: Sendable {
  let png: Float
  let npy: Float

  /// u16 millimeters, or float32 meters.
  static let standard = DepthUnit(png: DepthDecoding.metersPerMillimeter, npy: 1)
}

/// How a confidence file counts.
enum ConfidenceScale: Sendable {
  /// 0, 1, 2.
  case levels
  /// 0 low, 255 high, anything between medium.
  case bytes

  func levels(_ stored: Plane<UInt8>) -> Plane<UInt8> {
    switch self {
    case .levels: stored
    case .bytes: stored.map { $0 == 0 ? 0 : $0 == 255 ? 2 : 1 }
    }
  }
}

/// Everything that a capture's index tells of one frame: where its pixels lie and what they mean.
struct IndexedShot: Sendable {
  let name: String
  /// The name of the frame's own entry in messages.
  let file: String
  let timestamp: Double
  let picture: String
  var depth: String?
  var depthUnit = DepthUnit.standard
  var confidence: String?
  var confidenceScale = ConfidenceScale.levels
  let camera: StatedCamera
  let cameraToWorld: RigidTransform<CameraARKit, World>
  /// nil: as gravity has it.
  var orientation: Orientation?
}

/// Frames in the order of their times, as an index lists them.
struct IndexedCapture: CaptureSource {
  let layout: CaptureLayout
  let path: String
  let frames: [FrameReference]
  let defects: [Int: CaptureError]
  let skipped: [SkippedFrame]
  let notes: [String]

  private let folder: CaptureFolder
  /// nil of damaged frames.
  private let shots: [IndexedShot?]

  /// - `names`: The frames' names, each used once.
  /// - `subfolders`: Whose files the names are, where no index lists them; nil for the folder itself.
  /// - `notes`: What is odd about the index, a line each.
  /// - `shot`: The frame at a position of `names`; what it throws is why the frame is damaged or skipped.
  init(
    _ layout: CaptureLayout, _ folder: CaptureFolder, names: [String], filesOf subfolders: [String?] = [],
    notes: [String] = [],
    shot: (Int) throws(CaptureError) -> IndexedShot
  ) throws(CaptureError) {
    guard !names.isEmpty else { throw .noUsableFrame(path: folder.path, firstReason: "no frame is listed") }
    var listing = SequenceListing(filesOf: folder, in: subfolders)
    var found: NameTable<IndexedShot> = [:]
    for (position, name) in names.enumerated() {
      try listing.add(name: name, file: name) { () throws(CaptureError) in
        let shot = try shot(position)
        for stored in [shot.picture, shot.depth].compactMap(\.self) {
          try folder.check(stored, namedBy: shot.file)
          guard folder.hasFile(stored) else { throw .missingFile(file: shot.file, name: stored) }
        }
        found[name] = shot
        return shot.timestamp
      }
    }
    try listing.finish()
    self.layout = layout
    self.notes = notes
    self.folder = folder
    path = folder.path
    frames = listing.frames.map(\.reference)
    (defects, skipped) = (listing.defects, listing.skipped)
    shots = frames.map { found[$0.name] }
  }

  func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame {
    let shot = try shot(at: index)
    let picture = try folder.bytes(shot.picture, namedBy: shot.file)
    let imageSize = try DepthDecoding.pictureHeader(picture, file: shot.picture, limits: folder.limits).size
    var parts = FrameParts(
      file: shot.file, name: shot.name, timestamp: shot.timestamp, imageSize: imageSize,
      orientation: shot.orientation ?? Orientation(gravityIn: shot.cameraToWorld),
      intrinsics: try shot.camera.intrinsics(for: imageSize, file: shot.file),
      cameraToWorld: shot.cameraToWorld)
    if decodingImage {
      parts.image = try DepthDecoding.picture(picture, file: shot.picture, limits: folder.limits)
    }
    if let depth = shot.depth {
      parts.depth = try folder.depth(depth, namedBy: shot.file, unit: shot.depthUnit)
    }
    if let confidence = shot.confidence {
      parts.confidence = shot.confidenceScale.levels(
        try folder.confidence(confidence, namedBy: shot.file))
    }
    parts.sensor = layout.sensor
    return try parts.assembled()
  }

  func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? {
    let shot = try shot(at: index)
    return try folder.encodedPicture(shot.picture, namedBy: shot.file)
  }

  private func shot(at index: Int) throws(CaptureError) -> IndexedShot {
    _ = try reference(at: index)
    guard let shot = shots[index] else { throw .noSuchFrame(index: index, count: frames.count) }
    return shot
  }
}

extension CaptureFolder {
  /// The names of a folder's pictures (or other files) by their stems.
  ///
  /// - Throws: `CaptureError.sameStem` where two share one.
  func stems(
    in subfolder: String, endings: [String] = pictureEndings
  ) throws(CaptureError) -> NameTable<String> {
    guard hasSubfolder(subfolder) else { return [:] }
    var found: NameTable<String> = [:]
    for name in try files(in: subfolder, endings: endings) {
      if let other = found.updateValue(name, forKey: fileStem(name, endings: endings)) {
        throw .sameStem(files: [other, name])
      }
    }
    return found
  }
}

extension CaptureFolder {
  /// The files of a folder with one of these endings, by their paths, in their natural order.
  func files(
    in subfolder: String, endings: [String] = pictureEndings
  ) throws(CaptureError) -> [String] {
    try names(in: subfolder).filter { name in endings.contains { hasEnding(name, $0) } }
      .map { "\(subfolder)/\($0)" }
  }
}

/// Names for the frames of some pictures: the files' stems where each is used once, else their positions.
func frameNames(of pictures: [String]) -> [String] {
  let stems = pictures.map { fileStem($0, endings: pictureEndings) }
  guard NameSet(stems).count == stems.count, !stems.contains("") else {
    return pictures.indices.map { "frame_\($0)" }
  }
  return stems
}
