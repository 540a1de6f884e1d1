import FileFormats
import Geometry
import Imaging

/// A video of ARKitScenes' depth upsampling: `color`, `lowres_depth`, `confidence`, and `highres_depth` of a laser scanner.
///
/// There is neither camera nor pose: depth can be compared, nothing can be measured in meters. Depth is u16 millimeters,
/// confidence 0, 1, 2.
struct ARKitUpsamplingFolder: CaptureFormat, CaptureSource {
  static let pictures = "color"
  static let depths = "lowres_depth"
  static let marks = "\(pictures), \(depths), \(LaserDepth.arkitScenes) (ARKitScenes' upsampling)"

  let path: String
  let frames: [FrameReference]
  let defects: [Int: CaptureError]
  let skipped: [SkippedFrame]
  var layout: CaptureLayout { .arkitUpsampling }

  private struct Shot {
    let picture, depth: String
    let confidence: String?
  }

  private let folder: CaptureFolder
  /// nil of damaged frames.
  private let shots: [Shot?]

  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool {
    [pictures, depths, LaserDepth.arkitScenes].allSatisfy { folder.hasSubfolder($0) }
  }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> ARKitUpsamplingFolder {
    try ARKitUpsamplingFolder(folder)
  }

  private init(_ folder: CaptureFolder) throws(CaptureError) {
    self.folder = folder
    path = folder.path
    let stored = try folder.stems(in: Self.pictures)
    let depths = try folder.stems(in: Self.depths, endings: [".png"])
    let confidences = try folder.stems(in: "confidence", endings: [".png"])
    guard !stored.keys.isEmpty else {
      throw .noUsableFrame(path: folder.path, firstReason: "no frame is listed")
    }
    var listing = SequenceListing(filesOf: folder, in: [Self.pictures])
    var found: NameTable<Shot> = [:]
    for name in stored.keys {
      let picture = stored[name] ?? name
      try listing.add(name: name, file: picture) { () throws(CaptureError) in
        guard let time = ARKitScenesFolder.time(name) else { throw .untimedName(file: picture) }
        guard let depth = depths[name] else {
          throw .notRecorded(file: picture, name: "\(Self.depths)/\(name).png")
        }
        found[name] = Shot(picture: picture, depth: depth, confidence: confidences[name])
        return time
      }
    }
    try listing.finish()
    frames = listing.frames.map(\.reference)
    (defects, skipped) = (listing.defects, listing.skipped)
    shots = frames.map { found[$0.name] }
  }

  func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame {
    let reference = try reference(at: index)
    guard let shot = shots[index] else { throw .noSuchFrame(index: index, count: frames.count) }
    let bytes = try folder.bytes(shot.picture, namedBy: shot.picture)
    let size = try DepthDecoding.pictureHeader(bytes, file: shot.picture, limits: folder.limits).size
    // A camera stands in for the check of the parts alone.
    var parts = FrameParts(
      file: shot.picture, name: reference.name, timestamp: reference.timestamp, imageSize: size,
      orientation: .up, intrinsics: try Self.anyCamera(size, file: shot.picture), cameraToWorld: .identity)
    if decodingImage {
      parts.image = try DepthDecoding.picture(bytes, file: shot.picture, limits: folder.limits)
    }
    parts.depth = try folder.depth(shot.depth, namedBy: shot.picture)
    if let confidence = shot.confidence {
      parts.confidence = try folder.confidence(confidence, namedBy: shot.picture)
    }
    parts.sensor = layout.sensor
    let checked = try parts.assembled()
    var frame = CapturedFrame(
      name: checked.name, image: checked.image, imageSize: size, depth: checked.depth,
      confidence: checked.confidence, sensor: checked.sensor, timestamp: checked.timestamp)
    frame.isPosed = false
    return frame
  }

  private static func anyCamera(_ size: PixelSize, file: String) throws(CaptureError) -> Intrinsics {
    let (width, height) = (Double(size.width), Double(size.height))
    return try StatedCamera(fx: width, fy: width, cx: width / 2, cy: height / 2)
      .intrinsics(for: size, file: file)
  }

  func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? {
    _ = try reference(at: index)
    guard let shot = shots[index] else { throw .noSuchFrame(index: index, count: frames.count) }
    return try folder.encodedPicture(shot.picture, namedBy: path)
  }
}
