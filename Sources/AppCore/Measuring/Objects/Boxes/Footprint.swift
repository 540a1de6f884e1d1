import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The points of an object seen from above, and the rectangles around them.
///
/// Angles theta turn from world x towards world z, so a rectangle's axes are (cos theta, sin theta) and
/// (-sin theta, cos theta) in (x, z); the turn about +y is -theta.
struct Footprint {
  /// A rectangle around the points; `sizeX` >= `sizeZ` and theta in (-pi/2, pi/2].
  struct Rectangle {
    var theta: Double
    var sizeX: Double
    var sizeZ: Double
    /// The middle, from the mean of the points, along the rectangle's axes.
    var middleX: Double
    var middleZ: Double
    var area: Double { sizeX * sizeZ }

    /// The same rectangle with theta in (-pi/2, pi/2]; half a turn of the axes negates the middle.
    func normalForm() -> Rectangle {
      var form = self
      while form.theta > .pi / 2 || form.theta <= -.pi / 2 {
        form.theta += form.theta > 0 ? -.pi : .pi
        form.middleX = -form.middleX
        form.middleZ = -form.middleZ
      }
      return form
    }
  }

  /// Hull edges with a smaller squared length have no direction.
  static let shortestEdgeSquared = 1e-12
  /// Areas and sides this close, relatively, count as equal.
  static let tie = 1e-9

  /// (x, z) of the points' mean.
  let mean: (x: Double, z: Double)
  /// The points from their mean.
  private let points: [(x: Double, z: Double)]

  /// - Precondition: there is at least one point.
  init(_ points: [Point3<World>]) {
    let n = Double(points.count)
    let mean = (x: points.reduce(0) { $0 + $1.x } / n, z: points.reduce(0) { $0 + $1.z } / n)
    self.mean = mean
    self.points = points.map { ($0.x - mean.x, $0.z - mean.z) }
  }

  /// The convex hull by Andrew's monotone chain, without collinear points.
  private func hull() -> [(x: Double, z: Double)] {
    let sorted = points.sorted { $0.x != $1.x ? $0.x < $1.x : $0.z < $1.z }
    func chain(_ points: some Sequence<(x: Double, z: Double)>) -> [(x: Double, z: Double)] {
      var chain: [(x: Double, z: Double)] = []
      for p in points {
        while chain.count >= 2 {
          let a = chain[chain.count - 2]
          let b = chain[chain.count - 1]
          guard (b.x - a.x) * (p.z - a.z) - (b.z - a.z) * (p.x - a.x) <= 0 else { break }
          chain.removeLast()
        }
        chain.append(p)
      }
      return chain.dropLast()
    }
    let hull = chain(sorted) + chain(sorted.reversed())
    return hull.isEmpty ? Array(sorted.prefix(1)) : hull
  }

  /// The rectangle at `theta` around `points`, with its longer side along its x axis.
  private static func rectangle(_ points: [(x: Double, z: Double)], theta: Double) -> Rectangle {
    let c = cos(theta)
    let s = sin(theta)
    var x = (min: Double.infinity, max: -Double.infinity)
    var z = x
    for p in points {
      let along = c * p.x + s * p.z
      let across = c * p.z - s * p.x
      x = (min(x.min, along), max(x.max, along))
      z = (min(z.min, across), max(z.max, across))
    }
    let asIs = Rectangle(
      theta: theta, sizeX: x.max - x.min, sizeZ: z.max - z.min, middleX: (x.min + x.max) / 2,
      middleZ: (z.min + z.max) / 2
    ).normalForm()
    // The same rectangle with its axes a quarter turn on.
    let turned = Rectangle(
      theta: asIs.theta + .pi / 2, sizeX: asIs.sizeZ, sizeZ: asIs.sizeX, middleX: asIs.middleZ,
      middleZ: -asIs.middleX
    ).normalForm()
    if abs(asIs.sizeX - asIs.sizeZ) <= tie * max(asIs.sizeX, asIs.sizeZ) {
      return precedes(turned, asIs) ? turned : asIs
    }
    return asIs.sizeX < asIs.sizeZ ? turned : asIs
  }

  /// The order among equally good rectangles: least turned first, then the positive turn.
  private static func precedes(_ a: Rectangle, _ b: Rectangle) -> Bool {
    abs(abs(a.theta) - abs(b.theta)) > tie ? abs(a.theta) < abs(b.theta) : a.theta > b.theta
  }

  /// The rectangle of least area; it lies along an edge of the hull.
  func minimumArea() -> Rectangle {
    let hull = hull()
    var candidates: [Rectangle] = []
    for (a, b) in zip(hull, hull.dropFirst() + hull.prefix(1)) {
      let dx = b.x - a.x
      let dz = b.z - a.z
      guard dx * dx + dz * dz >= Self.shortestEdgeSquared else { continue }
      candidates.append(Self.rectangle(hull, theta: atan2(dz, dx)))
    }
    guard let least = candidates.map(\.area).min() else { return Self.rectangle(hull, theta: 0) }
    let best = candidates.filter { $0.area <= least * (1 + Self.tie) }
    return best.dropFirst().reduce(best[0]) { Self.precedes($1, $0) ? $1 : $0 }
  }

  /// The rectangle along the principal axes: theta = atan2(2 Cxz, Cxx - Czz) / 2.
  func principalAxes() -> Rectangle {
    var xx = 0.0
    var zz = 0.0
    var xz = 0.0
    for p in points {
      xx += p.x * p.x
      zz += p.z * p.z
      xz += p.x * p.z
    }
    return Self.rectangle(points, theta: 0.5 * atan2(2 * xz, xx - zz))
  }
}

extension Box3D {
  /// The gravity-aligned box around points.
  ///
  /// - Precondition: there is at least one point.
  package init(around points: [Point3<World>], method: Method) {
    precondition(!points.isEmpty, "a box needs points")
    let footprint = Footprint(points)
    let rectangle = method == .principalAxes ? footprint.principalAxes() : footprint.minimumArea()
    let c = cos(rectangle.theta)
    let s = sin(rectangle.theta)
    let bottom = points.reduce(Double.infinity) { min($0, $1.y) }
    let top = points.reduce(-Double.infinity) { max($0, $1.y) }
    self.init(
      center: Point3(
        footprint.mean.x + c * rectangle.middleX - s * rectangle.middleZ, (bottom + top) / 2,
        footprint.mean.z + s * rectangle.middleX + c * rectangle.middleZ),
      dimensions: BoxDimensions(x: rectangle.sizeX, y: top - bottom, z: rectangle.sizeZ),
      yaw: -rectangle.theta, method: method)
  }
}
