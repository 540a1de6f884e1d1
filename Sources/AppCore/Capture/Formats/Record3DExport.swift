import FileFormats
import Geometry

/// Record3D's export of pictures and depth as files of their own: `metadata.json`, `rgb/N.jpg` (or `.png`), and
/// `depth/N.exr`, meters.
///
/// The metadata are those of the recording.
enum Record3DExport: CaptureFormat {
  static let metadata = "metadata.json"
  private static let pictures = "rgb"
  private static let depths = "depth"

  static let marks = "\(metadata) with \(pictures) and \(depths) (Record3D's export)"

  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool {
    guard folder.hasPlainFile(metadata), folder.hasSubfolder(pictures), folder.hasSubfolder(depths) else {
      return false
    }
    return (try? folder.names(in: depths))?.contains { hasEnding($0, ".exr") } == true
  }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> IndexedCapture {
    let json = try folder.bytes(metadata, namedBy: metadata, limit: folder.limits.indexBytes)
    let fields = try Record3DMetadata(json, limits: folder.limits)
    guard fields.hasPoses else { throw .missingField(file: metadata, field: "poses") }
    let pictures = try folder.stems(in: pictures)
    let depths = try folder.stems(in: depths, endings: [".exr"])
    let names = (0..<min(fields.frameCount ?? 0, folder.limits.frames + 1)).map { "\($0)" }
    return try IndexedCapture(.record3D, folder, names: names) { number throws(CaptureError) in
      guard let picture = pictures[names[number]] else {
        throw .missingFile(file: metadata, name: "\(Self.pictures)/\(number).jpg")
      }
      return IndexedShot(
        name: names[number], file: "\(metadata), frame \(number)", timestamp: fields.time(of: number),
        picture: picture, depth: depths[names[number]], camera: try fields.camera(of: number),
        cameraToWorld: try fields.pose(of: number))
    }
  }
}
