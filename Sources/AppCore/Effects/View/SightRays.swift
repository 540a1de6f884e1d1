import Geometry

/// The rays of a picture's pixels, or a depth map's cells, in the frame of a placed effect: directions are linear in
/// their position.
struct SightRays: Sendable {
  let origin: SIMD3<Float>
  /// Direction through the corner (0, 0) of the upright picture or map, and its change from pixel to pixel.
  private let start: SIMD3<Float>
  let stepX: SIMD3<Float>
  let stepY: SIMD3<Float>

  /// `intrinsics`: Those of the stored picture.
  init(
    intrinsics: Intrinsics, orientation: Orientation,
    cameraToWorld: RigidTransform<CameraARKit, World>, effectToWorld: RigidTransform<EffectSpace, World>
  ) {
    self.init(cameraToWorld: cameraToWorld, effectToWorld: effectToWorld) { x, y in
      intrinsics.unproject(orientation.stored(Point2(x, y), stored: intrinsics.imageSize), depth: 1)
    }
  }

  /// `cells`: The intrinsics of the stored depth map.
  init(
    cells: DepthIntrinsics, orientation: Orientation,
    cameraToWorld: RigidTransform<CameraARKit, World>, effectToWorld: RigidTransform<EffectSpace, World>
  ) {
    self.init(cameraToWorld: cameraToWorld, effectToWorld: effectToWorld) { x, y in
      // A map is turned as a picture of its size is.
      let stored = orientation.stored(Point2(x, y), stored: cells.size)
      return cells.unproject(stored.relabeled(), depth: 1)
    }
  }

  /// `seen`: What is seen one meter deep at a position.
  private init(
    cameraToWorld: RigidTransform<CameraARKit, World>, effectToWorld: RigidTransform<EffectSpace, World>,
    seen: (Double, Double) -> Point3<CameraARKit>
  ) {
    let toEffect = effectToWorld.inverse.after(cameraToWorld)
    func direction(_ x: Double, _ y: Double) -> SIMD3<Float> {
      let seen = seen(x, y)
      return SIMD3(toEffect.apply(Vector3(seen.x, seen.y, seen.z)))
    }
    origin = SIMD3(toEffect.origin)
    start = direction(0, 0)
    stepX = direction(1, 0) - start
    stepY = direction(0, 1) - start
  }

  /// The direction through a point of the upright picture.
  @inline(__always)
  func direction(_ x: Float, _ y: Float) -> SIMD3<Float> { row(y) + stepX * x }

  /// The direction through the left end of a row; from pixel to pixel it changes by `stepX`.
  @inline(__always)
  func row(_ y: Float) -> SIMD3<Float> { start + stepY * y }
}

extension SIMD3<Float> {
  init<Frame>(_ vector: Vector3<Frame>) { self.init(Float(vector.x), Float(vector.y), Float(vector.z)) }
  init<Frame>(_ point: Point3<Frame>) { self.init(Float(point.x), Float(point.y), Float(point.z)) }
}
