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

extension Detection {
  /// A detection in a part of a picture, said of the whole of size `size`: the part's corner is pixel
  /// (`column`, `row`).
  func moved(toColumn column: Int, row: Int, of size: PixelSize) -> Detection {
    let (x, y) = (Double(column), Double(row))
    return Detection(
      id: id, classId: classId, className: className, confidence: confidence,
      box: Rect(minX: box.minX + x, minY: box.minY + y, maxX: box.maxX + x, maxY: box.maxY + y),
      mask: mask?.moved(toColumn: column, row: row, of: size))
  }
}

/// Looks at the middle square of pictures only, enlarged as far as the network allows: the other policy besides
/// showing it the whole picture.
public struct CenterCropDetector: Detector {
  private let detector: any Detector

  /// A detector that sees middle squares.
  public init(_ detector: any Detector) { self.detector = detector }

  /// The objects of the middle square, in the whole picture's pixels.
  public func detect(in picture: RGBImage) async throws -> [Detection] {
    let side = min(picture.width, picture.height)
    let (column, row) = ((picture.width - side) / 2, (picture.height - side) / 2)
    let square = picture.cropped(x: column, y: row, width: side, height: side)
    return try await detector.detect(in: square).map {
      $0.moved(toColumn: column, row: row, of: picture.size)
    }
  }
}

/// A network that finds objects in a picture.
public protocol Detector: Sendable {
  /// The objects of an upright picture, in its own pixels.
  func detect(in picture: RGBImage) async throws -> [Detection]
}
