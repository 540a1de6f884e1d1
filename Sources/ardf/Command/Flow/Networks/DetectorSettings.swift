import FileFormats
import Models
import NNRuntime
import Perception

/// The settings of a detector: its input, and the objects to keep.
struct DetectorSettings: Sendable {
  /// Side of the square to which pictures are resized; nil for that of the network's training.
  var side: Int?
  /// Whether pictures are resized to the smallest rectangle within that square.
  var isRectangle = false
  /// Whether the head that needs suppression is used, of networks with two.
  var isSuppressed = false
  /// The score that objects must exceed.
  var confidence: Double
  /// IoU above which the box with the lower score is dropped, of boxes of one class.
  var overlap = 0.5
  /// The most objects of a picture.
  var limit = 300
  /// Names or numbers, several with commas; none for all.
  var classes: [String] = []
  var masks = MaskMethod.retina

  /// A detector of these weights.
  func detector(
    _ weights: NetworkWeights, _ compute: ComputeSettings, pool: ThreadPool
  ) throws -> ObjectDetector {
    let network = try network(weights, weights.detectorSource(), compute, pool: pool)
    return ObjectDetector(network, rules: try rules(of: network))
  }

  /// A detector's network.
  func network(
    _ weights: NetworkWeights, _ source: DetectorSource, _ compute: ComputeSettings, pool: ThreadPool
  ) throws -> any BuiltInObjectNetwork {
    tellUnusedSide(of: weights)
    return try planned(weights, source, compute, pool: pool)
  }

  /// As `network`, without a word about the side of its training.
  func planned(
    _ weights: NetworkWeights, _ source: DetectorSource, _ compute: ComputeSettings, pool: ThreadPool
  ) throws -> any BuiltInObjectNetwork {
    if source.isONNX, isRectangle || isSuppressed {
      throw CommandError.usage(
        "\(weights.file): is run as the file has it, without \(isRectangle ? "--rect" : "--nms"); leave that out"
      )
    }
    return try InFile.naming(weights.file.name) {
      try source.detector(
        side: side, isRectangle: isRectangle, isSuppressed: isSuppressed,
        options: compute.planOptions(for: weights.store), pool: pool)
    }
  }

  /// Reports that no input can have the side of a weight file's training, where no side is given.
  private func tellUnusedSide(of weights: NetworkWeights) {
    guard side == nil, let store = weights.store, let remark = TrainingSide.remark(of: store) else { return }
    Console.note("\(weights.file): \(remark)")
  }

  /// The rules by which a network's objects are kept.
  func rules(of network: any ObjectNetwork) throws -> ObjectRules {
    ObjectRules(
      thresholds: DetectionThresholds(confidence: Float(confidence), overlap: Float(overlap), limit: limit),
      classes: try Self.indices(of: classes, among: network.classNames), masks: masks)
  }

  /// A classifier of these weights.
  func classifier(
    _ weights: NetworkWeights, _ store: WeightStore, _ family: any ClassNetworkFamily.Type,
    _ compute: ComputeSettings, pool: ThreadPool
  ) throws -> PictureClassifier {
    if !classes.isEmpty || isRectangle {
      throw CommandError.usage(
        "\(weights.file): holds a classifier, which takes no --classes and no --rect; leave them out")
    }
    tellUnusedSide(of: weights)
    return try InFile.naming(weights.file.name) {
      PictureClassifier(
        try family.classifier(
          store, side: side ?? family.trainedSide(of: store), options: compute.planOptions(for: store),
          pool: pool))
    }
  }

  /// The classes of a `--classes`, by their position among `names`; nil where none is given.
  static func indices(of classes: [String], among names: [String]) throws -> Set<Int>? {
    let wanted = classes.flatMap { list in
      // As Python writes a list: [0,2].
      let list = list.hasPrefix("[") && list.hasSuffix("]") ? list.dropFirst().dropLast() : list[...]
      return list.split(separator: ",").map { $0.trimmingPrefix { $0 == " " } }
    }
    guard !classes.isEmpty else { return nil }
    return Set(
      try wanted.map { wanted in
        if let index = names.firstIndex(of: String(wanted)) { return index }
        if let index = CheckedInt(wanted)?.within(0...max(names.count - 1, 0)), !names.isEmpty {
          return index
        }
        let near = names.filter { EditDistance.between($0.lowercased(), wanted.lowercased()) <= 2 }
        throw CommandError.usage(
          "--classes: the network knows no \(wanted); "
            + (near.isEmpty
              ? "it has \(counted(names.count, "class", "classes")), which ardf inspect weights lists"
              : "did you mean \(near.joined(separator: " or "))?"))
      })
  }
}
