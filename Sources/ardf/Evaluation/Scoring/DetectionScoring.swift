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
        classIndex: object.classIndex, score: Self.written(Double(object.confidence), decimals: 6),
        box: COCOBox(
          x: Self.written(box.minX, decimals: 4), y: Self.written(box.minY, decimals: 4),
          width: Self.written(box.width, decimals: 4), height: Self.written(box.height, decimals: 4)),
        mask: mask.map {
          RunLengthMask(
            height: image.height, width: image.width,
            boundaries: $0.runs.columnBoundaries(
              column: $0.columns.lowerBound, row: $0.rows.lowerBound, rows: image.height))
        },
        keypoints: object.keypoints.map { keypoint in
          SIMD3(
            Self.written(keypoint.point.x, decimals: 4), Self.written(keypoint.point.y, decimals: 4),
            Self.written(Double(keypoint.confidence ?? 1), decimals: 6))
        })
    }
  }

  /// A number as files have it, so that who reads them finds the same precision.
  private static func written(_ value: Double, decimals: Int) -> Double {
    JSONValue.rounded(value, decimals: decimals).number ?? value
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
          GaussianBox(center: $0.centre, size: $0.size, angle: $0.angle)
        })
    }
  }
}
