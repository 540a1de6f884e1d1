import Geometry

/// One object as a detector finds it: in the pixels of the upright picture it was given.
///
/// Intrinsics describe the stored picture: convert with `turnedBack` before measuring.
public struct UprightDetection: Sendable, Identifiable {
  /// Position in the detector's result list, from 0.
  public let id: Int
  /// The class's index in the detector's own list.
  public let classId: Int
  /// The class's name, such as `cup`.
  public let className: String
  /// Score in [0, 1].
  public let confidence: Float
  /// The bounding box.
  public let box: Rect<UprightPixels>
  /// The pixels that belong to the object; nil from detectors that give boxes alone.
  public let mask: UprightMask?
  /// Places of the object, such as a person's joints, in the detector's order; empty from detectors without.
  public let keypoints: [Keypoint<UprightPixels>]
  /// The box turned as the object is; nil from detectors of upright boxes.
  public let orientedBox: RotatedRect<UprightPixels>?

  /// A detection from its parts.
  public init(
    id: Int, classId: Int, className: String, confidence: Float, box: Rect<UprightPixels>,
    mask: UprightMask? = nil, keypoints: [Keypoint<UprightPixels>] = [],
    orientedBox: RotatedRect<UprightPixels>? = nil
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

  /// The same object in the stored picture of size `stored`, which `orientation` turns upright.
  public func turnedBack(from orientation: Orientation, stored: PixelSize) -> Detection {
    Detection(
      id: id, classId: classId, className: className, confidence: confidence,
      box: orientation.stored(box, stored: stored),
      mask: mask?.turnedBack(from: orientation, stored: stored),
      keypoints: keypoints.map { orientation.stored($0, stored: stored) },
      orientedBox: orientedBox.map { orientation.stored($0, stored: stored) })
  }

  /// A detection in a part of a picture, said of the whole of size `size`: the part's corner is pixel
  /// (`column`, `row`).
  func moved(toColumn column: Int, row: Int, of size: PixelSize) -> UprightDetection {
    let (x, y) = (Double(column), Double(row))
    return UprightDetection(
      id: id, classId: classId, className: className, confidence: confidence,
      box: Rect(minX: box.minX + x, minY: box.minY + y, maxX: box.maxX + x, maxY: box.maxY + y),
      mask: mask?.moved(toColumn: column, row: row, of: size),
      keypoints: keypoints.map {
        Keypoint(Point2($0.point.x + x, $0.point.y + y), confidence: $0.confidence)
      },
      orientedBox: orientedBox.map { box in
        RotatedRect(
          center: Point2(box.center.x + x, box.center.y + y), width: box.width, height: box.height,
          angle: box.angle)
      })
  }
}
