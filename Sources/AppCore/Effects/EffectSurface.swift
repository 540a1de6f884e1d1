import Geometry

/// What a ray of sight meets, in the frame of a placed effect: metres, +y up.
///
/// Rays are origin + depth * direction with directions of planar depth one, so that `depth` is comparable with a
/// depth sensor's.
protocol EffectSurface: Sendable {
  /// Planar depth at which a ray meets the surface; not positive or not finite if it does not.
  func depth(_ origin: SIMD3<Float>, _ direction: SIMD3<Float>) -> Float
  /// Premultiplied colour 0...255 where a ray meets the surface at `depth`.
  func color(_ origin: SIMD3<Float>, _ direction: SIMD3<Float>, depth: Float) -> SIMD4<Float>
  /// Corners of a box that holds the surface.
  var corners: [Point3<EffectSpace>] { get }
}

/// An upright plane that shows a film, seen from both sides.
struct FilmSurface: EffectSurface {
  let texture: FilmTexture
  let width: Float
  let height: Float
  /// The lower edge above the anchor.
  let base: Float

  @inline(__always)
  func depth(_ origin: SIMD3<Float>, _ direction: SIMD3<Float>) -> Float { -origin.z / direction.z }

  @inline(__always)
  func color(_ origin: SIMD3<Float>, _ direction: SIMD3<Float>, depth: Float) -> SIMD4<Float> {
    let u = (origin.x + depth * direction.x) / width + 0.5
    let v = 1 - (origin.y + depth * direction.y - base) / height
    return texture.color(u, v)
  }

  var corners: [Point3<EffectSpace>] {
    let half = Double(width) / 2
    return [Double(base), Double(base + height)].flatMap { [Point3(-half, $0, 0), Point3(half, $0, 0)] }
  }
}

/// A translucent box around its frame's origin, its faces differently bright.
struct CubeSurface: EffectSurface {
  /// Half its sides.
  let half: SIMD3<Float>
  private static let red = SIMD3<Float>(255, 0, 0)
  private static let opacity: Float = 0.5
  /// Light on faces across x, y and z.
  private static let shading = SIMD3<Float>(0.8, 1, 0.62)

  @inline(__always)
  func depth(_ origin: SIMD3<Float>, _ direction: SIMD3<Float>) -> Float {
    let (near, far) = span(origin, direction)
    return near.max() < far.min() ? near.max() : -1
  }

  @inline(__always)
  func color(_ origin: SIMD3<Float>, _ direction: SIMD3<Float>, depth: Float) -> SIMD4<Float> {
    let (near, _) = span(origin, direction)
    let light = near.x == depth ? Self.shading.x : near.y == depth ? Self.shading.y : Self.shading.z
    return SIMD4(Self.red * (light * Self.opacity), 255 * Self.opacity)
  }

  /// Where a ray enters and leaves the slab between each pair of faces.
  @inline(__always)
  private func span(
    _ origin: SIMD3<Float>, _ direction: SIMD3<Float>
  ) -> (near: SIMD3<Float>, far: SIMD3<Float>) {
    let a = (-half - origin) / direction
    let b = (half - origin) / direction
    return (pointwiseMin(a, b), pointwiseMax(a, b))
  }

  var corners: [Point3<EffectSpace>] {
    let (x, y, z) = (Double(half.x), Double(half.y), Double(half.z))
    return [-x, x].flatMap { x in [-y, y].flatMap { y in [-z, z].map { Point3(x, y, $0) } } }
  }
}
