import Geometry

extension FramedDetection<UprightPixels> {
  /// The same object in the stored picture of size `stored`, which `orientation` turns upright.
  public func turnedBack(from orientation: Orientation, stored: PixelSize) -> Detection {
    Detection(
      id: id, classId: classId, className: className, confidence: confidence,
      box: orientation.stored(box, stored: stored),
      mask: mask?.turnedBack(from: orientation, stored: stored),
      keypoints: keypoints.map { orientation.stored($0, stored: stored) },
      orientedBox: orientedBox.map { orientation.stored($0, stored: stored) }, track: track)
  }

  /// A detection in a part of a picture, in coordinates of the whole of size `size`: the part's corner is
  /// pixel (`column`, `row`).
  package func moved(toColumn column: Int, row: Int, of size: PixelSize) -> UprightDetection {
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
      }, track: track)
  }
}
