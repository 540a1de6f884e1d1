import Geometry
import Imaging

/// One shot of a camera: picture, depth, confidence, and where the camera stood.
///
/// Everything is in the stored (sensor) picture's frame: top-left origin, y down, not yet turned upright.
public struct CapturedFrame: Sendable {
  /// The frame's name within its capture, such as `00030`.
  public let name: String
  /// The picture as stored; nil where a caller asked for none or the capture has none.
  public let image: RGBImage?
  /// Size of the stored picture, present or not.
  public let imageSize: PixelSize
  /// Planar depth Z in meters, NaN or 0 where there is none; its grid covers the picture's whole field.
  public let depth: Plane<Float>?
  /// Confidence 0, 1 or 2 of each depth cell; nil stands for 2 everywhere.
  public let confidence: Plane<UInt8>?
  /// The model of the depth sensor.
  public var sensor: SensorModel
  /// Pinhole camera for `imageSize`, pixel-center convention; nil for a plain picture.
  public let intrinsics: Intrinsics?
  /// Where `intrinsics` is known from.
  package var cameraOrigin = CameraOrigin.capture
  /// The camera's pose; identity for a plain picture.
  public let cameraToWorld: RigidTransform<CameraARKit, World>
  /// Whether the capture states a camera pose; else the camera is at the origin, and the world is its own frame.
  public var isPosed = true
  /// Parts of the picture's file other than the picture, which are left out, such as "a depth map".
  public var companions: [String] = []
  /// How to turn the stored picture upright.
  public let orientation: Orientation
  /// Seconds on the recording's own clock.
  public let timestamp: Double

  /// A frame from its parts, which must already agree with each other.
  public init(
    name: String, image: RGBImage?, imageSize: PixelSize, depth: Plane<Float>? = nil,
    confidence: Plane<UInt8>? = nil, sensor: SensorModel = SensorModel(), intrinsics: Intrinsics? = nil,
    cameraToWorld: RigidTransform<CameraARKit, World> = .identity, orientation: Orientation = .up,
    timestamp: Double = 0
  ) {
    self.name = name
    self.image = image
    self.imageSize = imageSize
    self.depth = depth
    self.confidence = confidence
    self.sensor = sensor
    self.intrinsics = intrinsics
    self.cameraToWorld = cameraToWorld
    self.orientation = orientation
    self.timestamp = timestamp
  }

  /// Intrinsics for the depth grid; nil without depth or intrinsics.
  public var depthIntrinsics: DepthIntrinsics? {
    guard let depth, let intrinsics else { return nil }
    return DepthIntrinsics(intrinsics, cells: depth.size)
  }
}
