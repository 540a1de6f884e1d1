import AppCore
import Geometry
import Imaging
import Models

extension DetectedObjects {
  /// The objects as the app core takes them from any detector: in the upright picture's pixels, best first.
  public var detections: [UprightDetection] { detections() }

  /// The same, of the classes with these indices only (nil for all), and at most the first `limit`.
  public func detections(of classes: Set<Int>? = nil, limit: Int = .max) -> [UprightDetection] {
    let kept = objects.lazy.filter { classes?.contains($0.classIndex) ?? true }.prefix(limit)
    return kept.enumerated().map { id, object in
      UprightDetection(
        id: id, classId: object.classIndex, className: object.className, confidence: object.confidence,
        box: object.box,
        mask: mask(of: object), keypoints: object.keypoints, orientedBox: object.orientedBox)
    }
  }

  private func mask(of object: DetectedObject) -> UprightMask? {
    guard let mask = object.mask, let probabilities = object.probabilities else { return nil }
    return UprightMask(
      probabilities: probabilities.probabilities, columns: probabilities.columns, rows: probabilities.rows,
      of: PixelSize(width: probabilities.gridWidth, height: probabilities.gridHeight), letterbox: letterbox,
      runs: mask.runs, column: mask.columns.lowerBound, row: mask.rows.lowerBound)
  }
}
