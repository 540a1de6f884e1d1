import Geometry
import Imaging

/// Pictures without depth or camera: one file or a folder of them, in the order of their names.
///
/// Their EXIF orientation says how they are turned upright; the timestamp is the position.
struct PlainImages: CaptureSource {
  let path: String
  let frames: [FrameReference]
  let skipped: [SkippedFrame]
  var layout: CaptureLayout { .images }

  private let folder: CaptureFolder
  private let isSingleFile: Bool

  init(_ folder: CaptureFolder, path: String, names: [String], isSingleFile: Bool = false)
    throws(CaptureError)
  {
    guard names.count <= folder.limits.frames else {
      throw .tooManyFrames(path: path, limit: folder.limits.frames)
    }
    self.folder = folder
    self.isSingleFile = isSingleFile
    self.path = path
    skipped = isSingleFile ? [] : folder.skippedNames()
    frames = names.enumerated().map { FrameReference(name: $1, timestamp: Double($0)) }
  }

  func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame {
    let reference = try reference(at: index)
    let label = isSingleFile ? path : reference.name
    let bytes = try folder.bytes(reference.name, namedBy: label)
    let header = try DepthDecoding.pictureHeader(bytes, file: label, limits: folder.limits)
    return CapturedFrame(
      name: reference.name,
      image: decodingImage ? try DepthDecoding.picture(bytes, file: label, limits: folder.limits) : nil,
      imageSize: header.size, orientation: header.orientation, timestamp: reference.timestamp)
  }

  func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? {
    let name = try reference(at: index).name
    return try folder.encodedPicture(name, namedBy: name)
  }

  static func isPicture(_ name: String) -> Bool {
    [".jpg", ".jpeg", ".png"].contains { name.lowercased().hasSuffix($0) }
  }
}
