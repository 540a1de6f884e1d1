import Geometry
import Imaging

/// The parts of a frame as read, before they are checked against each other.
struct FrameParts {
  /// The frame's own file, for messages.
  let file: String
  let name: String
  let timestamp: Double
  /// The picture's size as stated.
  let imageSize: PixelSize
  let orientation: Orientation
  let intrinsics: Intrinsics
  let cameraToWorld: RigidTransform<CameraARKit, World>
  var image: RGBImage?
  var depth: Plane<Float>?
  /// The depth grid's size, where stated.
  var statedDepthSize: PixelSize?
  var confidence: Plane<UInt8>?
  var sensor = SensorModel()

  /// How far the aspect ratios of depth and picture may differ, relatively.
  private static let aspectTolerance = 0.02

  /// The frame, if all parts agree.
  func assembled() throws(CaptureError) -> CapturedFrame {
    try PlausibleCamera.check(intrinsics, file: file)
    try PlausibleCamera.check(cameraToWorld, file: file)
    if let image { try check(image) }
    if let depth { try check(depth) }
    if let confidence { try check(confidence) }
    return CapturedFrame(
      name: name, image: image, imageSize: imageSize, depth: depth, confidence: confidence,
      sensor: sensor, intrinsics: intrinsics, cameraToWorld: cameraToWorld, orientation: orientation,
      timestamp: timestamp)
  }

  private func check(_ image: RGBImage) throws(CaptureError) {
    guard image.size == imageSize else {
      throw .imageSizeMismatch(file: file, stated: imageSize, actual: image.size)
    }
  }

  private func check(_ depth: Plane<Float>) throws(CaptureError) {
    if let statedDepthSize, statedDepthSize != depth.size {
      throw .depthSizeMismatch(file: file, stated: statedDepthSize, actual: depth.size)
    }
    let depthAspect = Double(depth.width) / Double(depth.height)
    let imageAspect = Double(imageSize.width) / Double(imageSize.height)
    guard abs(depthAspect / imageAspect - 1) <= Self.aspectTolerance else {
      throw .depthAspectMismatch(file: file, depth: depth.size, image: imageSize)
    }
    if let index = depth.elements.firstIndex(where: { !$0.isNaN && !DepthMeters.range.contains(Double($0)) })
    {
      throw .badDepthValue(file: file, x: index % depth.width, y: index / depth.width)
    }
  }

  private func check(_ confidence: Plane<UInt8>) throws(CaptureError) {
    guard let depth else { throw .confidenceWithoutDepth(file: file) }
    guard confidence.size == depth.size else {
      throw .confidenceSizeMismatch(file: file, depth: depth.size, confidence: confidence.size)
    }
    if let index = confidence.elements.firstIndex(where: { $0 > 2 }) {
      throw .badConfidenceValue(
        file: file, x: index % confidence.width, y: index / confidence.width,
        value: Int(confidence.elements[index]))
    }
  }
}
