// YOLO networks, ported from Ultralytics 8.4.190 (`cfg/models`, `nn/tasks.py`) under the checkpoint's names.
// Deviation: the head's raw maps are the outputs; boxes are decoded outside the graph, for the few anchors that
// matter.

import NNRuntime

/// The layers of a YOLO network with their weights bound.
struct YOLONetwork: Sendable {
  private enum Top {
    case boxes(YOLONeck, BoxHead)
    case classes(ClassifyHead)
  }

  private let backbone: YOLOBackbone
  private let top: Top
  private let task: YOLOTask
  private let epsilon: Float
  /// Whether the bins of the distance expectation, which `HeadDecoding` does not read, are what it takes them for.
  let hasOrdinaryBins: Bool

  /// Binds every tensor of `weights`.
  ///
  /// - Throws: `WeightError` if one is missing, mis-shaped or left over.
  init(_ store: WeightStore, _ sizes: YOLOArchitecture) throws(WeightError) {
    let model = store.root["model"]
    let head = model[sizes.headIndex]
    (task, epsilon) = (sizes.task, sizes.epsilon)
    backbone = try YOLOBackbone(model, sizes)
    if sizes.task == .classify {
      top = .classes(try ClassifyHead(head, sizes.channels(1024), classes: sizes.classCount))
    } else {
      let neck = try YOLONeck(model, sizes)
      let channels = [256, 512, 1024].map(sizes.channels)
      top = .boxes(
        neck, try BoxHead(head, sizes, channels: channels, prototypeHidden: sizes.channels(256)))
    }
    hasOrdinaryBins =
      sizes.task == .classify || sizes.generation == .v26
      ? true : try Self.hasOrdinaryBins(head["dfl"]["conv"])
    Self.stateOrder(of: model, sizes)
    let trainingCounters = store.names.filter { $0.hasSuffix(".num_batches_tracked") }
    try store.verifyAllUsed(ignoring: trainingCounters)
  }

  /// The network of `weights`, the bins of whose distance expectation are 0...15.
  static func checked(_ store: WeightStore, _ sizes: YOLOArchitecture) throws(YOLOError) -> YOLONetwork {
    let network = try YOLOError.of(weights: { () throws(WeightError) in try YOLONetwork(store, sizes) })
    guard network.hasOrdinaryBins else {
      throw .unknownArchitecture(
        reason: "its distance bins are not 0 to \(BoxCoding.distribution.bins - 1)")
    }
    return network
  }

  /// States that each layer reads the one before it; those that read others state that themselves.
  private static func stateOrder(of model: WeightScope, _ sizes: YOLOArchitecture) {
    model.store.root.states(
      ModuleStatement("DetectionModel", "SegmentationModel", "PoseModel", "OBBModel", "ClassificationModel"))
    for layer in 0...sizes.headIndex {
      var numbers: [String: ModuleNumber] = ["i": .count(layer)]
      if !sizes.readsOtherLayers(layer) { numbers["f"] = .layers([layer - 1], of: layer) }
      model[layer].states(ModuleStatement(numbers: numbers))
    }
    if sizes.task != .classify, sizes.generation != .v26 {
      model[sizes.headIndex]["dfl"].states(
        ModuleStatement("DFL", numbers: ["c1": .count(BoxCoding.distribution.bins)]))
    }
  }

  private static func hasOrdinaryBins(_ weights: WeightScope) throws(WeightError) -> Bool {
    let count = BoxCoding.distribution.bins
    let shape = [1, count, 1, 1]
    _ = try weights.unread().tensor("weight", shape: shape)
    weights.states(.convolution(count, 1, kernel: 1, stride: 1, padding: 0))
    guard weights.contains("weight") else { return true }
    let bins = try weights.tensor("weight", shape: shape).floats()
    return bins == (0..<count).map { Float($0) }
  }

  /// The network for an input of height x width; both are multiples of 32, and of a classifier the same.
  ///
  /// Input `input`: RGB in [0, 1]. Outputs, for level L = 0, 1, 2: `box.L`, `cls.L` and, as the task has it, `coef.L`,
  /// `kpts.L` or `angle.L`; and `proto`. Of a classifier: `logits` and `probabilities`.
  func graph(name: String, height: Int, width: Int) -> Graph {
    ConvBlock.$epsilon.withValue(epsilon) { normalizedGraph(name: name, height: height, width: width) }
  }

  private func normalizedGraph(name: String, height: Int, width: Int) -> Graph {
    let builder = GraphBuilder(name: name)
    let image = builder.input("input", height: height, width: width, channels: 3)
    switch top {
    case .classes(let head):
      let logits = head(backbone(image).p5)
      return builder.finished(outputs: [
        ("logits", logits), ("probabilities", logits.softmax(name: "probabilities")),
      ])
    case .boxes(let neck, let head):
      let (levels, prototypes) = head(neck(backbone(image)))
      var outputs: [(name: String, value: Value)] = []
      for (index, level) in levels.enumerated() {
        outputs.append(("box.\(index)", level.box))
        outputs.append(("cls.\(index)", level.classes))
        if let extras = level.extras { outputs.append(("\(task.extrasName).\(index)", extras)) }
      }
      return builder.finished(outputs: outputs + (prototypes.map { [("proto", $0)] } ?? []))
    }
  }
}

extension YOLOTask {
  /// The name of the outputs beyond boxes and classes.
  var extrasName: String {
    switch self {
    case .segment: "coef"
    case .pose: "kpts"
    case .orientedBoxes: "angle"
    case .detect, .classify: ""
    }
  }
}
