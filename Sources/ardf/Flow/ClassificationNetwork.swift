import AppCore
import FileFormats
import Imaging
import Models
import NNRuntime

/// A YOLO classifier ready to tell what pictures are of.
struct ClassificationNetwork: Sendable {
  /// Classes that are told of a picture.
  private static let mostClasses = 5

  /// The weights' path.
  let file: String
  let model: YOLOClassifier
  private let source: [String: String]

  init(
    _ weights: DetectorWeights, _ options: DetectorOptions, compute: ComputeOptions, pool: ThreadPool
  ) throws {
    if !options.classes.isEmpty || options.rect {
      throw CommandError.usage(
        "\(weights.file): holds a classifier, which takes no --classes and no --rect; leave them out")
    }
    file = weights.file
    source = weights.store.metadata
    let side =
      options.imgsz
      ?? DetectorOptions.trainedSide(of: weights.store, otherwise: YOLOClassifier.publishedSide)
    model = try InFile.naming(weights.file) {
      try YOLOClassifier(weights: weights.store, side: side, options: compute.planOptions(), pool: pool)
    }
  }

  private init(_ other: ClassificationNetwork, model: YOLOClassifier) {
    (file, source) = (other.file, other.source)
    self.model = model
  }

  /// The same network run by another pool, side by side with this one.
  func running(on pool: ThreadPool) -> ClassificationNetwork {
    ClassificationNetwork(self, model: model.running(on: pool))
  }

  /// What the network is called.
  var name: String { model.architecture.name }

  /// The network's input, for people.
  var inputText: String { "\(model.side)x\(model.side)" }

  /// What `classes.json` says about the network.
  private var description: JSONValue {
    [
      "name": .string(name), "classes": .integer(model.architecture.classCount),
      "input": .string(inputText), "sourceSHA256": source["source_sha256"].map(JSONValue.string) ?? .null,
    ]
  }

  /// All classes of an upright picture, the likeliest first.
  func classify(_ upright: RGBImage) throws -> Classification {
    try InFile.naming(file) { try model.classify(upright) }
  }

  /// What a frame's picture is of.
  func classes(of frame: CapturedFrame, speed: inout SpeedLog) throws -> ClassesFile {
    guard let image = frame.image else { throw CommandError.input("\(frame.name): the frame has no picture") }
    let found = try classify(image.oriented(frame.orientation))
    speed.add(found.timings, network: "\(name), \(inputText)")
    return ClassesFile(
      image: frame.name, imageSize: frame.imageSize, model: description,
      classes: found.classes.prefix(Self.mostClasses).map {
        ClassesFile.Entry(classId: $0.index, className: $0.name, confidence: $0.probability)
      })
  }
}
