import AppCore
import Geometry
import Imaging
import Models

extension Segmentation {
  /// The objects as the app core takes them from any detector: in the upright picture's pixels, best first.
  public var detections: [UprightDetection] { detections() }

  /// The same of some classes' indices alone, nil for all, and the first `limit` of these.
  public func detections(of classes: Set<Int>? = nil, limit: Int = .max) -> [UprightDetection] {
    let kept = objects.lazy.filter { classes?.contains($0.classIndex) ?? true }.prefix(limit)
    return kept.enumerated().map { id, object in
      UprightDetection(
        id: id, classId: object.classIndex, className: object.className, confidence: object.confidence,
        box: object.box,
        mask: UprightMask(
          probabilities: object.probabilities.plane(), letterbox: letterbox, patch: object.mask.rectangle,
          column: object.mask.columns.lowerBound, row: object.mask.rows.lowerBound))
    }
  }
}
