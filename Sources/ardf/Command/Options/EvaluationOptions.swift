import AppCore
import ArgumentParser
import Evaluation
import Models
import NNRuntime
import Perception

extension EvaluationProtocol: ExpressibleByArgument {}
extension DepthUnitRule: ExpressibleByArgument {}

/// How results of an evaluation are laid out.
enum EvaluationLayout: String, CaseIterable, ExpressibleByArgument {
  case text, json, csv, markdown

  /// Accepts other commands' names of layouts, too: table and md.
  init?(argument: String) {
    switch argument {
    case "table": self = .text
    case "md": self = .markdown
    default: self.init(rawValue: argument)
    }
  }
}

/// The precisions to compare.
struct EvaluatedPrecisions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      \(Precision.allCases.map(\.rawValue).joined(separator: ", ")), auto (the fastest here whose stated error is at \
      most 0.5 %; auto:0.01 for 1 %), or several of them: a row each. Repeatable.
      """,
      valueName: "fp32,bf16"))
  var precision: [String] = []

  @Option(
    name: .shortAndLong,
    help: "Threads; the results are the same for any number. By default one per processor."
  )
  var threads: Int?

  @Option(
    name: .customLong("plan"),
    help: ArgumentHelp(
      "A plan of ardf verify --sensitivity, for the row of its precision. Repeatable.",
      valueName: "plan.json"))
  var plans: [String] = []

  @Flag(help: "Accept infinities and NaN in weights.")
  var allowNonfinite = false

  func validate() throws {
    _ = try asked()
    if let threads, !(1...1024).contains(threads) {
      throw ValidationError("--threads \(threads): give a number from 1 to 1024")
    }
  }

  /// The precisions asked for, in the order given; fp32 where none is.
  private func asked() throws -> [AskedPrecision] {
    let names = precision.flatMap {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let found = try names.map { name in
      guard let asked = AskedPrecision(argument: name) else {
        throw ValidationError(
          "--precision \(name): give \(AskedPrecision.allValueStrings.joined(separator: " or ")), or several with "
            + "commas")
      }
      return asked
    }
    return found.isEmpty ? [.exactly(.fp32)] : found
  }

  /// The same as a plain value.
  func arithmetic() throws -> EvaluatedArithmetic {
    EvaluatedArithmetic(
      asked: try asked(), plans: plans, threads: threads, allowsNonFinite: allowNonfinite)
  }
}

/// How objects are found and compared.
struct ObjectEvaluationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "COCO's annotations (instances_val2017.json) of the pictures; without it the labels/ beside images/ are read.",
      valueName: "file"))
  var annotations: String?

  @Option(
    name: .customLong("protocol"),
    help: """
      coco: preprocessing and masks of ardf detect, average precision of pycocotools; ultralytics: all as in yolo \
      val, from preprocessing to the area under the curve. By default coco, except for oriented boxes, which only \
      ultralytics supports.
      """)
  var rule: EvaluationProtocol?

  @Option(
    help:
      "Side of the square to which pictures are resized, a multiple of \(ObjectInput.step); by default that of the training."
  )
  var imgsz: Int?

  @Flag(
    help: """
      Resize pictures to rectangles within that square: with coco the smallest whose sides are multiples of \(ObjectInput.step); with \
      ultralytics those of yolo val's batches, its default.
      """)
  var rect = false

  @Flag(
    help: "YOLO26 only: use the head that needs suppression, as yolo val does by default.")
  var nms = false

  @Option(help: "Count objects whose score is greater than this; the default is that of yolo val.")
  var conf = ObjectEvaluationSettings.leastConfidence

  @Option(
    help:
      "Suppression: IoU above which the box with the lower score is dropped; the default is that of yolo val."
  )
  var iou = ObjectEvaluationSettings.overlap

  @Option(help: "Most objects to keep in a picture.")
  var maxDet = standardLimit

  @Option(
    help: ArgumentHelp(
      "Evaluate only these classes, by name or number; ardf inspect weights lists them. Repeatable.",
      valueName: "person,car"))
  var classes: [String] = []

  @Option(help: ArgumentHelp("How masks are scaled to the picture: retina or fast.", valueName: "way"))
  var masks: MasksOption?

  @Flag(
    help: """
      Measure boxes with the sensor's depth, and compare them with the annotations of videos of ARKitScenes \
      (VIDEO_3dod_annotation.json) and CA-1M (instances.json): average precision at an IoU of .25 \
      and .5, and errors of the sides. Scores must exceed 0.25 unless --conf is given.
      """)
  var boxes = false

  /// The same as a plain value.
  var evaluation: ObjectEvaluationSettings {
    ObjectEvaluationSettings(
      annotations: annotations, rule: rule,
      detector: DetectorSettings(
        side: imgsz, isRectangle: rect, isSuppressed: nms, confidence: conf, overlap: iou, limit: maxDet,
        classes: classes),
      masks: masks?.method)
  }

  func validate() throws {
    if boxes, rule != nil || annotations != nil {
      throw ValidationError("--boxes: reads a capture's own boxes; leave --protocol and --annotations out")
    }
    for (name, value) in [("--conf", conf), ("--iou", iou)] where !(0...1).contains(value) {
      throw ValidationError("\(name) \(value): give a number from 0 to 1")
    }
    guard (1...ObjectRules.mostObjects).contains(maxDet) else {
      throw ValidationError("--max-det \(maxDet): give a number from 1 to \(ObjectRules.mostObjects)")
    }
    if let imgsz, !ObjectInput.isSide(imgsz) {
      throw ValidationError("--imgsz \(imgsz): give \(ObjectInput.sideRule)")
    }
    guard rule == .ultralytics else { return }
    if annotations != nil {
      throw ValidationError("--protocol ultralytics reads labels/ as yolo val does: leave --annotations away")
    }
    if masks != nil {
      throw ValidationError("--protocol ultralytics compares masks on the prototype grid: leave --masks away")
    }
  }

  /// The first given option that applies to objects only; nil without any.
  var givenOfObjects: String? {
    if annotations != nil { return "--annotations" }
    if boxes { return "--boxes" }
    if rule != nil { return "--protocol" }
    if rect { return "--rect" }
    if nms { return "--nms" }
    if !classes.isEmpty { return "--classes" }
    return masks == nil ? givenThreshold : "--masks"
  }

  /// The first given option that applies to YOLO networks only; nil without any.
  var given: String? { givenOfObjects ?? (imgsz != nil ? "--imgsz" : nil) }

  /// A threshold that is not the default; nil where all are.
  private var givenThreshold: String? {
    if conf != ObjectEvaluationSettings.leastConfidence { return "--conf" }
    if iou != ObjectEvaluationSettings.overlap { return "--iou" }
    return maxDet == Self.standardLimit ? nil : "--max-det"
  }

  private static let standardLimit = 300
}
