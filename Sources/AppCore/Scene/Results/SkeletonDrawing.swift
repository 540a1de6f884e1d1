import Geometry
import Imaging

/// An object's key points as dots, and a person's limbs between them.
struct SkeletonDrawing {
  /// Limbs by the joints at their ends, in the order of COCO's 17.
  private static let limbs = [
    (15, 13), (13, 11), (16, 14), (14, 12), (11, 12), (5, 11), (6, 12), (5, 6), (5, 7), (6, 8), (7, 9),
    (8, 10),
    (1, 2), (0, 1), (0, 2), (1, 3), (2, 4), (3, 5), (4, 6),
  ]
  private static let personJoints = 17
  private static let limbColor = Color(red: 255, green: 149, blue: 0)
  private static let jointColor = Color(red: 255, green: 59, blue: 48)

  private let joints: [Keypoint<UprightPixels>]
  private let lineWidth: Double

  init(_ joints: [Keypoint<UprightPixels>], lineWidth: Double) {
    self.joints = joints
    self.lineWidth = lineWidth
  }

  func draw(on canvas: inout Canvas<UprightPixels>) {
    if joints.count == Self.personJoints {
      let stroke = StrokeStyle(color: Self.limbColor, width: max(1, lineWidth / 2))
      for (first, second) in Self.limbs where isSeen(joints[first]) && isSeen(joints[second]) {
        canvas.strokeLine(from: joints[first].point, to: joints[second].point, stroke)
      }
    }
    for joint in joints where isSeen(joint) {
      canvas.fillCircle(center: joint.point, radius: max(1.5, lineWidth), color: Self.jointColor)
    }
  }

  /// Less sure ones are guesses at what is hidden; those that are not numbers are nowhere.
  private func isSeen(_ joint: Keypoint<UprightPixels>) -> Bool {
    joint.point.isFinite && (joint.confidence.map { $0 >= DepthScene.surestHidden } ?? true)
  }
}
