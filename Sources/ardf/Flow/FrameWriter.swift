import AppCore
import FileFormats
import Geometry
import Imaging
import Reporting

/// Writes the files of each stage; what they hold is said in docs/formats.md.
struct FrameWriter {
  let folder: OutputFolder
  var files = FrameFiles()

  func write(_ file: DetectionsFile, image: RGBImage?, orientation: Orientation, document: Bool = true) throws
  {
    if document { try folder.write(file.json, to: "detections.json") }
    for detection in file.detections {
      guard let mask = detection.mask else { continue }
      let digits = String(detection.id)
      let number = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
      try folder.write(ImageCodec.encodePNG(mask.binary()), to: "masks/\(number).png")
    }
    if let image {
      try folder.write(
        Pictures.annotated(image, orientation: orientation, detections: file.detections), to: "annotated.png")
    }
  }

  func write(_ relative: RelativeDepth, orientation: Orientation) throws {
    try folder.write(Self.array(relative.values), to: "relative.npy")
    try folder.write(Pictures.relative(relative, orientation: orientation), to: "relative.png")
  }

  func write(_ report: FusionReport, metric: MetricDepth?) throws {
    try folder.write(report.json, to: "fusion.json")
    guard let metric else { return }
    try folder.write(Self.array(metric.values), to: "metric.npy")
    try folder.write(Pictures.depth(metric, scale: files.depthScale), to: "metric.png")
    if files.pfm { try folder.write(PortableFloatMap.encode(metric.values), to: "metric.pfm") }
  }

  func write(_ placed: PlacedScene, frame: CapturedFrame) throws {
    try folder.write(ObjectExtent.json(placed.extents), to: "objects.json")
    try folder.write(SceneFile(effects: placed.effects).json, to: "scene.json")
    let scene = placed.model(of: frame)
    try folder.write(SceneExporter.glb(scene), to: "scene.glb")
    if files.usda { try folder.write(USDExporter.usda(scene), to: "scene.usda") }
    if files.usdz { try folder.write(USDExporter.usdz(scene), to: "scene.usdz") }
    try folder.write(PLYFile.encode(scene.points), to: "points.ply")
  }

  func write(_ report: FrameReport) throws { try folder.write(ReportPage.html(report), to: "report.html") }

  static func array(_ plane: Plane<Float>) -> [UInt8] {
    NPYArray(shape: [plane.height, plane.width], floats: plane.elements).encoded()
  }
}
