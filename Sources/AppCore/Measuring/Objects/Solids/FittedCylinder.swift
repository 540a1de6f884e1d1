import FileFormats
import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An upright cylinder on a supporting plane, as it is fitted from one view.
struct FittedCylinder: FittedSolid {
  /// The level direction in which the camera looks, from world x towards world z.
  let turn: Double
  /// How far from the origin it begins in that direction: the part that a view shows best.
  var near: Double
  /// How far its axis lies beside the origin, across that direction.
  var across: Double
  var radius: Double
  /// The height of its top.
  var top: Double

  init(_ circle: PlanCircle, turn: Double, top: Double) {
    self.turn = turn
    let (c, s) = (cos(turn), sin(turn))
    near = c * circle.x + s * circle.z - circle.radius
    across = c * circle.z - s * circle.x
    radius = circle.radius
    self.top = top
  }

  /// How far it reaches along and against the direction, then across it: as `FittedBox.reaches`.
  var reaches: [Double] { [near + 2 * radius, -near, across + radius, radius - across] }

  func rays(from camera: Point3<World>) -> Rays {
    let (c, s) = (cos(turn), sin(turn))
    let (along, beside) = (near + radius, across)
    return Rays(
      x: camera.x - (c * along - s * beside), z: camera.z - (s * along + c * beside), radius: radius,
      top: top - camera.y)
  }

  struct Rays: SolidRays {
    /// Number of strips into which the upright face is divided by the slant at which they are seen.
    static let strips = 4.0

    /// The camera, from the axis.
    let x: Double
    let z: Double
    let radius: Double
    /// Above the camera.
    let top: Double

    @inline(__always)
    func meets(_ ray: Vector3<World>, before limit: Double) -> SolidHit? {
      // |start + t ray| = r in plan: a t^2 + 2 b t + c = 0.
      let a = ray.x * ray.x + ray.z * ray.z
      let b = x * ray.x + z * ray.z
      let root = b * b - a * (x * x + z * z - radius * radius)
      guard radius > 0, a > 0, root > 0 else { return nil }
      let (enter, leave) = ((-b - root.squareRoot()) / a, (-b + root.squareRoot()) / a)
      var hit: SolidHit
      // From above, a ray may first come below the top within the circle.
      let below = ray.y < 0 ? top / ray.y : top < 0 ? .infinity : 0
      if below > enter {
        hit = SolidHit(meters: below, face: .top)
      } else {
        // The square of the slant is root / (a r^2): the half chord over the radius.
        let slant = (root / a).squareRoot() / radius
        hit = SolidHit(
          meters: enter, face: .upright(Int(clamping: min(slant * Self.strips, Self.strips - 1))))
      }
      let end = ray.y > 0 ? min(leave, top / ray.y) : leave
      return hit.meters > 0 && hit.meters < min(end, limit) ? hit : nil
    }

    func incidence(_ ray: Vector3<World>, on face: SolidFace) -> Double {
      let slant = (Double(face.index) + 0.5) / Self.strips
      return (face == .top ? abs(ray.y) : slant * hypot(ray.x, ray.z)) / ray.length
    }
  }
}
