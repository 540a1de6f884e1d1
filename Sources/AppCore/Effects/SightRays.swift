import Geometry

/// The rays of a frame's pixels in the frame of a placed effect: directions are linear in the pixel's position.
struct SightRays: Sendable {
  let origin: SIMD3<Float>
  /// Direction through the upright picture's corner (0, 0), and its change from pixel to pixel.
  private let start: SIMD3<Float>
  let stepX: SIMD3<Float>
  let stepY: SIMD3<Float>

  /// - Parameter intrinsics: Those of the stored picture.
  init(
    intrinsics: Intrinsics, orientation: Orientation,
    cameraToWorld: RigidTransform<CameraARKit, World>, effectToWorld: RigidTransform<EffectSpace, World>
  ) {
    let toEffect = effectToWorld.inverse.after(cameraToWorld)
    func direction(_ x: Double, _ y: Double) -> SIMD3<Float> {
      let stored = orientation.stored(Point2(x, y), stored: intrinsics.imageSize)
      let seen = intrinsics.unproject(stored, depth: 1)
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
