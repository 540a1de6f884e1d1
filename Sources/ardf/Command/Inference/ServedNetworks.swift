import AppCore
import FileFormats
import Geometry
import HTTPServing
import Imaging
import InferenceProtocol
import InferenceServing
import Models
import NNRuntime
import Perception

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The models that `ardf serve --models` offers: the networks themselves, and the pipelines built on them.
struct ServedNetworks {
  private(set) var models: [any ServedModel] = []
  private var detector: (lanes: [ObjectDetector], name: String)?
  private var classifier: (lanes: [PictureClassifier], name: String)?
  private var depth: (lanes: [any DepthNetwork], name: String)?
  private let pools: [ThreadPool]
  private let metrics: Metrics

  /// Loads the networks, and runs each once in every lane.
  init(
    _ named: [NamedWeights], pools: [ThreadPool], detector settings: DetectorSettings,
    depth depthSettings: DepthSettings,
    fusion: FusionOptions, sensor: SensorModel, compute: ComputeSettings, limits: ImageLimits,
    metrics: Metrics
  ) throws {
    self.pools = pools
    self.metrics = metrics
    for named in named {
      let clock = ContinuousClock()
      let began = clock.now
      let weights = try NetworkWeights(named.file, allowNonFinite: compute.allowsNonFinite)
      switch weights.task {
      case .objects(let family):
        let network = try settings.network(weights, family, compute, pool: pools[0])
        let rules = try settings.rules(of: network)
        let lanes = [network] + pools.dropFirst().map(network.running)
        try add(DetectorModel(lanes, name: named.name))
        if detector == nil { detector = (lanes.map { ObjectDetector($0, rules: rules) }, named.name) }
      case .classes(let family):
        let network = try settings.classifier(weights, family, compute, pool: pools[0])
        let lanes = [network] + pools.dropFirst().map(network.running)
        try add(ClassifierModel(lanes.map(\.network), name: named.name))
        if classifier == nil { classifier = (lanes, named.name) }
      case .depth:
        let network = try depthSettings.network(weights, compute, pool: pools[0])
        let lanes = [network] + pools.dropFirst().map(network.running)
        try add(DepthModel(lanes, name: named.name))
        if depth == nil { depth = (lanes, named.name) }
      }
      metrics.loaded(named.name, in: clock.now - began)
    }
    if let detector {
      try add(DetectPipeline(detector.lanes, limits: limits), isPipeline: true)
      let perceivers = detector.lanes.enumerated().map { lane, detector in
        Perceiver(detector: detector, depth: depth?.lanes[lane], fusion: fusion, isOverlapped: false)
      }
      try add(MeasurePipeline(perceivers, sensor: sensor, limits: limits), isPipeline: true)
    }
    if let classifier {
      try add(ClassifyPipeline(classifier.lanes, limits: limits), isPipeline: true)
    }
    if let depth {
      try add(DepthPipeline(depth.lanes, limits: limits), isPipeline: true)
    }
  }

  /// Adds a network of `--models`, or a pipeline made of them.
  private mutating func add(_ model: any ServedModel, isPipeline: Bool = false) throws {
    let name = model.description.name
    guard !models.contains(where: { $0.description.name == name }) else {
      throw CommandError.usage(
        isPipeline
          ? "--models: \(name) is the name of what is made of the networks here; give the network another one with NAME=FILE"
          : "--models: two models would be called \(name); give one another name with NAME=FILE")
    }
    models.append(model)
  }

  /// The first detector for clients of DeepStack's API.
  ///
  /// - Throws: `CommandError.usage` where there is none.
  func deepStack() throws -> DeepStackService {
    guard let detector else {
      throw CommandError.usage("--deepstack: finds objects; name a detector among --models, such as yolo11n")
    }
    return DeepStackService(model: "detect", network: detector.name)
  }

  /// The served models in words.
  var text: String {
    models.map(\.description).map { "\($0.name) (\($0.platform))" }.joined(separator: ", ")
  }
}

/// An entry of `--models`: a name in addresses, and the weight file.
struct NamedWeights {
  let name: String
  let file: GivenPath

  /// Endings of weight files' names, which are no part of the network's name.
  private static let endings = [".safetensors", ".pt", ".pth", ".onnx", ".bin", ".ckpt"]

  /// The entries of `--models`, which may be several in one.
  static func list(_ entries: [String]) throws -> [NamedWeights] {
    try entries.flatMap { $0.split(separator: ",").map(String.init) }.map { try NamedWeights($0) }
  }

  /// Reads `NAME=FILE`, a file, or a network's name.
  init(_ entry: String) throws {
    let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
    let given = parts.last ?? entry
    if !FileManager.default.fileExists(atPath: given), given.contains("/") || given.contains(".") {
      throw FileError.missing(path: given)
    }
    file = try WeightFiles.named(given) ?? WeightFiles.network(given)
    name = parts.count == 2 ? parts[0] : fileStem(given, endings: Self.endings)
    guard !name.isEmpty, name.utf8.count <= 100, name.first != ".",
      name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) })
    else {
      throw CommandError.usage(
        "--models \(entry): a model's name has letters, digits, ., _ and -; give one with NAME=FILE")
    }
  }
}

/// A picture as a client sends it: one element of `BYTES`.
struct SentPicture {
  /// The picture as stored.
  let image: RGBImage
  /// The orientation: the request's `orientation`, an EXIF number, else the file's own.
  let orientation: Orientation

  /// The picture of a call's `image`.
  ///
  /// - Throws: `UnfitInput`, `ProtocolError`.
  init(_ call: InferenceCall, limits: ImageLimits) throws {
    guard let file = call.inputs["image"]?.texts?.first else {
      throw UnfitInput("image: send the bytes of one picture (JPEG, PNG, HEIC, AVIF or WebP)")
    }
    let turn = try call.request.integer("orientation", in: 1...8).flatMap(Orientation.init(rawValue:))
    do {
      let header = try ImageCodec.header(file, name: "image", limits: limits)
      // Within the limits, so that no product overflows.
      let pixels = header.size.width * header.size.height
      orientation = turn ?? header.orientation
      bytes = (orientation == .up ? 3 : 6) * pixels
      try call.memory.take(bytes)
      image = try call.memory.holding(Self.decodingBytesPerPixel * pixels) {
        try ImageCodec.decode(file, name: "image", limits: limits).image
      }
      upright = image.oriented(orientation)
    } catch let error as ImageError {
      throw UnfitInput("\(error)")
    }
  }

  /// Memory of a decoder besides the picture, bytes a pixel: a progressive JPEG's coefficients, three of two bytes.
  private static let decodingBytesPerPixel = 6

  /// The picture upright.
  let upright: RGBImage
  /// Bytes of both pictures.
  let bytes: Int
  /// Pixels.
  var pixels: Int { image.size.width * image.size.height }

  /// Its description for clients.
  static let description = TensorDescription("image", .bytes, [1])
}

/// Limits on raw inputs.
enum RawInput {
  /// Pixels of an input, which set the memory of a run.
  static let mostPixels = 1280 * 1280
  /// Pictures of one request.
  static let mostPictures = 64

  /// Batch, height and width of `(N, 3, height, width)`.
  static func sizes(of tensor: ProtocolTensor, multipleOf step: Int) throws -> (
    batch: Int, height: Int, width: Int
  ) {
    let (batch, height, width) = (tensor.shape[0], tensor.shape[2], tensor.shape[3])
    guard (1...mostPictures).contains(batch) else {
      throw UnfitInput("\(tensor.name): send 1 to \(mostPictures) pictures, not \(batch)")
    }
    guard height > 0, width > 0, height.isMultiple(of: step), width.isMultiple(of: step),
      height * width <= mostPixels
    else {
      throw UnfitInput(
        "\(tensor.name): \(height)x\(width): give sides that are multiples of \(step), of at most \(mostPixels) pixels"
      )
    }
    return (batch, height, width)
  }

  /// Refuses inputs for which a network gives non-finite numbers.
  static func checkFinite(_ output: [Float], from input: ProtocolTensor) throws(UnfitInput) {
    guard output.allSatisfy(\.isFinite) else {
      throw UnfitInput(
        "\(input.name): its numbers are too large for the network, whose outputs become infinite")
    }
  }
}
