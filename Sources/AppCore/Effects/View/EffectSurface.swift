import Geometry

/// Surface of an effect, in the frame of the placed effect: meters, +y up.
///
/// Rays are origin + depth * direction with directions of planar depth one, so that `depth` is comparable with a
/// depth sensor's.
protocol EffectSurface: Sendable {
  /// Planar depth at which a ray meets the surface; not positive or not finite if it does not.
  func depth(_ origin: SIMD3<Float>, _ direction: SIMD3<Float>) -> Float
  /// Premultiplied color 0...255 where a ray meets the surface at `depth`.
  func color(_ origin: SIMD3<Float>, _ direction: SIMD3<Float>, depth: Float) -> SIMD4<Float>
  /// Whether nothing is to be seen along the way from one ray to another; false where that is not known.
  func isClear(_ origin: SIMD3<Float>, from start: SIMD3<Float>, to end: SIMD3<Float>) -> Bool
  /// Corners of a box that holds the surface.
  var corners: [Point3<EffectSpace>] { get }
}

/// An upright plane that shows a film, seen from both sides.
struct FilmSurface: EffectSurface {
  private let texture: FilmTexture
  private let width: Float
  private let height: Float
  /// The lower edge above the anchor.
  private let base: Float
  private let texelsPerMeter: SIMD2<Float>

  init(texture: FilmTexture, width: Float, height: Float, base: Float) {
    self.texture = texture
    self.width = width
    self.height = height
    self.base = base
    texelsPerMeter = SIMD2(Float(texture.width) / width, Float(texture.height) / height)
  }

  @inline(__always)
  func depth(_ origin: SIMD3<Float>, _ direction: SIMD3<Float>) -> Float { -origin.z / direction.z }

  @inline(__always)
  func color(_ origin: SIMD3<Float>, _ direction: SIMD3<Float>, depth: Float) -> SIMD4<Float> {
    let (u, v) = texel(origin, direction, depth)
    return texture.color(u, v)
  }

  /// Between two rays the plane is seen along a straight line.
  @inline(__always)
  func isClear(_ origin: SIMD3<Float>, from start: SIMD3<Float>, to end: SIMD3<Float>) -> Bool {
    let (near, far) = (depth(origin, start), depth(origin, end))
    guard near > 0, far > 0, near < .infinity, far < .infinity else { return false }
    let (u0, v0) = texel(origin, start, near)
    let (u1, v1) = texel(origin, end, far)
    return texture.isClear(columns: min(u0, u1), max(u0, u1), rows: min(v0, v1), max(v0, v1))
  }

  @inline(__always)
  private func texel(
    _ origin: SIMD3<Float>, _ direction: SIMD3<Float>, _ depth: Float
  ) -> (u: Float, v: Float) {
    (
      (origin.x + depth * direction.x + width / 2) * texelsPerMeter.x,
      (base + height - origin.y - depth * direction.y) * texelsPerMeter.y
    )
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

  func isClear(_ origin: SIMD3<Float>, from start: SIMD3<Float>, to end: SIMD3<Float>) -> Bool { false }

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
