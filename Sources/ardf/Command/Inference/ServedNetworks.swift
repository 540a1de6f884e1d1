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
  private var detector: (byWorker: [ObjectDetector], name: String)?
  private var classifier: (byWorker: [PictureClassifier], name: String)?
  private var depth: (byWorker: [any DepthNetwork], name: String)?
  private let pools: [ThreadPool]
  private let metrics: Metrics

  /// Loads the networks, and runs each once in every worker.
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
      guard named.isPublished else {
        let options = try compute.planOptions()
        try InFile.naming(named.file.name) {
          try add(ONNXFileModel(named.file, name: named.name, options: options, pools: pools))
        }
        metrics.loaded(named.name, in: clock.now - began)
        continue
      }
      let weights = try NetworkWeights(named.file, allowNonFinite: compute.allowsNonFinite)
      switch weights.task {
      case .objects(let source):
        let network = try settings.network(weights, source, compute, pool: pools[0])
        let rules = try settings.rules(of: network)
        let networks = [network] + pools.dropFirst().map(network.running)
        try add(DetectorModel(networks, name: named.name))
        if detector == nil { detector = (networks.map { ObjectDetector($0, rules: rules) }, named.name) }
      case .classes(let store, let family):
        let network = try settings.classifier(weights, store, family, compute, pool: pools[0])
        let networks = [network] + pools.dropFirst().map(network.running)
        try add(ClassifierModel(networks.map(\.network), name: named.name))
        if classifier == nil { classifier = (networks, named.name) }
      case .depth:
        let network = try depthSettings.network(weights, compute, pool: pools[0])
        let networks = [network] + pools.dropFirst().map(network.running)
        try add(DepthModel(networks, name: named.name))
        if depth == nil { depth = (networks, named.name) }
      }
      metrics.loaded(named.name, in: clock.now - began)
    }
    if let detector {
      try add(DetectPipeline(detector.byWorker, limits: limits), isPipeline: true)
      let perceivers = detector.byWorker.enumerated().map { worker, detector in
        Perceiver(detector: detector, depth: depth?.byWorker[worker], fusion: fusion, isOverlapped: false)
      }
      try add(MeasurePipeline(perceivers, sensor: sensor, limits: limits), isPipeline: true)
    }
    if let classifier {
      try add(ClassifyPipeline(classifier.byWorker, limits: limits), isPipeline: true)
    }
    if let depth {
      try add(DepthPipeline(depth.byWorker, limits: limits), isPipeline: true)
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
  /// Whether it is a published network, which comes with its pipelines; any other is an ONNX file, served as it is.
  let isPublished: Bool

  /// Endings of weight files' names, which are not part of the network's name.
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
    do {
      file = try WeightFiles.named(given) ?? WeightFiles.network(given)
      isPublished = true
    } catch {
      guard hasEnding(given, ".onnx"), !Self.isPublished(given) else { throw error }
      (file, isPublished) = (GivenPath(given), false)
    }
    name = parts.count == 2 ? parts[0] : fileStem(given, endings: Self.endings)
    guard !name.isEmpty, name.utf8.count <= 100, name.first != ".",
      name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) })
    else {
      throw CommandError.usage(
        "--models \(entry): a model's name has letters, digits, ., _ and -; give one with NAME=FILE")
    }
  }

  /// Whether an ONNX file holds a published network, all of whose modules are known.
  private static func isPublished(_ path: String) -> Bool {
    (try? CheckpointConverter.read(path, maxDepth: nil)) != nil
  }
}
