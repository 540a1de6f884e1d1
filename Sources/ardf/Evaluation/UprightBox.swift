import Glibc

/// A box with vertical sides, turned about +y: how measured and annotated ones are compared.
package struct UprightBox: Sendable, Equatable {
  /// Its middle: x, height, z, meters.
  package let center: (x: Double, y: Double, z: Double)
  /// Along its own axes, meters.
  package let sides: (x: Double, y: Double, z: Double)
  /// Its x axis is (cos yaw, 0, -sin yaw), its z axis (sin yaw, 0, cos yaw).
  package let yaw: Double

  package init(
    center: (x: Double, y: Double, z: Double), sides: (x: Double, y: Double, z: Double), yaw: Double
  ) {
    (self.center, self.sides, self.yaw) = (center, sides, yaw)
  }

  package static func == (a: UprightBox, b: UprightBox) -> Bool {
    a.center == b.center && a.sides == b.sides && a.yaw == b.yaw
  }

  private var volume: Double { sides.x * sides.y * sides.z }

  /// The corners of its plan, counterclockwise where z points down the page.
  private var plan: [(x: Double, z: Double)] {
    let (c, s) = (cos(yaw), sin(yaw))
    return [(1.0, 1.0), (-1, 1), (-1, -1), (1, -1)].map { signs in
      let (along, across) = (signs.0 * sides.x / 2, signs.1 * sides.z / 2)
      return (center.x + c * along + s * across, center.z - s * along + c * across)
    }
  }

  /// The volume that two boxes share over that which they fill together.
  package func overlap(with other: UprightBox) -> Double {
    let top = min(center.y + sides.y / 2, other.center.y + other.sides.y / 2)
    let bottom = max(center.y - sides.y / 2, other.center.y - other.sides.y / 2)
    guard top > bottom else { return 0 }
    let shared = Self.area(Self.clipped(plan, by: other.plan)) * (top - bottom)
    let whole = volume + other.volume - shared
    return whole > 0 ? shared / whole : 0
  }

  /// Its sides in the axes of another box that is turned nearly alike, or by quarter turns.
  package func sides(alongAxesOf other: UprightBox) -> (x: Double, y: Double, z: Double) {
    let quarters = ((yaw - other.yaw) / (.pi / 2)).rounded()
    let isTurned = quarters.truncatingRemainder(dividingBy: 2) != 0
    return isTurned ? (sides.z, sides.y, sides.x) : sides
  }

  /// A polygon within a convex one of the same sense (Sutherland and Hodgman, 1974).
  private static func clipped(
    _ polygon: [(x: Double, z: Double)], by other: [(x: Double, z: Double)]
  ) -> [(x: Double, z: Double)] {
    let sense: Double = area(other) == signedArea(other) ? 1 : -1
    var kept = polygon
    for index in other.indices {
      let (from, to) = (other[index], other[(index + 1) % other.count])
      func side(_ point: (x: Double, z: Double)) -> Double {
        sense * ((to.x - from.x) * (point.z - from.z) - (to.z - from.z) * (point.x - from.x))
      }
      var next: [(x: Double, z: Double)] = []
      for place in kept.indices {
        let (start, end) = (kept[place], kept[(place + 1) % kept.count])
        let (a, b) = (side(start), side(end))
        if a >= 0 { next.append(start) }
        if (a > 0 && b < 0) || (a < 0 && b > 0) {
          let share = a / (a - b)
          next.append((start.x + share * (end.x - start.x), start.z + share * (end.z - start.z)))
        }
      }
      kept = next
    }
    return kept
  }

  private static func signedArea(_ polygon: [(x: Double, z: Double)]) -> Double {
    polygon.indices.reduce(0) { sum, index in
      let (a, b) = (polygon[index], polygon[(index + 1) % polygon.count])
      return sum + (a.x * b.z - b.x * a.z) / 2
    }
  }

  private static func area(_ polygon: [(x: Double, z: Double)]) -> Double { abs(signedArea(polygon)) }
}
