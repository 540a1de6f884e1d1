import FileFormats
import Geometry

extension DetectionsFile {
  /// The most key points of an object that are read.
  private static let mostKeypoints = 1000
  /// An upper bound on a picture's side in pixels.
  private static let farthest = 1e6

  /// The fields of a detection's key points and oriented box; none where it has neither.
  static func shapes(of detection: Detection) -> [String: JSONValue] {
    var fields: [String: JSONValue] = [:]
    if !detection.keypoints.isEmpty {
      fields["keypoints"] = .array(
        detection.keypoints.map { keypoint in
          [
            pixels(keypoint.point.x), pixels(keypoint.point.y),
            keypoint.confidence.map { .rounded(Double($0), decimals: confidenceDecimals) } ?? .null,
          ]
        })
    }
    if let box = detection.orientedBox {
      fields["orientedBox"] = [
        "center": [pixels(box.center.x), pixels(box.center.y)], "width": pixels(box.width),
        "height": pixels(box.height), "angle": .rounded(box.angle, decimals: confidenceDecimals),
        "corners": .array(box.corners.map { [pixels($0.x), pixels($0.y)] }),
      ]
    }
    return fields
  }

  static func keypoints(
    _ entry: JSONValue, path: String
  ) throws(DocumentError) -> [Keypoint<ImagePixels>] {
    guard let stated = entry["keypoints"], !stated.isNull else { return [] }
    let defect = DocumentError.field(
      "\(path).keypoints", expected: "at most \(mostKeypoints) of [x, y, confidence from 0 to 1 or null]")
    guard let rows = stated.array, rows.count <= mostKeypoints else { throw defect }
    var keypoints: [Keypoint<ImagePixels>] = []
    for row in rows {
      guard let cells = row.array, cells.count == 3, let x = cells[0].number, let y = cells[1].number,
        abs(x) < farthest, abs(y) < farthest
      else { throw defect }
      let confidence = cells[2].number
      guard cells[2].isNull || confidence.map((0...1).contains) ?? false else { throw defect }
      keypoints.append(Keypoint(Point2(x, y), confidence: confidence.map { Float($0) }))
    }
    return keypoints
  }

  static func orientedBox(
    _ entry: JSONValue, path: String
  ) throws(DocumentError) -> RotatedRect<ImagePixels>? {
    guard let stated = entry["orientedBox"], !stated.isNull else { return nil }
    guard let center = stated["center"]?.numbers, center.count == 2, let width = stated["width"]?.number,
      let height = stated["height"]?.number, let angle = stated["angle"]?.number,
      (center + [width, height]).allSatisfy({ abs($0) < farthest }), width > 0, height > 0, abs(angle) < 100
    else {
      throw .field("\(path).orientedBox", expected: "center, positive width and height, and angle in radians")
    }
    return RotatedRect(center: Point2(center[0], center[1]), width: width, height: height, angle: angle)
  }
}
