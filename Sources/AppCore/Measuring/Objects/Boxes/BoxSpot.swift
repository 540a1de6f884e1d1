import Geometry

/// A point of an object's surface or outline, with what is known about its place.
package struct BoxSpot {
  let point: Point3<World>
  /// Displacement of one standard deviation of depth.
  let noise: Vector3<World>
  /// The outline's own uncertainty, zero within the surface.
  let interval: Vector3<World>
  /// The outline's sample there; nil within the surface.
  let sample: Outline.Sample?
  /// No standard deviation is less.
  let least: Double

  /// A point known to `least` in every direction.
  package init(point: Point3<World>, least: Double) {
    self.point = point
    self.least = least
    noise = Vector3(0, 0, 0)
    interval = Vector3(0, 0, 0)
    sample = nil
  }

  /// The reading of a cell.
  init(_ grid: SurfaceGrid, cell: Int) {
    point = grid.points[cell]
    noise = grid.rays[cell] * (grid.noise * grid.meters(cell))
    interval = Vector3(0, 0, 0)
    sample = nil
    least = Self.least
  }

  /// An end of the surface.
  init(_ sample: Outline.Sample, _ grid: SurfaceGrid) {
    point = sample.point
    noise = (sample.point - grid.camera) * grid.noise
    interval = sample.interval
    self.sample = sample
    least = Self.least
  }

  private static let least = 2e-4

  /// Standard deviation of the place in a direction of unit length.
  func deviation(along direction: Vector3<World>) -> Double {
    let depth = abs(noise.dot(direction))
    guard sample != nil else { return max(depth, least) }
    // Evenly spread over the interval; the surface carried on from three cells has 0.6 of a reading's noise.
    let place = interval.dot(direction)
    return max((0.36 * depth * depth + place * place / 12).squareRoot(), least)
  }
}
