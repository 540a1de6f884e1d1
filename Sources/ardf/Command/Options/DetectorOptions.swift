import ArgumentParser
import Models
import NNRuntime
import Perception

/// How masks are made, by the names that Ultralytics' users know.
enum MasksOption: String, CaseIterable, ExpressibleByArgument {
  case fast, native, retina

  /// The same as `retina`: Ultralytics' `retina_masks=True` calls `process_mask_native`.
  var method: MaskMethod { self == .fast ? .fast : .retina }
}

/// The options of object detection.
struct DetectorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "YOLOv8, YOLO11 or YOLO26 weights, a file or a name such as yolo11n-seg, or the ONNX file of a detector like D-FINE.",
      valueName: "file"))
  var yolo: String?

  @Option(
    help: """
      Side of the square to which pictures are resized, a multiple of \(ObjectInput.step); by default that of the \
      network's training: 640 for published networks, 1024 for oriented boxes, 224 for classifiers.
      """)
  var imgsz: Int?

  @Flag(
    help: """
      Resize pictures to the smallest rectangle within that square whose sides are multiples of \(ObjectInput.step), \
      as Ultralytics' predict does by default, instead of the whole square.
      """)
  var rect = false

  @Option(
    help:
      "Keep objects whose score is greater than this; 0.75 by default, 0.1 with --track; Ultralytics: 0.25."
  )
  var conf: Double?

  @Option(
    help: "Suppression: IoU above which the box with the lower score is dropped. Ultralytics' default is 0.7."
  )
  var iou = 0.5

  @Flag(
    help: """
      YOLO26 only: use the head that needs suppression by --iou, as Ultralytics' predict does by default, instead of \
      the one that gives one box for each object.
      """)
  var nms = false

  @Option(
    help: ArgumentHelp(
      "Only objects of these classes, by name or number; ardf inspect weights lists them. Repeatable.",
      valueName: "person,car"))
  var classes: [String] = []

  @Option(help: "Most objects to keep in a picture.")
  var maxDet = 300

  @Option(
    help: ArgumentHelp(
      """
      How masks are scaled to the picture. retina (or native): resized, then thresholded, as Ultralytics' \
      retina_masks=True; fast: thresholded at the network's resolution, then resized, as Ultralytics does by \
      default.
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
