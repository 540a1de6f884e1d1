import FileFormats
import Geometry

/// Polycam's raw data: `keyframes/` with `cameras/TIME.json`, `images`, `depth`, `confidence`, the times in
/// microseconds; the corrected cameras and pictures before the original ones.
///
/// A frame whose corrected picture is not there
/// has the original one, with its own focal lengths and at the corrected place.
///
/// `t_00` to `t_23` are the rows of camera-to-world, ARKit axes. Depth is u16 millimeters, confidence 0, 127,
/// 255.
enum PolycamFolder: CaptureFormat {
  static let keyframes = "keyframes"

  private static let secondsPerMicrosecond = 1e-6

  static let marks = "\(keyframes) (Polycam)"

  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool {
    folder.hasSubfolder(keyframes)
  }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> IndexedCapture {
    let isCorrected = folder.hasSubfolder("\(keyframes)/corrected_cameras")
    let cameraFolder = "\(keyframes)/\(isCorrected ? "corrected_cameras" : "cameras")"
    guard folder.hasSubfolder(cameraFolder) else {
      throw .missingFile(file: keyframes, name: cameraFolder)
    }
    let cameras = try folder.stems(in: cameraFolder, endings: [".json"])
    let corrected = isCorrected ? try folder.stems(in: "\(keyframes)/corrected_images") : [:]
    let originals = try folder.stems(in: "\(keyframes)/images")
    let originalCameras = isCorrected ? try folder.stems(in: "\(keyframes)/cameras", endings: [".json"]) : [:]
    let confidences = try folder.stems(in: "\(keyframes)/confidence", endings: [".png"])
    let names = cameras.keys
    return try IndexedCapture(.polycam, folder, names: names, filesOf: [cameraFolder]) {
      position throws(CaptureError) in
      let name = names[position]
      let file = "\(cameraFolder)/\(name).json"
      guard let microseconds = integer(of: name, in: 0...1 << 60) else { throw .untimedName(file: file) }
      guard let picture = corrected[name] ?? originals[name] else {
        throw .missingFile(file: file, name: "\(keyframes)/images/\(name).jpg")
      }
      let fields = try folder.metadata(cameras[name] ?? file)
      var rows: [Double] = []
      for row in 0..<3 {
        for column in 0..<4 { rows.append(try fields.number("t_\(row)\(column)")) }
      }
      let hasOriginal = corrected[name] == nil
      let lens =
        if hasOriginal, let original = originalCameras[name] { try folder.metadata(original) } else { fields }
      // Present exports leave the size out: it is the picture's.
      let hasSize = lens.has("width") || lens.has("height")
      return IndexedShot(
        name: name, file: file, timestamp: Double(microseconds) * secondsPerMicrosecond, picture: picture,
        depth: "\(keyframes)/depth/\(name).png", confidence: confidences[name], confidenceScale: .bytes,
        camera: StatedCamera(
          fx: try lens.number("fx"), fy: try lens.number("fy"), cx: try lens.number("cx"),
          cy: try lens.number("cy"), size: hasSize ? try lens.size(width: "width", height: "height") : nil),
        cameraToWorld: try FrameFields.pose(rows + [0, 0, 0, 1], order: .rowMajor, file: file))
    }
  }
}
