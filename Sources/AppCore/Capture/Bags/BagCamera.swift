import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The pinhole of a camera that a recording states, and what of its lens is left as it is.
struct BagCamera: Sendable {
  let camera: StatedCamera
  /// The farthest that the lens moves a point of the picture's border, pixels; nil where it moves none.
  let distortion: Double?

  /// `isRectified`: whether the pictures are undistorted, which have the projection's camera.
  ///
  /// - Throws: `CaptureError.badIntrinsics` of a camera that was not calibrated, `.unsupportedLens`.
  init(_ info: ROSCameraInfo, isRectified: Bool, topic: String) throws(CaptureError) {
    let p = info.projection
    let isProjected = isRectified && p[0] > 0 && p[5] > 0
    let k = isProjected ? [p[0], p[5], p[2], p[6]] : [0, 4, 2, 5].map { info.matrix[$0] }
    guard k.allSatisfy(\.isFinite), k[0] > 0, k[1] > 0 else {
      throw .badIntrinsics(file: topic, reason: "are not stated: the camera was not calibrated")
    }
    let region = info.region
    let isPart = region[2] > 0 && region[3] > 0
    let sides = isPart ? (region[2], region[3]) : (info.width, info.height)
    let offset = isPart ? (region[0], region[1]) : (0, 0)
    // Drivers that leave the size out mean the picture's.
    let size = try? PixelSize(checking: sides.0, sides.1)
    camera = StatedCamera(
      fx: k[0], fy: k[1], cx: k[2] - Double(offset.0), cy: k[3] - Double(offset.1), size: size)
    guard !isRectified, info.distortion.contains(where: { $0 != 0 }) else {
      distortion = nil
      return
    }
    guard ["plumb_bob", "rational_polynomial", ""].contains(info.model) else {
      throw .unsupportedLens(file: topic, reason: "model \(info.model)")
    }
    distortion = size.map { Self.greatestShift(info.distortion, k, $0) }
  }

  /// How far the corners and the middles of the sides move, by OpenCV's model of a lens: k1 k2 p1 p2 k3 k4 k5 k6.
  private static func greatestShift(_ d: [Double], _ k: [Double], _ size: PixelSize) -> Double {
    let c = d + [Double](repeating: 0, count: max(0, 8 - d.count))
    var greatest = 0.0
    for u in [0, 0.5, 1] {
      for v in [0, 0.5, 1] {
        let x = (u * Double(size.width) - k[2]) / k[0]
        let y = (v * Double(size.height) - k[3]) / k[1]
        let r2 = x * x + y * y
        let radial =
          (1 + r2 * (c[0] + r2 * (c[1] + r2 * c[4]))) / (1 + r2 * (c[5] + r2 * (c[6] + r2 * c[7])))
        let dx = x * radial + 2 * c[2] * x * y + c[3] * (r2 + 2 * x * x) - x
        let dy = y * radial + c[2] * (r2 + 2 * y * y) + 2 * c[3] * x * y - y
        greatest = max(greatest, hypot(dx * k[0], dy * k[1]))
      }
    }
    return greatest
  }
}
