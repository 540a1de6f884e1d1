import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The rectangle of least area around points, as OpenCV's `minAreaRect` finds it, which labels of oriented boxes are
/// made of.
enum LeastRectangle {
  /// One side of it lies on an edge of the convex hull (Freeman and Shapira, 1975).
  ///
  /// - Precondition: `points` are not empty.
  static func around(_ points: [SIMD2<Double>]) -> (center: SIMD2<Double>, size: SIMD2<Double>, angle: Double)
  {
    precondition(!points.isEmpty)
    let hull = hull(points)
    var best: (area: Double, center: SIMD2<Double>, size: SIMD2<Double>, angle: Double)?
    for (index, corner) in hull.enumerated() {
      let edge = hull[(index + 1) % hull.count] - corner
      let length = (edge * edge).sum().squareRoot()
      let along = length > 0 ? edge / length : SIMD2(1, 0)
      let across = SIMD2(-along.y, along.x)
      let (xs, ys) = (hull.map { ($0 * along).sum() }, hull.map { ($0 * across).sum() })
      let (left, right) = (xs.min() ?? 0, xs.max() ?? 0)
      let (top, bottom) = (ys.min() ?? 0, ys.max() ?? 0)
      let size = SIMD2(right - left, bottom - top)
      let area = size.x * size.y
      guard best.map({ area < $0.area }) ?? true else { continue }
      let center = along * ((left + right) / 2) + across * ((top + bottom) / 2)
      best = (area, center, size, atan2(along.y, along.x))
    }
    let found = best ?? (0, points[0], .zero, 0)
    return (found.center, found.size, found.angle)
  }

  /// The convex hull, around it (Andrew's monotone chain).
  private static func hull(_ points: [SIMD2<Double>]) -> [SIMD2<Double>] {
    let sorted = points.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
    func chain(_ points: some Sequence<SIMD2<Double>>) -> [SIMD2<Double>] {
      var chain: [SIMD2<Double>] = []
      for point in points {
        while chain.count >= 2, turn(chain[chain.count - 2], chain[chain.count - 1], point) <= 0 {
          chain.removeLast()
        }
        chain.append(point)
      }
      return chain.dropLast()
    }
    let hull = chain(sorted) + chain(sorted.reversed())
    return hull.isEmpty ? [sorted[0]] : hull
  }

  private static func turn(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>) -> Double {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
  }
}
