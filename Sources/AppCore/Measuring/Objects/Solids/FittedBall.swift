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
  /// A change of the ball's numbers that the fit sweeps.
  private enum Change: Int, CaseIterable {
    case across, back, front, along

    func apply(_ ball: inout FittedBall, _ change: Double) {
      switch self {
      case .across: ball.across += change
      case .back: ball.radius += change / 2
      case .front:
        ball.near += change
        ball.radius -= change / 2
      case .along: ball.near += change
      }
    }
  }

  /// The likeliest ball near one; nil where none explains the object.
  static func settled(_ readings: SolidReadings, _ first: FittedBall) -> SettledSolid<FittedBall>? {
    let few = readings.likelihood.thinned(to: SolidFit.few)
    var likelihood = few
    var ball = first
    var errors = Change.allCases.map { _ in 0.0 }
    var reaches = Change.allCases.map { _ in SolidFit.reach.cells * readings.length }
    for round in 0..<SolidFit.rounds {
      let isWide = round < SolidFit.wide
      likelihood = isWide ? few : readings.likelihood
      likelihood.measureNoise(ball, usual: readings.noise)
      let least = isWide ? 1.5 * readings.length : 0.3 * readings.cell
      for change in Change.allCases {
        let index = change.rawValue
        errors[index] = likelihood.sweep(&ball, by: reaches[index], change.apply)
        reaches[index] = min(max(SolidFit.reach.errors * errors[index], least), reaches[index])
      }
      if round + 1 == SolidFit.hopeless.rounds,
        likelihood.explained(ball, object: readings.object) < SolidFit.hopeless.share
      {
        return nil
      }
    }
    likelihood.measureNoise(ball, usual: readings.noise)
    let explained = likelihood.explained(ball, object: readings.object)
    guard explained >= SolidFit.least, 2 * ball.radius > readings.cell else { return nil }
    func error(_ change: Change) -> Double { errors[change.rawValue] }
    let width = hypot(error(.across), error(.back) / 2)
    return SettledSolid(
      solid: ball, errors: [error(.back), error(.front), width, width, error(.back)], explained: explained,
      roughness: likelihood.roughness(ball, usual: readings.noise), cost: likelihood.cost(ball))
  }
}
