import Geometry
import Imaging

/// Contents of a scene file: cameras, measured objects, placed effects, colored points.
public struct SceneModel: Sendable {
  /// A camera that took part.
  public struct Camera: Sendable {
    /// The frame's name.
    public var name: String
    /// The camera of the stored picture.
    public var intrinsics: Intrinsics
    /// Its pose.
    public var cameraToWorld: RigidTransform<CameraARKit, World>
    /// How its picture is turned upright.
    public var orientation: Orientation
    /// The stored picture, to be shown at the end of the camera's frustum.
    public var picture: RGBImage?

    /// A camera from its parts.
    public init(
      name: String, intrinsics: Intrinsics, cameraToWorld: RigidTransform<CameraARKit, World>,
      orientation: Orientation, picture: RGBImage? = nil
    ) {
      self.picture = picture
      self.name = name
      self.intrinsics = intrinsics
      self.cameraToWorld = cameraToWorld
      self.orientation = orientation
    }

    /// The camera of a frame; nil for a plain picture.
    public init?(_ frame: CapturedFrame) {
      guard let intrinsics = frame.intrinsics else { return nil }
      self.init(
        name: frame.name, intrinsics: intrinsics, cameraToWorld: frame.cameraToWorld,
        orientation: frame.orientation, picture: frame.image)
    }
  }

  /// A measured object.
  public struct Object: Sendable {
    /// The detection's `id`.
    public var id: Int
    /// The detection's class.
    public var className: String
    /// Planar depth in meters, if known.
    public var distanceMeters: Double?
    /// Where it comes from.
    public var source: ObjectDistance.Source
    /// The object's box.
    public var box: Box3D
    /// The points that the box was put around.
    public var cloud: [Point3<World>]

    /// An object from its parts.
    public init(
      id: Int, className: String, distanceMeters: Double?, source: ObjectDistance.Source, box: Box3D,
      cloud: [Point3<World>] = []
    ) {
      self.id = id
      self.className = className
      self.distanceMeters = distanceMeters
      self.source = source
      self.box = box
      self.cloud = cloud
    }

    /// A measured extent; nil without a box of finite numbers.
    public init?(_ extent: ObjectExtent) {
      guard let box = extent.box3D, box.isFinite else { return nil }
      self.init(
        id: extent.id, className: extent.className, distanceMeters: extent.distance.meters,
        source: extent.distance.source, box: box, cloud: extent.cloud)
    }
  }

  /// Cameras; effects that turn to the viewer face the first.
  public var cameras: [Camera] = []
  /// Objects.
  public var objects: [Object] = []
  /// Effects.
  public var effects: [PlacedEffect] = []
  /// Colored points.
  public var points = PointCloud()
  /// Width over height of the plane that shows an effect.
  public var effectAspect = 1.0
  /// Which part of that plane stands on the effect's place.
  public var effectPivot = Billboard.Pivot.center

  /// Whether there is nothing in it.
  public var isEmpty: Bool { cameras.isEmpty && objects.isEmpty && effects.isEmpty && points.count == 0 }

  /// An empty scene.
  public init() {}

  /// The scene of one frame, and of depth fused from it.
  public init(
    frame: CapturedFrame, extents: [ObjectExtent], effects: [PlacedEffect], fused: MetricDepth? = nil
  ) {
    cameras = Camera(frame).map { [$0] } ?? []
    objects = extents.compactMap(Object.init)
    self.effects = effects
    points = PointCloud(frame, fused: fused)
  }
}
