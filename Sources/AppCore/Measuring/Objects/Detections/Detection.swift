import Geometry

/// A picture's pixels, and how the pixels of an object in it are held.
public protocol MaskedFrame: PlanarFrame {
  /// The pixels of an object.
  associatedtype Mask: Sendable
}

extension ImagePixels: MaskedFrame {
  /// The mask of an object in the picture as stored.
  public typealias Mask = InstanceMask
}

extension UprightPixels: MaskedFrame {
  /// The mask of an object in the upright picture.
  public typealias Mask = UprightMask
}

/// One object that a detector found in a picture, in the pixels of the picture as stored.
public typealias Detection = FramedDetection<ImagePixels>

/// One object as a detector finds it: in the pixels of the upright picture it was given.
///
/// Intrinsics describe the stored picture: convert with `turnedBack` before measuring.
public typealias UprightDetection = FramedDetection<UprightPixels>

/// One object that a detector found, in the pixels of `Frame`.
public struct FramedDetection<Frame: MaskedFrame>: Sendable, Identifiable {
  /// Position in the detector's result list, from 0.
  public let id: Int
  /// The class's index in the detector's own list.
  public let classId: Int
  /// The class's name, such as `cup`.
  public let className: String
  /// Score in [0, 1].
  public let confidence: Float
  /// The bounding box.
  public let box: Rect<Frame>
  /// The pixels that belong to the object; nil from detectors that give boxes alone.
  public let mask: Frame.Mask?
  /// Places of the object, such as a person's joints, in the detector's order; empty from detectors without.
  public let keypoints: [Keypoint<Frame>]
  /// The box turned as the object is; nil from detectors of upright boxes.
  public let orientedBox: RotatedRect<Frame>?
  /// Its identity from picture to picture of a film; nil where none is given.
  public var track: Int?

  /// A detection from its parts.
  public init(
    id: Int, classId: Int, className: String, confidence: Float, box: Rect<Frame>, mask: Frame.Mask? = nil,
    keypoints: [Keypoint<Frame>] = [], orientedBox: RotatedRect<Frame>? = nil, track: Int? = nil
  ) {
    self.id = id
    self.classId = classId
    self.className = className
    self.confidence = confidence
    self.box = box
    self.mask = mask
    self.keypoints = keypoints
    self.orientedBox = orientedBox
    self.track = track
  }

  /// The box's center.
  public var centroid: Point2<Frame> { box.center }
}
