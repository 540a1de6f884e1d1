import FileFormats
import NNRuntime

/// The sizes that make one YOLO network, read off the shapes of its weights.
package struct YOLOArchitecture: Sendable, Equatable {
  /// Prototypes of every published network.
  private static let publishedCoefficients = 32

  /// The design.
  package let generation: YOLOGeneration
  /// The network's task.
  package let task: YOLOTask
  /// Whether its head gives each object one box; of YOLO26's two heads the other needs suppression.
  package let isEndToEnd: Bool
  /// Factors and counts.
  package let scaling: YOLOScaling
  /// Classes.
  package let classCount: Int
  /// Class names where weights were read; nil where only the sizes are known.
  private let names: [String]?
  /// Numbers of an object besides its box and classes: mask coefficients, coordinates of key points, an angle.
  package let extras: Int
  /// Key points of an object; nil of networks without.
  package let keypoints: KeypointShape?
  /// Channels inside the class branches.
  ///
  /// Made for N classes, a network has max(channels of P3, min(N, 100)); fine-tuned to other classes, it may keep
  /// the width of the one it was made from.
  package let classHidden: Int
  /// Channels inside the branches of `extras`.
  package let extraHidden: Int

  /// Epsilon of normalizations.
  package let epsilon: Float

  /// Class names in the order of the class logits.
  package var classNames: [String] { names ?? ClassNames.unnamed(classCount, task) }

  /// Index of the head among the layers.
  package var headIndex: Int { generation.headIndex(task) }

  /// The published variant with these sizes, if there is one.
  package var variant: YOLOVariant? {
    YOLOVariant.allCases.first { $0.scaling(generation, task) == scaling }
  }

  /// The network's name in weight files, without its size: `yolo11-seg`.
  package var family: String { generation.rawValue + task.rawValue }

  /// The network's name: `yolo11l-seg`.
  package var name: String { generation.rawValue + (variant?.rawValue ?? "") + task.rawValue }

  /// A published variant with `classCount` classes.
  ///
  /// - `classHidden`, `extraHidden`: Channels inside the branches; nil for those of a network made for so many.
  package init(
    _ variant: YOLOVariant, _ generation: YOLOGeneration = .v11, _ task: YOLOTask = .segment,
    classCount: Int, classHidden: Int? = nil, keypoints: KeypointShape? = nil, extraHidden: Int? = nil
  ) {
    self.generation = generation
    self.task = task
    isEndToEnd = generation == .v26
    scaling = variant.scaling(generation, task)
    self.classCount = classCount
    names = nil
    self.keypoints = task == .pose ? keypoints ?? .coco : nil
    extras =
      switch task {
      case .detect, .classify: 0
      case .segment: Self.publishedCoefficients
      case .pose: (keypoints ?? .coco).values
      case .orientedBoxes: 1
      }
    let pyramid = scaling.channels(256)
    self.classHidden = classHidden ?? max(pyramid, min(classCount, 100))
    self.extraHidden = extraHidden ?? max(pyramid / 4, extras)
    epsilon = Self.epsilon(task)
  }

  /// Reads the sizes off the weights, and the class names off the metadata (`names`, a list or a
  /// dictionary by index, as JSON or Python writes it); unnamed classes are the 80 of COCO, or numbered.
  ///
  /// - `suppressing`: of YOLO26's two heads the one that needs suppression.
  /// - Throws: `YOLOError.unknownArchitecture`, or `.weights` if a decisive tensor is missing.
  package init(_ store: WeightStore, suppressing: Bool = false) throws(YOLOError) {
    if let source = OutdatedConversion.source(store.metadata) { throw .convertedBefore(source) }
    if let format = OutdatedConversion.laterFormat(store.metadata) { throw .convertedLater(format) }
    guard let network = UltralyticsNetwork(TensorShapes(store)), let known = network.supported else {
      throw .unknownArchitecture(reason: "they lack the layers of one")
    }
    (generation, task) = known
    let model = store.root["model"]
    let head = model[network.head]
    scaling = try Self.scaling(model, generation, task)
    isEndToEnd =
      generation == .v26 && !suppressing && store.metadata[Self.headKey] != Self.suppressedHead
    let branches = HeadNames(isEndToEnd: isEndToEnd)
    switch task {
    case .classify:
      classCount = try Self.outputs(head["linear"], rank: 2)
      (classHidden, extraHidden, extras) = (0, 0, 0)
    case .detect, .segment, .pose, .orientedBoxes:
      let classes = head[branches.classes][0]
      classCount = try Self.outputs(classes[2])
      classHidden = try Self.outputs(generation == .v8 ? classes[0]["conv"] : classes[0][1]["conv"])
      let other = head[branches.extras][0]
      extraHidden = task == .detect ? 0 : try Self.outputs(other[0]["conv"])
      extras =
        switch task {
        case .detect: 0
        case .pose where generation == .v26: try Self.outputs(head[branches.keypoints][0])
        case .segment, .pose, .orientedBoxes, .classify: try Self.outputs(other[2])
        }
    }
    keypoints = task == .pose ? try KeypointShape(values: extras, metadata: store.metadata) : nil
    names = try Self.names(store, count: classCount)
    epsilon = try Self.epsilon(store, task)
    if let name = store.metadata["variant"], let published = YOLOVariant(rawValue: name), variant != published
    {
      throw YOLOError.unknownArchitecture(
        reason:
          "the metadata says variant \(name), the shapes say \(variant?.rawValue ?? "none of n, s, m, l, x")")
    }
  }

  /// Metadata key that says which of two heads is used: where a file has not both, or its checkpoint was set so.
  static let headKey = "head"
  /// Those whose boxes are suppressed.
  static let suppressedHead = "suppressed"

  /// Metadata key of the batch-norm epsilon, set where it differs from the task's default.
  static let epsilonKey = "bn_eps"

  /// The batch-norm epsilon of Ultralytics' networks for a task: set on detectors, PyTorch's default on classifiers.
  static func epsilon(_ task: YOLOTask) -> Float { task == .classify ? 1e-5 : 1e-3 }

  private static func epsilon(_ store: WeightStore, _ task: YOLOTask) throws(YOLOError) -> Float {
    guard let text = store.metadata[epsilonKey] else { return epsilon(task) }
    guard let value = Float(text), (1e-9...0.1).contains(value) else {
      throw .unknownArchitecture(
        reason: "the metadata's \"\(epsilonKey)\" is \"\(text)\", not from 1e-9 to 0.1")
    }
    return value
  }

  private static func scaling(
    _ model: WeightScope, _ generation: YOLOGeneration, _ task: YOLOTask
  ) throws(YOLOError) -> YOLOScaling {
    let stem = try outputs(model[0]["conv"])
    // YOLOv8's classifier ends with layer 8.
    let last = generation == .v8 && task == .classify ? 8 : 9
    let deepest = try outputs(model[last]["cv2"]["conv"])
    guard stem >= 8, stem % 8 == 0, deepest % 8 == 0, deepest >= stem else {
      throw .unknownArchitecture(
        reason: "the first layer has \(counted(stem, "channel")) and layer \(last) has \(deepest)")
    }
    let width = Double(stem) / 64
    let maximum = Int(Double(deepest) / width)
    if generation == .v8 {
      let counts = try [2, 4].map { (layer) throws(YOLOError) in
        try blocks(in: layer) { model[layer]["m"][$0]["cv1"]["conv"] }
      }
      return YOLOScaling(
        width: width, maximumChannels: maximum, repeats: counts[0], deepRepeats: counts[1])
    }
    let attention = task == .classify ? 9 : 10
    return YOLOScaling(
      width: width, maximumChannels: maximum,
      repeats: try blocks(in: attention) { model[attention]["m"][$0]["ffn"][0]["conv"] },
      c3kEverywhere: model[2]["m"][0]["cv3"]["conv"].contains("weight"))
  }

  /// Blocks of a layer, told by a convolution of each.
  private static func blocks(
    in layer: Int, _ convolution: (Int) -> WeightScope
  ) throws(YOLOError) -> Int {
    let count = (0...).first { !convolution($0).contains("weight") }!
    guard (1...8).contains(count) else {
      throw .unknownArchitecture(reason: "layer \(layer) has \(counted(count, "block"))")
    }
    return count
  }

  private static func outputs(_ layer: WeightScope, rank: Int = 4) throws(YOLOError) -> Int {
    let shape = try YOLOError.of(weights: { () throws(WeightError) in try layer.tensor("weight") }).shape
    guard shape.count == rank, shape[0] > 0 else {
      throw YOLOError.unknownArchitecture(reason: "\(layer.fullName("weight")) has shape \(shape)")
    }
    return shape[0]
  }

  private static func names(_ store: WeightStore, count: Int) throws(YOLOError) -> [String]? {
    guard let text = store.metadata[ClassNames.key] else { return nil }
    let names: [String]
    do {
      names = try ClassNames.parse(text)
    } catch {
      throw .unknownArchitecture(reason: "the metadata's \"\(ClassNames.key)\" \(error)")
    }
    guard names.count == count else {
      throw .unknownArchitecture(
        reason:
          "the metadata's \"\(ClassNames.key)\" are \(names.count), it has \(counted(count, "class", "classes"))"
      )
    }
    return names
  }
}

extension YOLOArchitecture {
  /// How the head's numbers encode boxes.
  var boxCoding: BoxCoding { generation != .v26 ? .distribution : isEndToEnd ? .direct : .suppressed }

  /// Whether a layer reads others than the one before it: concatenations and the head.
  func readsOtherLayers(_ layer: Int) -> Bool {
    guard task != .classify else { return false }
    return layer == headIndex || [11, 8, 5, 2].contains(headIndex - layer)
  }

  /// Channels of a layer that has `base` before scaling.
  func channels(_ base: Int) -> Int { scaling.channels(base) }
}
