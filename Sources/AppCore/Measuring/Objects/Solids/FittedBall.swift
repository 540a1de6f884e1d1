import FileFormats
import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A ball on a supporting plane, as it is fitted from one view.
struct FittedBall: FittedSolid {
  /// The level direction in which the camera looks, from world x towards world z.
  let turn: Double
  /// How far from the origin it begins in that direction.
  var near: Double
  /// How far its middle lies beside the origin, across that direction.
  var across: Double
  var radius: Double
  /// The height of what it lies on.
  let bottom: Double

  /// The ball as high as a cylinder, and where that begins.
  init(_ cylinder: FittedCylinder, bottom: Double) {
    (turn, near, across) = (cylinder.turn, cylinder.near, cylinder.across)
    radius = (cylinder.top - bottom) / 2
    self.bottom = bottom
  }

  var top: Double { bottom + 2 * radius }

  /// How far it reaches, as `FittedBox.reaches`.
  var reaches: [Double] { [near + 2 * radius, -near, across + radius, radius - across] }

  func rays(from camera: Point3<World>) -> Rays {
    let (c, s) = (cos(turn), sin(turn))
    let (along, beside) = (near + radius, across)
    let middle = Point3<World>(c * along - s * beside, bottom + radius, s * along + c * beside)
    return Rays(start: camera - middle, radius: radius)
  }

  struct Rays: SolidRays {
    /// Number of rings into which it is divided by the slant at which they are seen.
    static let rings = 4.0

    /// The camera, from the middle.
    let start: Vector3<World>
    let radius: Double

    @inline(__always)
    func meets(_ ray: Vector3<World>, before limit: Double) -> SolidHit? {
      // |start + t ray| = r: a t^2 + 2 b t + c = 0.
      let (a, b) = (ray.dot(ray), start.dot(ray))
      let root = b * b - a * (start.dot(start) - radius * radius)
      guard radius > 0, a > 0, root > 0 else { return nil }
      let meters = (-b - root.squareRoot()) / a
      let slant = (root / a).squareRoot() / radius
      let ring = Int(clamping: min(slant * Self.rings, Self.rings - 1))
      return meters > 0 && meters < limit ? SolidHit(meters: meters, face: .upright(ring)) : nil
    }

    func incidence(_ ray: Vector3<World>, on face: SolidFace) -> Double {
      (Double(face.index) + 0.5) / Self.rings
    }
  }
}

extension FittedBall {
  /// The likeliest ball near one; nil where none explains the object.
  static func settled(_ readings: SolidReadings, _ first: FittedBall) -> SettledSolid<FittedBall>? {
    let changes: [RoundChange<FittedBall>] = [
      RoundChange { $0.across += $1 },
      RoundChange { $0.radius += $1 / 2 },
      RoundChange {
        $0.near += $1
        $0.radius -= $1 / 2
      },
      RoundChange { $0.near += $1 },
    ]
    return settledRound(readings, first, by: changes, diameter: { 2 * $0.radius }) { errors in
      let (across, back, front) = (errors[0], errors[1], errors[2])
      let width = (across * across + back * back / 4).squareRoot()
      return [back, front, width, width, back]
    }
  }
}
