import AppCore
import Geometry
import Imaging
import Models

extension Segmentation {
  /// The objects as the app core takes them from any detector: in the upright picture's pixels, best first.
  public var detections: [UprightDetection] {
    objects.enumerated().map { id, object in
      UprightDetection(
        id: id, classId: object.classIndex, className: object.className, confidence: object.confidence,
        box: object.box,
        mask: UprightMask(
          probabilities: object.probabilities.plane(), letterbox: letterbox, patch: object.mask.rectangle,
          column: object.mask.columns.lowerBound, row: object.mask.rows.lowerBound))
    }
  }
}
