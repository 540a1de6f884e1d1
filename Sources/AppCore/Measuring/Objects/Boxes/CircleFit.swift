import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A circle as seen from above.
package struct PlanCircle {
  /// The middle.
  var x: Double
  var z: Double
  var radius: Double
}

/// The circle on which an upright cylinder's points lie: least squares of their distances from it, each over its own
/// standard deviation, with Tukey's biweight (Holland and Welsch, 1977).
enum CircleFit {
  /// Points that a circle needs, and the part of it on which they must lie, radians.
  private static let least = (points: 24, arc: Double.pi / 3)
  /// Reach of the biweight in standard deviations.
  private static let reach = 4.685
  /// Points beyond that are strays: a cylinder has no larger share of them.
  private static let strays = 0.2
  /// The median distance of points from a cylinder's circle, over their standard deviation or, if that is more,
  /// over a share of the radius.
  private static let apart = (deviations: 1.5, radius: 0.01)
  /// The radius lies within this share of the first one.
  private static let change = 0.15
  private static let rounds = 12

  /// Nil where the points lie on no circle near `first`.
  static func circle(through spots: [BoxSpot], near first: PlanCircle) -> PlanCircle? {
    guard spots.count >= least.points, first.radius > 0 else { return nil }
    var circle = first
    var places: [Place] = []
    for round in 0...rounds {
      places = spots.map { Place($0, circle) }
      guard round < rounds else { break }
      let scale = max(1.4826 * quantile(places.map { abs($0.apart) / $0.deviation }, 0.5), 1) * reach
      var normal = [Double](repeating: 0, count: 12)
      for place in places {
        let share = place.apart / (place.deviation * scale)
        let rest = max(0, 1 - share * share)
        let weight = rest * rest / (place.deviation * place.deviation)
        let row = [place.towards.x, place.towards.z, 1, place.apart]
        for i in 0..<3 { for j in 0..<4 { normal[i * 4 + j] += weight * row[i] * row[j] } }
      }
      guard let step = solvedThree(normal) else { return nil }
      circle.x += step[0]
      circle.z += step[1]
      circle.radius += step[2]
      guard abs(circle.radius - first.radius) < change * first.radius else { return nil }
    }
    let strays = places.count { abs($0.apart) > reach * max($0.deviation, Self.apart.radius * circle.radius) }
    let isRound = places.map {
      abs($0.apart) - max(apart.deviations * $0.deviation, apart.radius * circle.radius)
    }
    guard Double(strays) <= Self.strays * Double(places.count), quantile(isRound, 0.5) < 0,
      arc(places) >= least.arc
    else { return nil }
    return circle
  }

  /// A point beside a circle.
  private struct Place {
    /// The direction from the circle's middle.
    let towards: Vector3<World>
    /// The distance outwards from the circle.
    let apart: Double
    /// Its standard deviation.
    let deviation: Double

    init(_ spot: BoxSpot, _ circle: PlanCircle) {
      let (x, z) = (spot.point.x - circle.x, spot.point.z - circle.z)
      let distance = max((x * x + z * z).squareRoot(), 1e-9)
      towards = Vector3(x / distance, 0, z / distance)
      apart = distance - circle.radius
      deviation = spot.deviation(along: towards)
    }
  }

  /// The part of the circle on which nine in ten points lie, radians; below half a turn, as seen from one side.
  private static func arc(_ places: [Place]) -> Double {
    let x = places.reduce(0) { $0 + $1.towards.x }
    let z = places.reduce(0) { $0 + $1.towards.z }
    let angles = places.map { place in
      atan2(x * place.towards.z - z * place.towards.x, x * place.towards.x + z * place.towards.z)
    }.sorted()
    return sortedQuantile(angles, 0.95) - sortedQuantile(angles, 0.05)
  }
}
