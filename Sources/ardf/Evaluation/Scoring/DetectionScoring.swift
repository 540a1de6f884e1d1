import FileFormats
import Geometry
import Imaging
import Models

/// Detections of a detector in labeled pictures, as a rule compares them with their labels.
package struct DetectionScoring {
  private let shape: EvaluatedShape
  /// How masks come to the picture's resolution.
  private let masks: MaskMethod
  private let request: DetectionRequest

  /// Scoring of all objects, of whatever class.
  ///
  /// - Parameters:
  ///   - shape: What is compared.
  ///   - thresholds: Which objects count.
  ///   - masks: How masks come to the picture's resolution, by COCO's rule.
  package init(_ shape: EvaluatedShape, thresholds: DetectionThresholds, masks: MaskMethod) {
    (self.shape, self.masks) = (shape, masks)
    var request = DetectionRequest(thresholds: thresholds, masks: nil)
    request.thresholds.takesEveryClass = true
    request.keepsEmpty = true
    self.request = request
  }

  /// Detections in a picture, as they are written to files, by COCO's rule.
  ///
  /// - Throws: the network's error.
  package func detections(of image: RGBImage, by model: any ObjectNetwork) throws -> [EvaluatedDetection] {
    var request = request
    request.masks = shape == .masks ? masks : nil
    return try model.detect(image, request).objects.map { object in
      let (box, mask) = (object.box, object.mask)
      return EvaluatedDetection(
        classIndex: object.classIndex, score: JSONValue.asWritten(Double(object.confidence), decimals: 6),
        box: COCOBox(
          x: JSONValue.asWritten(box.minX, decimals: 4), y: JSONValue.asWritten(box.minY, decimals: 4),
          width: JSONValue.asWritten(box.width, decimals: 4),
          height: JSONValue.asWritten(box.height, decimals: 4)),
        mask: mask.map {
          RunLengthMask(
            height: image.height, width: image.width,
            boundaries: $0.runs.columnBoundaries(
              column: $0.columns.lowerBound, row: $0.rows.lowerBound, rows: image.height))
        },
        keypoints: object.keypoints.map { keypoint in
          SIMD3(
            JSONValue.asWritten(keypoint.point.x, decimals: 4),
            JSONValue.asWritten(keypoint.point.y, decimals: 4),
            JSONValue.asWritten(Double(keypoint.confidence ?? 1), decimals: 6))
        })
    }
  }

  /// Detections in a picture fitted into the input as `yolo val` does, by Ultralytics' rule.
  ///
  /// - Throws: the network's error.
  package func detections(
    of image: RGBImage, by model: any ObjectNetwork, in frame: ValidationFrame
  ) throws -> [InputDetection] {
    var request = request
    request.letterbox = Letterbox(
      imageSize: PixelSize(width: image.width, height: image.height),
      networkSize: PixelSize(width: frame.networkWidth, height: frame.networkHeight),
      contentSize: PixelSize(width: frame.contentWidth, height: frame.contentHeight))
    return try model.detect(image, request).objects.map { object in
      let (box, mask) = (object.networkBox, object.probabilities)
      return InputDetection(
        classIndex: object.classIndex, score: object.confidence,
        box: SIMD4(Float(box.minX), Float(box.minY), Float(box.maxX), Float(box.maxY)),
        columns: mask?.columns ?? 0..<0, rows: mask?.rows ?? 0..<0,
        isSet: mask?.probabilities.map { $0 > 0.5 } ?? [],
        keypoints: object.networkKeypoints.map { SIMD2(Float($0.point.x), Float($0.point.y)) },
        orientedBox: object.networkOrientedBox.map {
          GaussianBox(center: $0.center, size: $0.size, angle: $0.angle)
        })
    }
  }
}
