import Geometry

/// In which order a file stores the elements of a matrix.
enum MatrixOrder: Sendable {
  case columnMajor
  case rowMajor

  func columnMajor(_ elements: [Double], side: Int) -> [Double] {
    switch self {
    case .columnMajor: elements
    case .rowMajor: (0..<side * side).map { elements[($0 % side) * side + $0 / side] }
    }
  }
}

extension FrameFields {
  /// How far a pose's columns may be from orthonormal; less is put right, more is refused.
  static let poseTolerance = 1e-2
  /// How far fixed elements of a matrix (zeros and ones) may be off.
  static let matrixTolerance = 1e-6

  /// K from nine numbers.
  func intrinsics(
    _ field: String, order: MatrixOrder, imageSize: PixelSize
  ) throws(CaptureError) -> Intrinsics {
    let k = try Self.camera(try numbers(field, count: 9), order: order, size: imageSize, file: file)
    return try Self.intrinsics(
      fx: k.fx, fy: k.fy, cx: k.cx, cy: k.cy, imageSize: imageSize, file: file)
  }

  /// K as stated, its zeros and one checked.
  static func camera(
    _ elements: [Double], order: MatrixOrder, size: PixelSize, file: String
  ) throws(CaptureError) -> StatedCamera {
    let k = order.columnMajor(elements, side: 3)
    let isCalibration =
      [1, 2, 3, 5].allSatisfy { abs(k[$0]) <= matrixTolerance } && abs(k[8] - 1) <= matrixTolerance
    guard isCalibration else {
      throw .badIntrinsics(
        file: file,
        reason: "are not fx 0 0, 0 fy 0, cx cy 1 read \(order == .columnMajor ? "by columns" : "by rows")")
    }
    return StatedCamera(fx: k[0], fy: k[4], cx: k[6], cy: k[7], size: size)
  }

  /// Intrinsics from a field each.
  func intrinsics(imageSize: PixelSize) throws(CaptureError) -> Intrinsics {
    try Self.intrinsics(
      fx: try number("fx"), fy: try number("fy"), cx: try number("cx"), cy: try number("cy"),
      imageSize: imageSize, file: file)
  }

  /// Intrinsics from numbers, checked.
  static func intrinsics(
    fx: Double, fy: Double, cx: Double, cy: Double, imageSize: PixelSize, file: String
  ) throws(CaptureError) -> Intrinsics {
    guard fx > 0, fy > 0 else {
      throw .badIntrinsics(file: file, reason: "have a focal length that is not positive")
    }
    guard imageSize.bounds(in: ImagePixels.self).contains(Point2(fromFirstCenter: cx, cy)) else {
      throw .badIntrinsics(file: file, reason: "have their principal point outside the picture")
    }
    do {
      return try Intrinsics(
        fx: fx, fy: fy, cx: cx, cy: cy, imageWidth: imageSize.width, imageHeight: imageSize.height)
    } catch {
      throw .badIntrinsics(file: file, reason: "are unusable")
    }
  }

  /// A camera-to-world matrix of sixteen numbers.
  func pose(_ field: String, order: MatrixOrder) throws(CaptureError) -> RigidTransform<CameraARKit, World> {
    try Self.pose(try numbers(field, count: 16), order: order, file: file)
  }

  /// A rigid transform from the sixteen elements of its matrix, checked and made exactly rigid.
  static func pose<Camera: SpatialFrame, Fixed: SpatialFrame>(
    _ elements: [Double], order: MatrixOrder, file: String
  ) throws(CaptureError) -> RigidTransform<Camera, Fixed> {
    let m = order.columnMajor(elements, side: 4)
    guard [3, 7, 11].allSatisfy({ abs(m[$0]) <= poseTolerance }), abs(m[15] - 1) <= poseTolerance
    else {
      throw .badPose(
        file: file,
        reason: "has a last row other than 0 0 0 1 read \(order == .columnMajor ? "by columns" : "by rows")")
    }
    let axes = (0..<3).map { Vector3<Fixed>(m[$0 * 4], m[$0 * 4 + 1], m[$0 * 4 + 2]) }
    let worst = departureFromRotation(axes)
    guard worst <= poseTolerance, let x = axes[0].normalized(),
      let y = (axes[1] - x * x.dot(axes[1])).normalized()
    else {
      throw .badPose(file: file, reason: "is not a rotation and a translation (off by \(brief(worst)))")
    }
    let z = x.cross(y)
    do {
      return try RigidTransform(columnMajor: [
        x.x, x.y, x.z, 0, y.x, y.y, y.z, 0, z.x, z.y, z.z, 0, m[12], m[13], m[14], 1,
      ])
    } catch {
      throw .badPose(file: file, reason: "is not a rotation and a translation")
    }
  }

  /// The largest error of lengths, angles and handedness; 0 for a rotation.
  private static func departureFromRotation<Fixed: SpatialFrame>(_ axes: [Vector3<Fixed>]) -> Double {
    let (x, y, z) = (axes[0], axes[1], axes[2])
    return [
      abs(x.length - 1), abs(y.length - 1), abs(z.length - 1), abs(x.dot(y)), abs(y.dot(z)), abs(z.dot(x)),
      abs(x.cross(y).dot(z) - 1),
    ].max() ?? 0
  }

  /// Three decimals, for messages.
  private static func brief(_ value: Double) -> String {
    guard value < 1e6 else { return "more than a million" }
    return "\((value * 1000).rounded() / 1000)"
  }
}

extension Orientation {
  /// The orientation a device's posture gives to its sensor's picture, which is stored as seen with the
  /// device in landscape, home button to the right.
  init?(posture: String) {
    switch posture {
    case "landscapeRight": self = .up
    case "portrait": self = .right
    case "landscapeLeft": self = .down
    case "portraitUpsideDown": self = .left
    default: return nil
    }
  }

  /// The posture's name, where there is one.
  var posture: String? {
    switch self {
    case .up: "landscapeRight"
    case .right: "portrait"
    case .down: "landscapeLeft"
    case .left: "portraitUpsideDown"
    case .upMirrored, .downMirrored, .leftMirrored, .rightMirrored: nil
    }
  }

  /// Below this length, the upward direction in the picture is too short to tell sides apart: the camera
  /// looks straight up or down.
  private static let leastUprightness = 0.1

  /// The orientation that brings the side of the picture facing against gravity to the top; `up` where the
  /// camera looks too steeply to tell.
  init(gravityIn cameraToWorld: RigidTransform<CameraARKit, World>) {
    let right = cameraToWorld.xAxis.y
    let up = cameraToWorld.yAxis.y
    if (right * right + up * up).squareRoot() < Self.leastUprightness {
      self = .up
    } else if abs(up) >= abs(right) {
      self = up < 0 ? .down : .up
    } else {
      // The stored picture's left side faces up when its x axis points down.
      self = right < 0 ? .right : .left
    }
  }
}

extension FrameFields {
  func orientation(_ field: String) throws(CaptureError) -> Orientation {
    let name = try string(field)
    guard let orientation = Orientation(posture: name) else {
      throw .unknownOrientation(file: file, found: name)
    }
    return orientation
  }
}
