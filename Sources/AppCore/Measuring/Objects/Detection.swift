import Geometry

/// One object that a detector found in a picture, in the pixels of the picture as stored.
public struct Detection: Sendable, Identifiable {
  /// Position in the detector's result list, from 0.
  public let id: Int
  /// The class's index in the detector's own list.
  public let classId: Int
  /// The class's name, such as `cup`.
  public let className: String
  /// Score in [0, 1].
  public let confidence: Float
  /// The bounding box.
  public let box: Rect<ImagePixels>
  /// The pixels that belong to the object; nil from detectors that give boxes alone.
  public let mask: InstanceMask?
  /// Places of the object, such as a person's joints, in the detector's order; empty from detectors without.
  public let keypoints: [Keypoint<ImagePixels>]
  /// The box turned as the object is; nil from detectors of upright boxes.
  public let orientedBox: RotatedRect<ImagePixels>?

  /// A detection from its parts.
  public init(
    id: Int, classId: Int, className: String, confidence: Float, box: Rect<ImagePixels>,
    mask: InstanceMask? = nil, keypoints: [Keypoint<ImagePixels>] = [],
    orientedBox: RotatedRect<ImagePixels>? = nil
  ) {
    self.id = id
    self.classId = classId
    self.className = className
    self.confidence = confidence
    self.box = box
    self.mask = mask
    self.keypoints = keypoints
    self.orientedBox = orientedBox
  }

  /// The box's center.
  public var centroid: Point2<ImagePixels> { box.center }
}
