import Evaluation
import Models

/// How objects are found and compared.
struct ObjectEvaluationSettings {
  /// `yolo val`'s, for whole curves of precision.
  static let leastConfidence = 0.001
  /// `yolo val`'s.
  static let overlap = 0.7
  /// The least score of objects that are measured, where no other is asked for.
  private static let measuredConfidence = 0.25

  /// A file of COCO's annotations; nil for the labels beside the pictures.
  var annotations: String?
  /// nil for the one that suits the network.
  var rule: EvaluationProtocol?
  /// Its `masks` are not asked.
  var detector = DetectorSettings(confidence: leastConfidence, overlap: overlap)
  /// nil where it was not said how masks come to the picture's resolution.
  var masks: MaskMethod?

  /// For objects that are measured.
  var measured: DetectorSettings {
    var detector = detector
    if detector.confidence == Self.leastConfidence { detector.confidence = Self.measuredConfidence }
    detector.masks = masks ?? .retina
    return detector
  }
}
