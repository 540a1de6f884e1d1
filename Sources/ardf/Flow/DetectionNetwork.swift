import AppCore
import FileFormats
import Geometry
import Imaging
import Models
import NNRuntime
import Perception

/// A YOLO network's weights as given to `--yolo`, of whatever task.
struct DetectorWeights {
  /// The weights' path.
  let file: String
  let store: WeightStore
  /// What the network finds.
  let task: NetworkTask

  /// Reads the weights that the options name.
  init(_ options: DetectorOptions, compute: ComputeOptions) throws {
    let file = try WeightFiles.detector(options.yolo)
    let store = try WeightStore(path: file, allowNonFinite: compute.allowNonfinite)
    let family = try InFile.naming(file) { try RecognizedNetwork.family(of: store) }
    guard family.task != .depth else {
      throw CommandError.input(
        "\(file): holds a depth network; give it as --depth, and YOLO weights as --yolo")
    }
    (self.file, self.store, task) = (file, store, family.task)
  }
}

/// A YOLO network ready to find objects in captured frames.
struct DetectionNetwork: Sendable {
  /// The weights' path.
  let file: String
  let model: YOLODetector
  private(set) var thresholds: DetectionThresholds
  /// The only classes of interest; nil for all.
  private let classes: Set<Int>?
  /// The most objects of a picture.
  private var limit: Int
  private let masks: MaskMethod
  /// What masks may cost.
  var maskBounds = MaskBounds()
  private let source: [String: String]

  init(_ options: DetectorOptions, compute: ComputeOptions, pool: ThreadPool) throws {
    try self.init(
      DetectorWeights(options, compute: compute), options, compute: compute, pool: pool)
  }

  init(
    _ weights: DetectorWeights, _ options: DetectorOptions, compute: ComputeOptions, pool: ThreadPool
  ) throws {
    guard weights.task == .objects else {
      throw CommandError.input(
        "\(weights.file): holds a classifier, which finds no objects; ardf detect runs it, this needs a detector"
      )
    }
    file = weights.file
    let store = weights.store
    model = try InFile.naming(file) {
      try YOLODetector(
        weights: store, input: options.input(of: store), suppressing: options.nms,
        options: compute.planOptions(), pool: pool)
    }
    thresholds = options.thresholds
    limit = options.maxDet
    classes = try options.classIndices(among: model.architecture.classNames)
    masks = options.masks.method
    source = store.metadata
  }

  private init(_ other: DetectionNetwork, model: YOLODetector) {
    (file, thresholds, masks, source) = (other.file, other.thresholds, other.masks, other.source)
    (classes, limit, maskBounds) = (other.classes, other.limit, other.maskBounds)
    self.model = model
  }

  /// The same network run by another pool, side by side with this one.
  func running(on pool: ThreadPool) -> DetectionNetwork {
    DetectionNetwork(self, model: model.running(on: pool))
  }

  /// The same network with other thresholds; nil leaves them.
  func with(confidence: Float?, overlap: Float?, limit: Int?) -> DetectionNetwork {
    var other = self
    if let confidence { other.thresholds.confidence = confidence }
    if let overlap { other.thresholds.overlap = overlap }
    if let limit {
      other.limit = limit
      if classes == nil { other.thresholds.limit = limit }
    }
    return other
  }

  /// What the network is called.
  var name: String { model.architecture.name }
  var classCount: Int { model.architecture.classCount }
  /// What it finds.
  var task: YOLOTask { model.architecture.task }
  /// Key points of an object; nil of networks without.
  var keypoints: KeypointShape? { model.architecture.keypoints }

  /// The network's input for a picture, for people.
  var inputText: String {
    switch model.input {
    case .fixed(let height, let width): "\(width)x\(height)"
    case .minimalRectangle(let side): "within \(side)x\(side)"
    }
  }

  /// What `detections.json` says about the network.
  var description: JSONValue {
    var description: [String: JSONValue] = [
      "name": .string(name), "classes": .integer(classCount), "input": .string(inputText),
      "sourceSHA256": source["source_sha256"].map(JSONValue.string) ?? .null,
      "confidence": .rounded(Double(thresholds.confidence), decimals: 6),
      "iou": .rounded(Double(thresholds.overlap), decimals: 6), "maxDetections": .integer(limit),
    ]
    if task == .segment {
      description["masks"] = .string(masks.rawValue)
    } else {
      description["finds"] = .string(task.finds)
    }
    if model.architecture.isEndToEnd { description["iou"] = nil }
    if let classes { description["only"] = .array(classes.sorted().map(JSONValue.integer)) }
    return .object(description)
  }

  /// The objects of an upright picture, said of the picture as it is stored.
  func detect(
    _ upright: RGBImage, orientation: Orientation, stored: PixelSize
  ) throws -> (detections: [Detection], timings: StageTimings, selection: Duration) {
    let result = try objects(of: upright)
    return (
      kept(result).map { $0.turnedBack(from: orientation, stored: stored).asWritten }, result.timings,
      result.selection
    )
  }

  /// The objects of an upright picture.
  func detect(_ upright: RGBImage) throws -> [UprightDetection] {
    kept(try objects(of: upright)).map(\.asWritten)
  }

  private func objects(of upright: RGBImage) throws -> DetectedObjects {
    let letterbox = model.letterbox(for: PixelSize(width: upright.width, height: upright.height))
    return try InFile.naming(file) {
      try model.detect(upright, in: letterbox, thresholds: thresholds, masks: masks, bounds: maskBounds)
    }
  }

  private func kept(_ result: DetectedObjects) -> [UprightDetection] {
    result.detections(of: classes, limit: limit)
  }
}
