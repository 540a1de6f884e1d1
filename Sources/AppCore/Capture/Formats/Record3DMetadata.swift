import FileFormats
import Geometry

/// The metadata of a Record3D recording: of all frames, and of each.
struct Record3DMetadata: Sendable {
  /// The picture that the cameras are for.
  let size: PixelSize
  /// The depth grid, where stated.
  let depthSize: PixelSize?
  /// fx, fy, cx, cy of every frame, or of each.
  private let camera: [Double]?
  private let cameras: [[Double]]
  /// qx, qy, qz, qw, x, y, z of each frame; none where the app did not track.
  private let poses: [[Double]]
  private let times: [Double]
  private let framesPerSecond: Double

  private static let file = Record3DFiles.metadata
  private static let usualRate = 30.0

  init(_ json: [UInt8], limits: CaptureLimits) throws(CaptureError) {
    let fields = try FrameFields(file: Self.file, json: json, limits: limits.json)
    size = try fields.size(width: "w", height: "h")
    depthSize = fields.has("dw") && fields.has("dh") ? try fields.size(width: "dw", height: "dh") : nil
    cameras =
      fields.has("perFrameIntrinsicCoeffs") ? try fields.rows("perFrameIntrinsicCoeffs", columns: 4) : []
    if fields.has("K") {
      let k = try FrameFields.camera(
        try fields.numbers("K", count: 9), order: .columnMajor, size: size, file: Self.file)
      camera = [k.fx, k.fy, k.cx, k.cy]
    } else {
      guard !cameras.isEmpty else { throw .missingField(file: Self.file, field: "K") }
      camera = nil
    }
    poses = fields.has("poses") ? try fields.rows("poses", columns: 7) : []
    times =
      fields.has("frameTimestamps")
      ? try fields.rows("frameTimestamps", columns: nil).map { $0.first ?? .nan } : []
    let rate = fields.has("fps") ? try fields.number("fps") : Self.usualRate
    framesPerSecond = rate > 0 ? rate : Self.usualRate
  }

  /// Whether the app followed the camera.
  var hasPoses: Bool { !poses.isEmpty }

  /// The number of frames that the metadata states; nil if it states none.
  var frameCount: Int? {
    [poses.count, cameras.count, times.count].filter { $0 > 0 }.max()
  }

  /// Seconds since the first frame, or on the recording's clock.
  func time(of frame: Int) -> Double {
    times.indices.contains(frame) && times[frame].isFinite ? times[frame] : Double(frame) / framesPerSecond
  }

  /// The camera of a frame: its own, or that of all.
  func camera(of frame: Int) throws(CaptureError) -> StatedCamera {
    guard let k = cameras.indices.contains(frame) ? cameras[frame] : camera, k.allSatisfy(\.isFinite) else {
      throw .badIntrinsics(file: "\(Self.file), frame \(frame)", reason: "are missing")
    }
    return StatedCamera(fx: k[0], fy: k[1], cx: k[2], cy: k[3], size: size)
  }

  /// The pose of a frame; the identity where no frame has one.
  func pose(of frame: Int) throws(CaptureError) -> RigidTransform<CameraARKit, World> {
    guard hasPoses else { return .identity }
    guard poses.indices.contains(frame) else { throw .noPoseOfFrame(file: Self.file, frame: frame) }
    let pose = poses[frame]
    let file = "\(Self.file), frame \(frame)"
    guard pose.allSatisfy(\.isFinite) else { throw .badPose(file: file, reason: "contains NaN or infinity") }
    guard let rotation = Quaternion(x: pose[0], y: pose[1], z: pose[2], w: pose[3]) else {
      throw .badPose(file: file, reason: "has a quaternion of zeros")
    }
    return RigidTransform(rotation: rotation, origin: Point3(pose[4], pose[5], pose[6]))
  }
}

extension FrameFields {
  /// Arrays of as many numbers each, or with nil for `columns` numbers by themselves; numbers may be none (NaN).
  fileprivate func rows(_ field: String, columns: Int?) throws(CaptureError) -> [[Double]] {
    guard let columns else {
      guard let found = try present(field).numbers else {
        throw .badField(file: file, field: field, expected: "an array of numbers")
      }
      return found.map { [$0] }
    }
    let elements = try present(field).array
    let found = elements?.compactMap(\.numbers) ?? []
    guard found.count == elements?.count, found.allSatisfy({ $0.count == columns }) else {
      throw .badField(file: file, field: field, expected: "arrays of \(columns) numbers")
    }
    return found
  }
}
