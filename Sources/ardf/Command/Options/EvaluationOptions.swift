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

  /// As other commands call them, too.
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
    name: .shortAndLong, help: "Threads; the results are the same for any number. By default one a processor."
  )
  var threads: Int?

  @Option(
    name: .customLong("plan"),
    help: ArgumentHelp(
      "Precisions of layers, of ardf verify --sensitivity: for the row of its precision. Repeatable.",
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

  /// Those asked for, in the order given; single precision where none is.
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
      "COCO's annotations (instances_val2017.json) of the pictures; without, the labels/ beside images/ are read.",
      valueName: "file"))
  var annotations: String?

  @Option(
    name: .customLong("protocol"),
    help: """
      coco: pictures and masks as ardf detect has them, average precision as pycocotools computes it; ultralytics: as \
      yolo val, from the fitting of pictures to the area beneath the curve. By default coco; oriented boxes have \
      ultralytics alone.
      """)
  var rule: EvaluationProtocol?

  @Option(
    help:
      "Side of the square that pictures are fitted into, a multiple of 32; by default as the network was trained."
  )
  var imgsz: Int?

  @Flag(
    help: """
      Fit pictures into rectangles within that square: by the protocol coco the least of multiples of 32; by \
      ultralytics those of yolo val's batches, its default.
      """)
  var rect = false

  @Flag(
    help: "Of YOLO26's two heads take the one whose boxes are suppressed, as yolo val does by default.")
  var nms = false

  @Option(help: "Scores must be strictly greater; the default is that of yolo val.")
  var conf = ObjectEvaluationSettings.leastConfidence

  @Option(
    help: "Of two boxes of a class that overlap by more, the better is kept; the default is that of yolo val."
  )
  var iou = ObjectEvaluationSettings.overlap

  @Option(help: "The most objects of a picture.")
  var maxDet = standardLimit

  @Option(
    help: ArgumentHelp(
      "Evaluate only these classes, by name or number; ardf inspect weights lists them. Repeatable.",
      valueName: "person,car"))
  var classes: [String] = []

  @Option(help: ArgumentHelp("How masks come to the picture's resolution: retina or fast.", valueName: "way"))
  var masks: MasksOption?

  @Flag(
    help: """
      Measure boxes with the sensor's depth, and compare them with those that videos of ARKitScenes \
      (VIDEO_3dod_annotation.json) and CA-1M (instances.json) are annotated with: average precision at overlaps of .25 \
      and .5, and sides. Scores must exceed 0.25 unless --conf says otherwise.
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

  /// An option that says something about objects alone; nil where none is given.
  var givenOfObjects: String? {
    if annotations != nil { return "--annotations" }
    if boxes { return "--boxes" }
    if rule != nil { return "--protocol" }
    if rect { return "--rect" }
    if nms { return "--nms" }
    if !classes.isEmpty { return "--classes" }
    return masks == nil ? givenThreshold : "--masks"
  }

  /// An option that says something about YOLO networks alone; nil where none is given.
  var given: String? { givenOfObjects ?? (imgsz != nil ? "--imgsz" : nil) }

  /// A threshold that is not the default; nil where all are.
  private var givenThreshold: String? {
    if conf != ObjectEvaluationSettings.leastConfidence { return "--conf" }
    if iou != ObjectEvaluationSettings.overlap { return "--iou" }
    return maxDet == Self.standardLimit ? nil : "--max-det"
  }

  private static let standardLimit = 300
}

/// How depth is estimated and compared.
struct DepthEvaluationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Depth: none for meters as they are, scale-shift to fit inverse depth frame by frame; by default what the network needs.",
      valueName: "unit"))
  var align: DepthUnitRule?

  @Option(help: "Depth: least side of the network's input, a multiple of 14; by default 518, prompted 756.")
  var depthSize: Int?

  @Option(help: "Depth: only this frame, by name or position from 0. Repeatable.")
  var frame: [String] = []

  @Flag(
    help: """
      Depth: compare the sensor's depth, fused depth and the fit with a laser scanner's, of videos of ARKitScenes \
      (highres_depth) and CA-1M (TIME.gt).
      """)
  var laser = false

  @Option(
    help: ArgumentHelp("Depth: readings beyond so many meters do not count.", valueName: "meters"))
  var sensorRange: Double?

  func validate() throws {
    try DepthOptions.check(side: depthSize)
    try SensorOptions.check(range: sensorRange)
    if laser, align != nil {
      throw ValidationError("--align: --laser compares meters as fusion makes them; leave it out")
    }
  }

  /// How the network is made ready.
  var settings: DepthSettings { DepthSettings(side: depthSize) }

  /// The frames of captures.
  func inputs(_ sources: [String], _ limits: CaptureLimits) throws -> RunInputs {
    let sensor = try sensor()
    return try RunInputs(sources, names: frame) {
      sensor.told(try CaptureReader.open($0, limits: limits, photographs: .exif))
    }
  }

  private func sensor() throws -> SensorOptions {
    try SensorOptions.parse(sensorRange.map { ["--sensor-range=\($0)"] } ?? [])
  }

  /// An option that says something about depth alone; nil where none is given.
  var given: String? {
    if align != nil { return "--align" }
    if laser { return "--laser" }
    if depthSize != nil { return "--depth-size" }
    if !frame.isEmpty { return "--frame" }
    return sensorRange == nil ? nil : "--sensor-range"
  }
}
