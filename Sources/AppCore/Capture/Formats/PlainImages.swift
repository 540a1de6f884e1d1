import FileFormats
import Geometry
import Imaging

/// Pictures without depth, and without a camera unless one is asked for: one file or a folder of them, in the order of
/// their names.
///
/// Their EXIF orientation says how they are turned upright; the timestamp is the position.
struct PlainImages: CaptureSource {
  let path: String
  let frames: [FrameReference]
  let defects: [Int: CaptureError]
  let skipped: [SkippedFrame]
  var layout: CaptureLayout { .images }

  private let folder: CaptureFolder
  private let isSingleFile: Bool
  private let camera: PhotographCamera?

  /// `camera`: where the pictures' cameras come from; nil for pictures without.
  init(
    _ folder: CaptureFolder, path: String, names: [String], isSingleFile: Bool = false,
    camera: PhotographCamera? = nil
  ) throws(CaptureError) {
    guard names.count <= folder.limits.frames else {
      throw .tooManyFrames(path: path, limit: folder.limits.frames)
    }
    // A picture that the user names, or of a folder of them, may be a link; only what captures name must lie in them.
    self.folder = folder.followingLinks
    self.isSingleFile = isSingleFile
    self.path = path
    self.camera = camera
    let lost = isSingleFile ? [] : names.filter { !folder.hasFile($0) }
    guard lost.count < names.count || isSingleFile else {
      throw .noUsableFrame(path: path, firstReason: Self.lostLink)
    }
    skipped = isSingleFile ? [] : folder.skippedNames() + Self.unread(in: folder, besides: names)
    frames = names.enumerated().map { FrameReference(name: $1, timestamp: Double($0)) }
    let isLost = NameSet(lost)
    var defects: [Int: CaptureError] = [:]
    for (position, name) in names.enumerated() where isLost.contains(name) {
      defects[position] = .malformed(file: name, reason: Self.lostLink)
    }
    self.defects = defects
  }

  func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame {
    let reference = try reference(at: index)
    let label = isSingleFile ? path : reference.name
    let bytes = try folder.bytes(reference.name, namedBy: label)
    let header = try DepthDecoding.pictureHeader(bytes, file: label, limits: folder.limits)
    let intrinsics = try camera?.intrinsics(of: header, file: label)
    var frame = CapturedFrame(
      name: reference.name,
      image: decodingImage ? try DepthDecoding.picture(bytes, file: label, limits: folder.limits) : nil,
      imageSize: header.size, intrinsics: intrinsics,
      cameraToWorld: intrinsics == nil
        ? .identity : RigidTransform(rotation: header.orientation.levelCamera, origin: .origin),
      orientation: header.orientation, timestamp: reference.timestamp)
    frame.isPosed = false
    frame.cameraOrigin = camera?.origin ?? .capture
    frame.companions = header.companions
    return frame
  }

  func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? {
    let name = try reference(at: index).name
    return try folder.encodedPicture(name, namedBy: name)
  }

  /// Entries beside the pictures that are not pictures, reported as skipped.
  private static func unread(in folder: CaptureFolder, besides pictures: [String]) -> [SkippedFrame] {
    let read = NameSet(pictures)
    return ((try? folder.names()) ?? []).filter { !read.contains($0) }.map { name in
      SkippedFrame(
        name: name,
        reason: folder.hasSubfolder(name)
          ? "a folder beside pictures; give it by itself"
          : "not a picture that is read (\(pictureFormats))")
    }
  }
  private static let lostLink = "is a link that leads to nothing; link to what is there, or remove it"
}
