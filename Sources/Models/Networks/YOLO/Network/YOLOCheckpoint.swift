import FileFormats
import NNRuntime

/// Converts a YOLO checkpoint to a weight file.
package enum YOLOCheckpoint {
  /// All class names together; a pickle may name one text any number of times.
  private static let classNameBytes = 1 << 20

  private static let stem = "model.0.conv.weight"

  /// The tensors of a checkpoint with these sizes.
  package static func layout(_ sizes: YOLOArchitecture) -> WeightLayout {
    WeightLayout { store in _ = try YOLONetwork(store, sizes) }
  }

  /// Checks that a checkpoint's tensors are exactly a network's, and says which one's.
  static func identify(
    _ source: CheckpointSource, _ hints: ConversionHints
  ) throws(CheckpointErrorAt) -> IdentifiedCheckpoint {
    guard hints.maxDepth == nil else { throw CheckpointErrorAt(.needlessGreatestDepth) }
    let tensors = source.tensors
    if tensors["model.0.conv.bias"] != nil, tensors["model.0.bn.weight"] == nil {
      throw CheckpointErrorAt(.fused)
    }
    guard let network = UltralyticsNetwork(TensorShapes(source)), let known = network.supported else {
      throw CheckpointErrorAt(.unknownArchitecture("it has other layers than YOLO networks"))
    }
    let sizes = try sizes(of: source, known.generation, known.task)
    let layout = layout(sizes)
    try source.check(against: layout)
    var metadata = source.metadata
    metadata.merge(try source.moduleFacts(layout, authors: "ultralytics.")) { _, new in new }
    metadata["stride"] = "32"
    if source.isSuppressed, sizes.isEndToEnd {
      metadata[YOLOArchitecture.headKey] = YOLOArchitecture.suppressedHead
    }
    if let side = source.training.side, ObjectInput.isSide(side) { metadata[TrainingSide.key] = String(side) }
    metadata["license"] = metadata["license"] ?? "AGPL-3.0"
    metadata["names"] = try names(source, count: sizes.classCount)
    metadata[KeypointShape.key] = sizes.keypoints?.text
    metadata[YOLOArchitecture.epsilonKey] = try epsilon(of: source, sizes.task)
    return IdentifiedCheckpoint(
      architecture: sizes.family, variant: sizes.variant?.rawValue ?? "", metadata: metadata,
      remarks: remarks(metadata, sizes) + [source.training.remark].compactMap(\.self))
  }

  /// Remarks for its user.
  private static func remarks(_ metadata: [String: String], _ sizes: YOLOArchitecture) -> [String] {
    let count = sizes.classCount
    var remarks: [String] = []
    if metadata[ModuleFacts.key] == ModuleFacts.untold { remarks.append(ModuleFacts.remark) }
    if metadata[ClassNames.key] == nil {
      remarks.append(
        ClassNames.areCOCO(count, sizes.task)
          ? "it holds no class names: those of COCO are taken for its \(counted(count, "class", "classes"))"
          : "it holds no class names: \(counted(count, "class is called class0", "classes are called class0, class1 and so on"))"
      )
    }
    if metadata[YOLOArchitecture.headKey] == YOLOArchitecture.suppressedHead {
      remarks.append("it is set to the head whose boxes are suppressed (end2end = False), which is computed")
    }
    if let text = metadata[ModuleActivations.key] { remarks.append("activations of its own: \(text)") }
    return remarks
  }

  /// The sizes that the shapes tell.
  private static func sizes(
    of source: CheckpointSource, _ generation: YOLOGeneration, _ task: YOLOTask
  ) throws(CheckpointErrorAt) -> YOLOArchitecture {
    let head = "model.\(generation.headIndex(task))"
    let names = HeadNames(isEndToEnd: generation == .v26)
    func outputs(_ name: String) throws(CheckpointErrorAt) -> Int {
      guard let count = source.tensors[name]?.shape.first, count > 0 else {
        throw CheckpointErrorAt(.missing, name)
      }
      return count
    }
    let last = task == .classify ? "linear" : "\(names.classes).0.2"
    let classes = try outputs("\(head).\(last).weight")
    let variant = try variant(of: source, generation, task)
    guard task != .classify else {
      return YOLOArchitecture(variant, generation, task, classCount: classes)
    }
    let inside = generation == .v8 ? "0" : "0.1"
    let classHidden = source.tensors["\(head).\(names.classes).0.\(inside).conv.weight"]?.shape.first
    let extraHidden = source.tensors["\(head).\(names.extras).0.0.conv.weight"]?.shape.first
    var keypoints: KeypointShape?
    if task == .pose {
      let last =
        generation == .v26 ? "\(head).\(names.keypoints).0.weight" : "\(head).\(names.extras).0.2.weight"
      keypoints = try shape(of: source, values: try outputs(last), last)
    }
    return YOLOArchitecture(
      variant, generation, task, classCount: classes, classHidden: classHidden, keypoints: keypoints,
      extraHidden: extraHidden)
  }

  /// The batch-norm epsilon, for the metadata; nil where it is the default of the task's networks.
  private static func epsilon(
    of source: CheckpointSource, _ task: YOLOTask
  ) throws(CheckpointErrorAt) -> String? {
    guard source.epsilons.count < 2 else {
      throw CheckpointErrorAt(
        .unknownArchitecture("its normalizations differ in what they add to a variance"))
    }
    guard let found = source.epsilons.first, Float(found) != YOLOArchitecture.epsilon(task) else {
      return nil
    }
    return "\(found)"
  }

  private static func shape(
    of source: CheckpointSource, values: Int, _ name: String
  ) throws(CheckpointErrorAt) -> KeypointShape {
    if let stated = source.keypointShape {
      guard let shape = KeypointShape(stated, values: values) else {
        throw CheckpointErrorAt(.keypointShape(stated: stated.text, values: values), name)
      }
      return shape
    }
    guard let shape = KeypointShape(values: values) else {
      throw CheckpointErrorAt(
        .unknownArchitecture("\(counted(values, "number")) of key points, which have 2 or 3 each"), name)
    }
    return shape
  }

  /// The size that the first layer's channels and the number of blocks tell.
  private static func variant(
    of source: CheckpointSource, _ generation: YOLOGeneration, _ task: YOLOTask
  ) throws(CheckpointErrorAt) -> YOLOVariant {
    let channels = source.tensors[stem]?.shape.first ?? 0
    let blocks = (0...).first { source.tensors["model.2.m.\($0).cv1.conv.weight"] == nil } ?? 0
    let found = YOLOVariant.allCases.first {
      let scaling = $0.scaling(generation, task)
      return scaling.channels(64) == channels && scaling.repeats == blocks
    }
    guard let variant = found else {
      throw CheckpointErrorAt(
        .unknownArchitecture(
          "the first layer has \(counted(channels, "channel")) and layer 2 \(counted(blocks, "block")), as no published size has"
        ))
    }
    if let claimed = source.scale, claimed != variant.rawValue {
      throw CheckpointErrorAt(
        .unknownArchitecture("it says it is variant \(claimed), its shapes are those of \(variant.rawValue)"))
    }
    return variant
  }

  /// The class names as metadata has them; nil of a checkpoint without names.
  private static func names(_ source: CheckpointSource, count: Int) throws(CheckpointErrorAt) -> String? {
    if let defect = source.classNamesDefect { throw CheckpointErrorAt(.classNames(defect)) }
    guard let names = source.classNames else { return nil }
    guard names.count == count else {
      throw CheckpointErrorAt(.wrongClassCount(names: names.count, classes: count))
    }
    guard names.reduce(0, { $0 + $1.utf8.count }) <= classNameBytes else {
      throw CheckpointErrorAt(.classNamesTooLong(limit: classNameBytes))
    }
    return JSONValue.array(names.map(JSONValue.string)).serialized()
  }
}
