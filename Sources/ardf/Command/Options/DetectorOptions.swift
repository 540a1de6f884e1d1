import ArgumentParser
import Models
import NNRuntime
import Perception

/// How masks are made, by the names that Ultralytics' users know.
enum MasksOption: String, CaseIterable, ExpressibleByArgument {
  case fast, native, retina

  /// `retina_masks=True` calls `process_mask_native`: two names of one way.
  var method: MaskMethod { self == .fast ? .fast : .retina }
}

/// Which objects are found.
struct DetectorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "YOLOv8, YOLO11 or YOLO26 weights, a file or a name such as yolo11n-seg.", valueName: "file"))
  var yolo: String?

  @Option(
    help: """
      Side of the square that pictures are fitted into, a multiple of 32; by default that of the pictures the network \
      was trained on, which is 640 for those published, 1024 for oriented boxes, and 224 for classifiers.
      """)
  var imgsz: Int?

  @Flag(
    help: """
      Fit pictures into the least rectangle of multiples of 32 within that square, as Ultralytics' predict does by \
      default, instead of the whole square.
      """)
  var rect = false

  @Option(
    help:
      "Scores must be strictly greater; 0.75 by default, with --track 0.1. Ultralytics' default is 0.25."
  )
  var conf: Double?

  @Option(
    help: "Of two boxes of a class that overlap by more, the better is kept. Ultralytics' default is 0.7.")
  var iou = 0.5

  @Flag(
    help: """
      Of YOLO26's two heads take the one whose boxes are suppressed by --iou, as Ultralytics' predict does by default, \
      instead of the one that gives each object one box. Other networks have but one.
      """)
  var nms = false

  @Option(
    help: ArgumentHelp(
      "Only objects of these classes, by name or number; ardf inspect weights lists them. Repeatable.",
      valueName: "person,car"))
  var classes: [String] = []

  @Option(help: "The most objects of a picture.")
  var maxDet = 300

  @Option(
    help: ArgumentHelp(
      """
      How masks come to the picture's resolution. retina, also called native: as Ultralytics' retina_masks=True, cut \
      at the picture's own pixels; fast: as its default, cut at the network's and enlarged.
      """, valueName: "way"))
  var masks = MasksOption.retina

  /// The score that objects must exceed.
  var confidence: Double { conf ?? 0.75 }

  func validate() throws {
    for (name, value) in [("--conf", confidence), ("--iou", iou)] where !(0...1).contains(value) {
      throw ValidationError("\(name) \(value): give a number from 0 to 1")
    }
    guard (1...ObjectRules.mostObjects).contains(maxDet) else {
      throw ValidationError("--max-det \(maxDet): give a number from 1 to 10000")
    }
    if let imgsz, !ObjectInput.isSide(imgsz) {
      throw ValidationError("--imgsz \(imgsz): give \(ObjectInput.sideRule)")
    }
  }

  /// The same as a plain value, without the weights.
  var settings: DetectorSettings {
    DetectorSettings(
      side: imgsz, isRectangle: rect, isSuppressed: nms, confidence: confidence, overlap: iou, limit: maxDet,
      classes: classes, masks: masks.method)
  }

  /// The weights that the options name, of a detector or a classifier.
  func weights(_ compute: ComputeSettings) throws -> NetworkWeights {
    let weights = try NetworkWeights(WeightFiles.detector(yolo), allowNonFinite: compute.allowsNonFinite)
    if case .depth = weights.task { throw weights.isDepthNetwork }
    return weights
  }

  /// The detector that the options name.
  func detector(_ compute: ComputeSettings, pool: ThreadPool) throws -> ObjectDetector {
    try settings.detector(weights(compute), compute, pool: pool)
  }
}
