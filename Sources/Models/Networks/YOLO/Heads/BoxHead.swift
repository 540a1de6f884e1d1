// The heads of YOLO networks that find objects, named as in Ultralytics 8.4.190 (`nn/modules/head.py`).
// Deviation: the distances, the anchors, the sigmoids and the choice of boxes are not part of the graph
// (`HeadDecoding`).

import NNRuntime

/// How the branches of a head are called.
struct HeadNames {
  /// Branches of box distances, of class logits, and of an object's other numbers.
  let boxes, classes, extras: String
  /// The last convolutions of YOLO26's key points.
  let keypoints: String

  /// `isEndToEnd`: of YOLO26's two heads the one that gives each object one box.
  init(isEndToEnd: Bool) {
    let prefix = isEndToEnd ? "one2one_" : ""
    (boxes, classes, extras) = ("\(prefix)cv2", "\(prefix)cv3", "\(prefix)cv4")
    keypoints = "\(prefix)cv4_kpts"
  }
}

/// `Detect`, `Segment`, `Pose`, `OBB`: at three levels box distances, class logits and, but for `Detect`, something
/// more of each object; of `Segment` also prototypes.
struct BoxHead: Sendable {
  /// The raw maps of one level.
  struct Level {
    let box, classes: Value
    let extras: Value?
  }

  private struct Branches: Sendable {
    let boxes, classes: Branch
    let extras: Branch?
  }

  private enum Prototypes {
    case none
    case finest(Proto)
    case all(Proto26)
  }

  private let branches: [Branches]
  private let prototypes: Prototypes

  /// `channels`: channels of P3, P4 and P5.
  init(
    _ weights: WeightScope, _ sizes: YOLOArchitecture, channels: [Int], prototypeHidden: Int
  ) throws(WeightError) {
    branches = try Self.branches(weights, HeadNames(isEndToEnd: sizes.isEndToEnd), sizes, channels)
    weights.states(Self.statement(sizes))
    prototypes =
      switch (sizes.task, sizes.generation) {
      case (.segment, .v26):
        .all(
          try Proto26(
            weights["proto"], channels: channels, hidden: prototypeHidden, prototypes: sizes.extras,
            classes: sizes.classCount))
      case (.segment, _):
        .finest(
          try Proto(weights["proto"], channels[0], hidden: prototypeHidden, prototypes: sizes.extras))
      case (.detect, _), (.pose, _), (.orientedBoxes, _), (.classify, _): .none
      }
    if sizes.generation == .v26 { try Self.passOverOthers(weights, sizes, channels) }
  }

  /// The required properties of the head, for checkpoints that state them.
  private static func statement(_ sizes: YOLOArchitecture) -> ModuleStatement {
    let first = sizes.headIndex - 12
    let bins = sizes.boxCoding.channels / 4
    var numbers: [String: ModuleNumber] = [
      "nc": .count(sizes.classCount), "nl": .number(3), "reg_max": .count(bins),
      "no": .count(sizes.classCount + 4 * bins), "stride": .numbers(PyramidLevel.strides.map(Double.init)),
      "agnostic_nms": .flag(false), "xyxy": .flag(false),
      "f": .layers([5, 8, 11].map { first + $0 }, of: sizes.headIndex),
    ]
    switch sizes.task {
    case .detect, .classify: break
    case .segment: numbers["nm"] = .count(sizes.extras)
    case .pose:
      numbers["nk"] = .count(sizes.extras)
      if let shape = sizes.keypoints {
        numbers["kpt_shape"] = .numbers([Double(shape.count), Double(shape.dimensions)])
      }
    case .orientedBoxes: numbers["ne"] = .count(sizes.extras)
    }
    // YOLO26's decode otherwise, and are other classes.
    let suffix = sizes.generation == .v26 && sizes.task != .detect ? "26" : ""
    let name =
      switch sizes.task {
      case .detect, .classify: "Detect"
      case .segment: "Segment"
      case .pose: "Pose"
      case .orientedBoxes: "OBB"
      }
    return ModuleStatement(name + suffix, numbers: numbers)
  }

  private static func branches(
    _ weights: WeightScope, _ names: HeadNames, _ sizes: YOLOArchitecture, _ channels: [Int]
  ) throws(WeightError) -> [Branches] {
    let outputs = sizes.boxCoding.channels
    let boxHidden = max(16, channels[0] / 4, outputs)
    return try channels.indices.map { (level) throws(WeightError) in
      let inputs = channels[level]
      let classes = weights[names.classes][level]
      let last = sizes.generation == .v26 && sizes.task == .pose ? weights[names.keypoints][level] : nil
      return Branches(
        boxes: try .dense(weights[names.boxes][level], inputs, hidden: boxHidden, outputs: outputs),
        classes: sizes.generation == .v8
          ? try .dense(classes, inputs, hidden: sizes.classHidden, outputs: sizes.classCount)
          : try .separable(classes, inputs, hidden: sizes.classHidden, outputs: sizes.classCount),
        extras: sizes.extras == 0
          ? nil
          : try .dense(
            weights[names.extras][level], inputs, hidden: sizes.extraHidden, outputs: sizes.extras, last: last
          ))
    }
  }

  /// Binds what YOLO26 has for training, and its other head, which `Model.fuse` takes out.
  private static func passOverOthers(
    _ weights: WeightScope, _ sizes: YOLOArchitecture, _ channels: [Int]
  ) throws(WeightError) {
    let unread = weights.unread(isOptional: true)
    _ = try branches(unread, HeadNames(isEndToEnd: !sizes.isEndToEnd), sizes, channels)
    guard let keypoints = sizes.keypoints else { return }
    for name in ["cv4_sigma", "one2one_cv4_sigma"] {
      for level in channels.indices {
        _ = try Conv2d(unread[name][level], sizes.extraHidden, 2 * keypoints.count)
      }
    }
    try passOverFlow(unread["flow_model"])
    unread["flow_model"].states(ModuleStatement("RealNVP", isForTraining: true))
  }

  /// Binds the normalizing flow that trains key points: six times three layers between two numbers, twice.
  private static func passOverFlow(_ weights: WeightScope) throws(WeightError) {
    for (name, shape) in [("loc", [2]), ("cov", [2, 2]), ("mask", [6, 2])] {
      _ = try weights.tensor(name, shape: shape)
    }
    for (net, step) in ["s", "t"].flatMap({ net in (0..<6).map { (net, $0) } }) {
      for (layer, inputs, outputs) in [(0, 2, 64), (2, 64, 64), (4, 64, 2)] {
        _ = try Linear(weights[net][step][layer], inputs, outputs)
      }
    }
  }

  /// `features`: P3, P4 and P5.
  func callAsFunction(_ features: [Value]) -> (levels: [Level], prototypes: Value?) {
    let levels = zip(branches, features).map { branch, x in
      Level(box: branch.boxes(x), classes: branch.classes(x), extras: branch.extras?(x))
    }
    switch prototypes {
    case .none: return (levels, nil)
    case .finest(let proto): return (levels, proto(features[0]))
    case .all(let proto): return (levels, proto(features))
    }
  }
}
