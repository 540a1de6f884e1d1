import FileFormats
import Geometry
import Imaging
import Models
import NNRuntime
import TestSupport
import Testing

/// The objects that Ultralytics 8.4.190 finds in real pictures with the published yolo11n-seg at confidence 0.25.
@Suite(
  "Detections in real pictures against Ultralytics",
  .enabled(
    if: SharedData.exists("weights/yolo11n-seg.pt"), "real pictures are not present beside the package"))
struct UltralyticsDetectionTests {
  private static let boxTolerance = 0.5
  private static let scoreTolerance: Float = 1e-3
  private static let leastMaskOverlap = 0.99

  private static let pictures: [(name: String, entry: JSONValue)] = {
    let golden = try? JSONValue.read(path: Golden.path("ultralytics-8.4.190-yolo11n-seg.json"))
    return (golden?["pictures"]?.object ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }()

  private static let square = Result { try model(.fixed(height: 640, width: 640)) }
  private static let rectangle = Result { try model(.minimalRectangle(side: 640)) }

  private static func model(_ input: YOLODetector.Input) throws -> YOLODetector {
    let checkpoint = try CheckpointConverter.read(SharedData.path("weights/yolo11n-seg.pt"))
    let store = WeightStore(tensors: checkpoint.tensors, metadata: checkpoint.metadata)
    return try YOLODetector(weights: store, input: input)
  }

  @Test("there are goldens to compare with")
  func goldens() throws {
    #expect(Self.pictures.count >= 20)
    #expect(try Self.square.get().architecture.variant == .n)
  }

  @Test("every detection and no other", arguments: pictures.map(\.name))
  func detections(picture name: String) throws {
    let entry = try #require(Self.pictures.first { $0.name == name }?.entry)
    let picture = try Self.upright(name, entry)
    #expect(picture.width == entry["width"]?.integer && picture.height == entry["height"]?.integer)

    for (run, overlap, model) in [
      ("iou 0.7", Float(0.7), try Self.square.get()), ("iou 0.5", 0.5, try Self.square.get()),
      ("iou 0.7, rect", 0.7, try Self.rectangle.get()),
    ] {
      let found = try model.detect(
        picture, thresholds: DetectionThresholds(confidence: 0.25, overlap: overlap), masks: .fast
      ).objects
      let expected = try (try #require(entry[run]?.array)).map(ExpectedObject.init)
      #expect(found.map(\.classIndex) == expected.map(\.classIndex), "\(run)")
      for (object, reference) in zip(found, expected) {
        try expect(object, agreesWith: reference, "\(run), \(object.className) \(object.confidence)")
      }
    }
  }

  @Test(
    "masks scaled to the picture", .enabled(if: References.available, "ARDF_REFERENCES names no folder"),
    arguments: pictures.map(\.name))
  func imageMasks(picture name: String) throws {
    let file = name.split(separator: ".")[0].replacing("/", with: "-")
    let entry = try JSONValue.read(path: "\(References.folder ?? "")/detections/\(file).json")
    let picture = try Self.upright(name, entry)
    let thresholds = DetectionThresholds(confidence: 0.25, overlap: 0.7)
    let found = try Self.square.get().detect(picture, thresholds: thresholds, masks: .fast).objects
    let expected = try (try #require(entry["iou 0.7"]?.array)).map(ExpectedObject.init)
    #expect(found.count == expected.count)
    for (object, reference) in zip(found, expected) {
      let overlap = try #require(reference.imageMask).overlap(with: try #require(object.mask))
      #expect(overlap >= Self.leastMaskOverlap, "\(object.className) \(object.confidence)")
    }
  }

  private static func upright(_ name: String, _ entry: JSONValue) throws -> RGBImage {
    let decoded = try ImageCodec.decode(path: SharedData.path("data/\(name)")).upright()
    return entry["turnedClockwise"]?.bool == true ? decoded.oriented(.right) : decoded
  }

  private func expect(
    _ object: DetectedObject, agreesWith reference: ExpectedObject, _ label: Comment
  ) throws {
    #expect(abs(object.confidence - reference.score) <= Self.scoreTolerance, label)
    for edge in [\Rect<UprightPixels>.minX, \.minY, \.maxX, \.maxY] {
      #expect(abs(object.box[keyPath: edge] - reference.box[keyPath: edge]) <= Self.boxTolerance, label)
    }
    let overlap = reference.networkMask.overlap(with: try #require(object.networkMask))
    #expect(overlap >= Self.leastMaskOverlap, label)
  }
}

/// A detection of the golden.
private struct ExpectedObject {
  let classIndex: Int
  let score: Float
  let box: Rect<UprightPixels>
  let networkMask: RunLengthMask
  let imageMask: RunLengthMask?

  init(_ value: JSONValue) throws {
    classIndex = try #require(value["class"]?.integer)
    score = Float(try #require(value["score"]?.number))
    let edges = try #require(value["box"]?.numbers)
    box = Rect(minX: edges[0], minY: edges[1], maxX: edges[2], maxY: edges[3])
    networkMask = try Self.mask(try #require(value["networkMask"]))
    imageMask = try value["imageMask"].map(Self.mask)
  }

  private static func mask(_ value: JSONValue) throws -> RunLengthMask {
    let size = try #require(value["size"]?.numbers)
    return try RunLengthMask(
      height: Int(size[0]), width: Int(size[1]), counts: try #require(value["counts"]?.string))
  }
}

extension RunLengthMask {
  /// Intersection over union of two rasters.
  fileprivate func overlap(with other: ObjectMask) -> Double {
    let found = other.plane().elements
    let expected = mask
    guard found.count == expected.count, other.rasterWidth == width else { return 0 }
    var (both, either) = (0, 0)
    for index in found.indices {
      both += found[index] != 0 && expected[index] != 0 ? 1 : 0
      either += found[index] != 0 || expected[index] != 0 ? 1 : 0
    }
    return either > 0 ? Double(both) / Double(either) : 1
  }
}
