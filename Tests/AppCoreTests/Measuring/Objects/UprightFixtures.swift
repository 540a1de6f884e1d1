import AppCore
import Geometry
import Imaging

extension InstanceMask {
  /// The mask of a picture that is stored upright.
  init(probabilities: Plane<Float>, letterbox: Letterbox) {
    self = UprightMask(probabilities: probabilities, letterbox: letterbox)
      .turnedBack(from: .up, stored: letterbox.imageSize)
  }
}

/// A detection of a square.
func uprightDetection(
  _ id: Int = 0, x: Double = 0, y: Double = 0, side: Double = 100
) -> UprightDetection {
  UprightDetection(
    id: id, classId: 0, className: "class 0", confidence: 0.9,
    box: Rect(x: x, y: y, width: side, height: side))
}
