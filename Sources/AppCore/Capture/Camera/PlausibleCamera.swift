import Geometry

/// Plausible ranges of a frame's camera, against which the frames of every layout are checked.
enum PlausibleCamera {
  /// Focal lengths over the picture's longer side: the least sees 178.9 degrees, the greatest half a degree, which no
  /// capture needs and beyond which sizes in the scene lose their meaning.
  static let focalLengths = 0.01...100.0

  static func check(_ intrinsics: Intrinsics, file: String) throws(CaptureError) {
    let side = Double(max(intrinsics.imageWidth, intrinsics.imageHeight))
    guard focalLengths.contains(intrinsics.fx / side), focalLengths.contains(intrinsics.fy / side) else {
      throw .badIntrinsics(
        file: file,
        reason: "have focal lengths of \(intrinsics.fx) and \(intrinsics.fy) pixels, outside "
          + "\(focalLengths.lowerBound * side) to \(focalLengths.upperBound * side) "
          + "(1/100 to 100 times the picture's longer side)")
    }
  }

  static func check(
    _ cameraToWorld: RigidTransform<CameraARKit, World>, file: String
  ) throws(CaptureError) {
    let place = cameraToWorld.origin
    guard [place.x, place.y, place.z].allSatisfy(WorldMeters.range.contains) else {
      throw .badPose(
        file: file,
        reason:
          "has its origin at \(place.x), \(place.y), \(place.z), beyond \(WorldMeters.range.upperBound) meters along an axis"
      )
    }
  }
}
