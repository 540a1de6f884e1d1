import AppCore
import FileFormats
import Geometry
import Imaging
import OutputFolders
import Reporting

/// Writes the files of each stage; docs/reference/formats.md describes them.
struct FrameWriter: Sendable {
  let folder: OutputFolder
  var files = FrameFiles()

  /// The making of a file, or of some.
  typealias Step = @Sendable () throws -> Void

  func write(_ file: DetectionsFile, image: RGBImage?, orientation: Orientation, document: Bool = true) throws
  {
    // The picture first: it may be of a size that its format has not, and then nothing is written.
    if let image { try writeAnnotated(file, image: image, orientation: orientation) }
    if document { try write(file) }
    for detection in file.detections { try writeMask(of: detection) }
  }

  /// The picture with its detections.
  func writeAnnotated(_ file: DetectionsFile, image: RGBImage, orientation: Orientation) throws {
    try write(
      Pictures.annotated(image, orientation: orientation, detections: file.detections), named: "annotated")
  }

  /// The document of detections, and the probabilities beside it.
  func write(_ file: DetectionsFile) throws {
    try folder.write(file.json(besideProbabilities: true), to: "detections.json")
    for probabilities in file.detections.lazy.compactMap(MaskProbabilities.init) {
      try folder.write(Self.array(of: probabilities.grid), to: probabilities.file)
    }
  }

  func writeMask(of detection: Detection) throws {
    guard let mask = detection.mask else { return }
    try folder.write(
      ImageCodec.encodePNG(mask.binary()), to: "masks/\(Self.number(ofObject: detection.id)).png")
  }

  func write(_ file: ClassesFile, image: RGBImage?, orientation: Orientation) throws {
    if let image {
      try write(
        Pictures.annotated(image, orientation: orientation, classes: file.classes), named: "annotated")
    }
    try folder.write(file.json, to: "classes.json")
  }

  func write(_ relative: RelativeDepth, orientation: Orientation) throws {
    try writePicture(of: relative, orientation: orientation)
    try writeArray(of: relative)
  }

  func writePicture(of relative: RelativeDepth, orientation: Orientation) throws {
    try write(Pictures.relative(relative, orientation: orientation), named: "relative")
  }

  func writeArray(of relative: RelativeDepth) throws {
    try folder.write(Self.array(of: relative.values), to: "relative.npy")
  }

  func write(_ report: FusionReport, metric: MetricDepth?) throws {
    try folder.write(report.json, to: "fusion.json")
    if let metric { try write(metric) }
  }

  func write(_ metric: MetricDepth) throws {
    for step in steps(for: metric) { try step() }
  }

  /// The files of metric depth, each by itself.
  func steps(for metric: MetricDepth) -> [Step] {
    [
      { try folder.write(Self.array(of: metric.values), to: "metric.npy") },
      { try folder.write(Pictures.depth(metric, scale: files.depthScale), to: "metric.png") },
      { try folder.write(ImageCodec.encodePNG(metric.codes), to: Self.metricSource) },
      {
        if files.pfm { try folder.write(PortableFloatMap.encode(metric.values), to: "metric.pfm") }
      },
    ]
  }

  func write(_ placed: PlacedScene, frame: CapturedFrame, fused: MetricDepth?) throws {
    try folder.write(ObjectExtent.json(placed.extents), to: "objects.json")
    for extent in placed.extents where extent.box3D.map({ $0.method != .sixPoint }) ?? false {
      let coordinates = extent.cloud.flatMap { [$0.x, $0.y, $0.z] }
      try folder.write(
        NPYArray(shape: [extent.cloud.count, 3], .float64(coordinates)),
        to: Self.points(ofObject: extent.id))
    }
    let scene = placed.model(of: frame, fused: fused)
    // Of a photograph without camera there is nothing to be seen in space.
    guard !scene.isEmpty else { return }
    try folder.write(SceneFile(effects: placed.effects).json, to: "scene.json")
    try folder.write(SceneExporter.glb(scene), to: "scene.glb")
    if files.usda { try folder.write(USDExporter.usda(scene), to: "scene.usda") }
    if files.usdz { try folder.write(USDExporter.usdz(scene), to: "scene.usdz") }
    if scene.points.count > 0 { try folder.write(PLYFile.encode(scene.points), to: "points.ply") }
  }

  /// Writes a picture for people.
  func write(_ picture: RGBImage, named stem: String) throws {
    try folder.write(files.pictures.encode(picture), to: files.pictures.file(stem))
  }

  func write(_ report: FrameReport) throws { try folder.write(ReportPage.html(report), to: "report.html") }

  /// How each pixel of `metric.npy` is known.
  static let metricSource = "metric-source.png"

  /// The file of the points from which an object's box was computed.
  static func points(ofObject id: Int) -> String { "points/\(number(ofObject: id)).npy" }

  /// Reads the points of such a file.
  static func readPoints(_ path: String) throws -> [Point3<World>] {
    try InFile.naming(path) {
      let array = try NPYArray.read(path: path)
      guard array.shape.count == 2, array.shape[1] == 3, case .float64(let values) = array.storage else {
        throw DocumentError.field(
          "array", expected: "float64 (points, 3), as this version writes it; run again without --resume")
      }
      return stride(from: 0, to: values.count, by: 3).map {
        Point3(values[$0], values[$0 + 1], values[$0 + 2])
      }
    }
  }

  /// The objects of a frame's folder, with the points from which their boxes were computed.
  static func seenObjects(in folder: String) throws -> [SeenObject] {
    let file = "\(folder)/objects.json"
    return try InFile.naming(file) {
      let document = try JSONFile.read(
        file, wanted: "that of ardf run, or remove its folder and have the frame done again")
      return try SeenObject.objects(of: document) { id in
        try readPoints("\(folder)/\(points(ofObject: id))")
      }
    }
  }

  /// A number in three digits, or more where needed.
  private static func number(ofObject id: Int) -> String {
    zeroPadded(id, 3)
  }

  static func array(_ plane: Plane<Float>) -> [UInt8] {
    array(of: plane).encoded()
  }

  private static func array(of plane: Plane<Float>) -> NPYArray {
    NPYArray(shape: [plane.height, plane.width], floats: plane.elements)
  }
}
