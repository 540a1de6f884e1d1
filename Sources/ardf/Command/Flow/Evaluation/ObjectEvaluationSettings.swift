import Evaluation
import Models

/// How objects are found and compared.
struct ObjectEvaluationSettings {
  /// `yolo val`'s, for whole curves of precision.
  static let leastConfidence = 0.001
  /// `yolo val`'s.
  static let overlap = 0.7
  /// The default least score of objects whose boxes are measured.
  private static let measuredConfidence = 0.25

  /// A file of COCO's annotations; nil for the labels beside the pictures.
  var annotations: String?
  /// nil for the one that suits the network.
  var rule: EvaluationProtocol?
  /// The settings of the detector; their `masks` are not used.
  var detector = DetectorSettings(confidence: leastConfidence, overlap: overlap)
  /// The way masks are scaled to the picture; nil where no option gave one.
  var masks: MaskMethod?

  /// The settings for measured objects.
  var measured: DetectorSettings {
    var detector = detector
    if detector.confidence == Self.leastConfidence { detector.confidence = Self.measuredConfidence }
    detector.masks = masks ?? .retina
    return detector
  }
}
