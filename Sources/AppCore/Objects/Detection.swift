import Geometry
import Imaging

/// One object that a detector found in a picture.
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

  /// A detection from its parts.
  public init(
    id: Int, classId: Int, className: String, confidence: Float, box: Rect<ImagePixels>,
    mask: InstanceMask? = nil
  ) {
    self.id = id
    self.classId = classId
    self.className = className
    self.confidence = confidence
    self.box = box
    self.mask = mask
  }

  /// The box's centre.
  public var centroid: Point2<ImagePixels> { box.center }

  /// A detection found on the upright picture, mapped back to the stored picture of size `stored`.
  ///
  /// Before the call `ImagePixels` means the upright picture that the detector was given, after it the stored
  /// one.
  public func turnedBack(from orientation: Orientation, stored: PixelSize) -> Detection {
    guard orientation != .up else { return self }
    return Detection(
      id: id, classId: classId, className: className, confidence: confidence,
      box: orientation.stored(box.relabeled(as: UprightPixels.self), stored: stored),
      mask: mask?.turnedBack(from: orientation, stored: stored))
  }
}

/// A network that finds objects in a picture.
public protocol Detector: Sendable {
  /// The objects of an upright picture, in its own pixels.
  func detect(in picture: RGBImage) async throws -> [Detection]
}
