import Geometry

/// What is known about one shot besides its picture: where the camera stood and how deep the scene is.
public struct DepthScene: Sendable {
  /// The stored picture's size.
  public let imageSize: PixelSize
  /// The camera for `imageSize`; nil for a plain picture, which then has no sizes in meters.
  public let intrinsics: Intrinsics?
  /// The camera's pose.
  public let cameraToWorld: RigidTransform<CameraARKit, World>
  /// How the stored picture turns upright.
  public let orientation: Orientation
  /// Depth of the sensor, its gaps filled where fused depth is guided by readings.
  public let sensor: MetricDepth?
  /// Depth computed from a network's output.
  public let fused: MetricDepth?
  /// Depth that a metric network gives in meters from the picture alone: for what neither sensor nor fit reaches.
  public let estimated: MetricDepth?

  /// A scene from its parts; intrinsics of another picture size are scaled to `imageSize`.
  public init(
    imageSize: PixelSize, intrinsics: Intrinsics?,
    cameraToWorld: RigidTransform<CameraARKit, World> = .identity, orientation: Orientation = .up,
    sensor: MetricDepth? = nil, fused: MetricDepth? = nil, estimated: MetricDepth? = nil
  ) {
    self.imageSize = imageSize
    self.intrinsics = intrinsics.map { $0.imageSize == imageSize ? $0 : $0.scaled(to: imageSize) }
    self.cameraToWorld = cameraToWorld
    self.orientation = orientation
    self.sensor = sensor
    self.fused = fused
    self.estimated = estimated
  }

  /// A captured frame with the best depth that is known of it: the readings that count, and where there is none what
  /// `fused` carries over from those nearby.
  public init(frame: CapturedFrame, fused: MetricDepth? = nil, estimated: MetricDepth? = nil) {
    self.init(
      imageSize: frame.imageSize, intrinsics: frame.intrinsics, cameraToWorld: frame.cameraToWorld,
      orientation: frame.orientation,
      sensor: frame.readings.map { readings in fused.map { readings.filled(from: $0) } ?? readings },
      fused: fused, estimated: estimated)
  }

  /// Where a point of the picture at planar depth `meters` lies in the world; nil without intrinsics.
  func world(_ point: Point2<ImagePixels>, meters: Double) -> Point3<World>? {
    intrinsics.map { cameraToWorld.apply($0.unproject(point, depth: meters)) }
  }
}
