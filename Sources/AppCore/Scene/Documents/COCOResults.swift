import FileFormats
import Geometry

/// Detections as a list of COCO results, for COCO's own evaluation.
package enum COCOResults {
  /// COCO's category ids of the 80 classes in the order of detectors trained on them: 1 to 90 with gaps.
  static let categoryIds: [Int] = {
    let unused: Set<Int> = [12, 26, 29, 30, 45, 66, 68, 69, 71, 83]
    return (1...90).filter { !unused.contains($0) }
  }()

  /// The number of classes that a detector must have for its results to be COCO's.
  package static var classCount: Int { categoryIds.count }

  /// One entry a detection.
  ///
  /// - `image`: What results call the picture.
  /// - Throws: `DocumentError.field` for a class that COCO does not have.
  package static func entries(
    _ file: DetectionsFile, image: JSONValue
  ) throws(DocumentError) -> [JSONValue] {
    var entries: [JSONValue] = []
    for detection in file.detections {
      guard categoryIds.indices.contains(detection.classId) else {
        throw .field("classId", expected: "below \(classCount) for COCO results, found \(detection.classId)")
      }
      var entry: [String: JSONValue] = [
        "image_id": image, "category_id": .integer(categoryIds[detection.classId]),
        "score": .rounded(Double(detection.confidence), decimals: DetectionsFile.confidenceDecimals),
        "bbox": .array(
          [detection.box.minX, detection.box.minY, detection.box.width, detection.box.height].map(
            DetectionsFile.pixels)),
      ]
      if let mask = detection.mask { entry["segmentation"] = DetectionsFile.runLengths(mask) }
      if !detection.keypoints.isEmpty { entry["keypoints"] = keypoints(detection) }
      if let track = detection.track { entry["track_id"] = .integer(track) }
      entries.append(.object(entry))
    }
    return entries
  }

  /// x, y and confidence of each key point in a row, as `yolo val` writes them; confidence is 1 where the
  /// network gives none.
  private static func keypoints(_ detection: Detection) -> JSONValue {
    .array(
      detection.keypoints.flatMap { keypoint in
        [
          DetectionsFile.pixels(keypoint.point.x), DetectionsFile.pixels(keypoint.point.y),
          .rounded(Double(keypoint.confidence ?? 1), decimals: DetectionsFile.confidenceDecimals),
        ]
      })
  }

  /// Key points of a person in COCO.
  package static let keypointCount = 17
}
