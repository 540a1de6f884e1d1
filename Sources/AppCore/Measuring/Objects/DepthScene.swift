import Geometry

/// Camera, pose and depth of one shot, without its picture.
public struct DepthScene: Sendable {
  /// The stored picture's size.
  public let imageSize: PixelSize
  /// The camera for `imageSize`; nil for a plain picture, which then has no sizes in meters.
  public let intrinsics: Intrinsics?
  /// The camera's pose.
  public let cameraToWorld: RigidTransform<CameraARKit, World>
  /// How the stored picture turns upright.
  public let orientation: Orientation
  /// The depth sensor's readings alone, for decisions that need observed surfaces.
  public let readings: MetricDepth?
  /// The readings, and where there is none what fused depth carries over from those nearby.
  ///
  /// It is for what needs a depth rather than a reading; its states distinguish the two.
  public let completed: MetricDepth?
  /// Depth computed from a network's output.
  public let fused: MetricDepth?
  /// A metric network's depth from the picture alone, meters: used beyond the reach of the sensor and of the fit.
  public let estimated: MetricDepth?
  /// The error model of the sensor that made the readings.
  public let sensor: SensorModel

  /// A scene from its parts; intrinsics of another picture size are scaled to `imageSize`, and without `completed` the
  /// readings stay as they are.
  public init(
    imageSize: PixelSize, intrinsics: Intrinsics?,
    cameraToWorld: RigidTransform<CameraARKit, World> = .identity, orientation: Orientation = .up,
    readings: MetricDepth? = nil, completed: MetricDepth? = nil, fused: MetricDepth? = nil,
    estimated: MetricDepth? = nil, sensor: SensorModel = SensorModel()
  ) {
    self.imageSize = imageSize
    self.intrinsics = intrinsics.map { $0.imageSize == imageSize ? $0 : $0.scaled(to: imageSize) }
    self.cameraToWorld = cameraToWorld
    self.orientation = orientation
    self.readings = readings
    self.completed = completed ?? readings
    self.fused = fused
    self.estimated = estimated
    self.sensor = sensor
  }

  /// A captured frame with the depth that is known of it.
  public init(frame: CapturedFrame, fused: MetricDepth? = nil, estimated: MetricDepth? = nil) {
    let readings = frame.sharpenedReadings
    self.init(
      imageSize: frame.imageSize, intrinsics: frame.intrinsics, cameraToWorld: frame.cameraToWorld,
      orientation: frame.orientation, readings: readings,
      completed: readings?.completed(by: fused),
      fused: fused, estimated: estimated, sensor: frame.sensor)
  }

  /// Where a point of the picture at planar depth `meters` lies in the world; nil without intrinsics.
  func world(_ point: Point2<ImagePixels>, meters: Double) -> Point3<World>? {
    intrinsics.map { cameraToWorld.apply($0.unproject(point, depth: meters)) }
  }
}
