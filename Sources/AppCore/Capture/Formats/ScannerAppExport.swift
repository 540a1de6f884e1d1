import FileFormats
import Geometry
import Imaging

/// 3D Scanner App's "All Data" export: `frame_NNNNN.json|jpg`, `depth_NNNNN.png`, `conf_NNNNN.png`.
///
/// The app stores pictures and depth with some frames only: the others are skipped.
/// Matrices are stored by rows. The export does not say how the phone was held: gravity tells.
struct ScannerAppExport: CaptureSource, CaptureFormat {
  static let marks = "frame_NNNNN.json (3D Scanner App)"

  let path: String
  let frames: [FrameReference]
  let defects: [Int: CaptureError]
  let skipped: [SkippedFrame]
  var layout: CaptureLayout { .scannerApp }

  private let folder: CaptureFolder
  private let files: [SequenceFrame]

  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool {
    !names.sorted.metadataNumbers(prefix: "frame_").isEmpty
  }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> ScannerAppExport {
    try ScannerAppExport(folder, numbers: folder.names().metadataNumbers(prefix: "frame_"))
  }

  private init(_ folder: CaptureFolder, numbers: [String]) throws(CaptureError) {
    var listing = SequenceListing(filesOf: folder)
    for number in numbers {
      let file = "frame_\(number).json"
      try listing.add(name: "frame_\(number)", file: file) { () throws(CaptureError) in
        for name in [Self.picture(number), Self.depth(number)] where !folder.hasFile(name) {
          throw .notRecorded(file: file, name: name)
        }
        return try folder.metadata(file).number("time")
      }
    }
    try listing.finish()
    self.folder = folder
    files = listing.frames
    (defects, skipped) = (listing.defects, listing.skipped)
    frames = files.map(\.reference)
    path = folder.path
  }

  func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame {
    let reference = try reference(at: index)
    let file = files[index].file
    let number = String(reference.name.dropFirst("frame_".count))
    let fields = try folder.metadata(file)
    let picture = try folder.bytes(Self.picture(number), namedBy: file)
    let imageSize = try DepthDecoding.pictureHeader(
      picture, file: Self.picture(number), limits: folder.limits
    ).size
    let pose = try fields.pose("cameraPoseARFrame", order: .rowMajor)
    var parts = FrameParts(
      file: file, name: reference.name, timestamp: reference.timestamp, imageSize: imageSize,
      orientation: Orientation(gravityIn: pose),
      intrinsics: try fields.intrinsics("intrinsics", order: .rowMajor, imageSize: imageSize),
      cameraToWorld: pose)
    if decodingImage {
      parts.image = try DepthDecoding.picture(picture, file: Self.picture(number), limits: folder.limits)
    }
    parts.depth = try folder.depth(Self.depth(number), namedBy: file)
    if folder.hasFile(Self.confidence(number)) {
      parts.confidence = try folder.confidence(Self.confidence(number), namedBy: file)
    }
    parts.sensor = layout.sensor
    return try parts.assembled()
  }

  func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? {
    let number = String(try reference(at: index).name.dropFirst("frame_".count))
    return try folder.encodedPicture(Self.picture(number), namedBy: files[index].file)
  }

  static func picture(_ number: String) -> String { "frame_\(number).jpg" }
  static func depth(_ number: String) -> String { "depth_\(number).png" }
  static func confidence(_ number: String) -> String { "conf_\(number).png" }
}
