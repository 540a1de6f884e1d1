import FileFormats
import Geometry
import Imaging

/// One picture with its depth and a stated camera, named file by file.
///
/// Depth is u16 of a stated unit (PNG) or float32 meters (npy). The picture's EXIF orientation turns it upright;
/// the camera stands at the origin and looks level along -z.
struct PlainShot: CaptureSource {
  let path: String
  let frames: [FrameReference]
  let skipped: [SkippedFrame] = []
  var layout: CaptureLayout { .imageWithDepth }

  private let picture: NamedFile
  private let depth: NamedFile
  private let confidence: NamedFile?
  private let camera: StatedCamera
  private let unit: DepthUnit

  init(
    image: String, depth: String, confidence: String?, camera: StatedCamera, unit: DepthUnit,
    limits: CaptureLimits
  ) throws(CaptureError) {
    self.unit = unit
    path = image
    picture = try NamedFile(image, limits)
    self.depth = try NamedFile(depth, limits)
    self.confidence = try confidence.map { path throws(CaptureError) in try NamedFile(path, limits) }
    self.camera = camera
    frames = [FrameReference(name: fileStem(image), timestamp: 0)]
  }

  func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame {
    let reference = try reference(at: index)
    let bytes = try picture.folder.bytes(picture.name, namedBy: path)
    let header = try DepthDecoding.pictureHeader(bytes, file: path, limits: picture.folder.limits)
    var parts = FrameParts(
      file: path, name: reference.name, timestamp: reference.timestamp, imageSize: header.size,
      orientation: header.orientation, intrinsics: try camera.intrinsics(for: header.size, file: path),
      cameraToWorld: RigidTransform(rotation: header.orientation.levelCamera, origin: .origin))
    if decodingImage {
      parts.image = try DepthDecoding.picture(bytes, file: path, limits: picture.folder.limits)
    }
    parts.depth = try depth.folder.depth(depth.name, namedBy: path, unit: unit)
    if let confidence {
      parts.confidence = try confidence.folder.confidence(confidence.name, namedBy: path)
    }
    parts.sensor = layout.sensor
    var frame = try parts.assembled()
    frame.isPosed = false
    frame.cameraOrigin = .stated
    return frame
  }

  func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? {
    _ = try reference(at: index)
    return try picture.folder.encodedPicture(picture.name, namedBy: path)
  }
}

/// A file that the user names, which may be a link.
private struct NamedFile: Sendable {
  let folder: CaptureFolder
  let name: String

  init(_ path: String, _ limits: CaptureLimits) throws(CaptureError) {
    guard pathKind(path) != nil else { throw .notFound(path: path) }
    let (parent, name) = AtomicOutputs.split(path)
    folder = try CaptureFolder(path: parent, limits: limits).followingLinks
    self.name = name
  }
}

extension Orientation {
  /// The turn of a level camera about its own axis that makes the stored picture need this one.
  var levelCamera: Quaternion {
    let half = 0.5.squareRoot()
    let turn: (z: Double, w: Double) =
      switch self {
      case .right, .rightMirrored: (-half, half)
      case .left, .leftMirrored: (half, half)
      case .down, .downMirrored: (1, 0)
      case .up, .upMirrored: (0, 1)
      }
    return Quaternion(x: 0, y: 0, z: turn.z, w: turn.w) ?? .identity
  }
}
