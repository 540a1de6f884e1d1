import Geometry
import Imaging

extension CapturedFrame {
  /// A frame from untrusted parts, each checked alone and against the others.
  ///
  /// - `image`: as stored; `orientation` turns it upright.
  /// - `depth`: planar, in meters, NaN or 0 where there is none, over the stored picture's whole field.
  /// - `confidence`: 0, 1 or 2 of each cell of the depth.
  /// - `intrinsics`: nine numbers of the stored picture's matrix, by rows.
  /// - `cameraToWorld`: sixteen numbers, by rows, of a camera that looks along -z with y up; nil where it is
  ///   not known.
  package static func checked(
    name: String, image: RGBImage, orientation: Orientation, depth: Plane<Float>?,
    confidence: Plane<UInt8>?, sensor: SensorModel, intrinsics: [Double], cameraToWorld: [Double]?
  ) throws(CaptureError) -> CapturedFrame {
    let stated = try FrameFields.camera(intrinsics, order: .rowMajor, size: image.size, file: name)
    let camera = try FrameFields.intrinsics(
      fx: stated.fx, fy: stated.fy, cx: stated.cx, cy: stated.cy, imageSize: image.size, file: name)
    let pose: RigidTransform<CameraARKit, World> =
      if let cameraToWorld { try FrameFields.pose(cameraToWorld, order: .rowMajor, file: name) } else {
        .identity
      }
    var parts = FrameParts(
      file: name, name: name, timestamp: 0, imageSize: image.size, orientation: orientation,
      intrinsics: camera, cameraToWorld: pose)
    (parts.image, parts.depth, parts.confidence) = (image, depth, confidence)
    parts.sensor = sensor
    var frame = try parts.assembled()
    frame.isPosed = cameraToWorld != nil
    return frame
  }
}
