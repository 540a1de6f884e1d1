import FileFormats
import Models
import NNRuntime
import Perception

// From what was typed to networks that are ready, and the plain values that go with them.

extension DetectorOptions {
  /// The weights that the options name, of a detector or a classifier.
  func weights(_ compute: ComputeOptions) throws -> NetworkWeights {
    let weights = try NetworkWeights(
      WeightFiles.detector(yolo), allowNonFinite: compute.allowNonfinite)
    if case .depth = weights.task { throw weights.isDepthNetwork }
    return weights
  }

  /// The detector that the options name.
  func detector(_ compute: ComputeOptions, pool: ThreadPool) throws -> ObjectDetector {
    try detector(weights(compute), compute, pool: pool)
  }

  /// A detector of these weights.
  func detector(
    _ weights: NetworkWeights, _ compute: ComputeOptions, pool: ThreadPool
  ) throws -> ObjectDetector {
    let network = try network(weights, weights.detectorFamily(), compute, pool: pool)
    return ObjectDetector(network, rules: try rules(of: network))
  }

  /// A detector's network.
  func network(
    _ weights: NetworkWeights, _ family: any ObjectNetworkFamily.Type, _ compute: ComputeOptions,
    pool: ThreadPool
  ) throws -> any BuiltInObjectNetwork {
    try InFile.naming(weights.file) {
      let input = ObjectInput(
        side: imgsz ?? family.trainedSide(of: weights.store), isRectangle: rect, isSuppressed: nms)
      return try family.detector(
        weights.store, input: input, options: compute.planOptions(for: weights.store), pool: pool)
    }
  }

  /// Which of a network's objects are wanted.
  func rules(of network: any ObjectNetwork) throws -> ObjectRules {
    ObjectRules(
      thresholds: DetectionThresholds(confidence: Float(confidence), overlap: Float(iou), limit: maxDet),
      classes: try Self.indices(of: classes, among: network.classNames), masks: masks.method)
  }

  /// A classifier of these weights.
  func classifier(
    _ weights: NetworkWeights, _ family: any ClassNetworkFamily.Type, _ compute: ComputeOptions,
    pool: ThreadPool
  ) throws -> PictureClassifier {
    if !classes.isEmpty || rect {
      throw CommandError.usage(
        "\(weights.file): holds a classifier, which takes no --classes and no --rect; leave them out")
    }
    return try InFile.naming(weights.file) {
      PictureClassifier(
        try family.classifier(
          weights.store, side: imgsz ?? family.trainedSide(of: weights.store),
          options: compute.planOptions(for: weights.store), pool: pool))
    }
  }
}

extension DepthOptions {
  /// The depth network of a weight file.
  func network(_ file: String, _ compute: ComputeOptions, pool: ThreadPool) throws -> any BuiltInDepthNetwork
  {
    try network(NetworkWeights(file, allowNonFinite: compute.allowNonfinite), compute, pool: pool)
  }

  /// The depth network of these weights.
  func network(
    _ weights: NetworkWeights, _ compute: ComputeOptions, pool: ThreadPool
  ) throws -> any BuiltInDepthNetwork {
    let family = try weights.depthFamily()
    return try InFile.naming(weights.file) {
      try family.estimator(
        weights.store, side: depthSize, options: compute.planOptions(for: weights.store), pool: pool)
    }
  }
}
