import Geometry

/// Upright faces that the camera sees edge-on, narrower than a cell.
///
/// No cell reads them, but an exact mask includes them: at the mask's edge the surface above, extrapolated,
/// already lies beyond the object, by as much as the face covers in the picture. The surface ends between its
/// outermost cell and the least of the extrapolated ends.
struct EdgeOnFaces {
  /// Cells and ends beyond these ranks and shares may be strays.
  private static let strayCells = 2
  private static let strayEnds = 0.1
  /// An end belongs to a side where the surface comes to it at less than 45 degrees.
  private static let steepest = 0.7

  let surface: [BoxSpot]
  let samples: [Outline.Sample]
  let camera: Point3<World>

  /// Where a side ends; nil where the camera doesn't see its face, or no end lies beyond.
  func position(_ side: UprightSide) -> Double? {
    let direction = side.direction
    guard (camera - .origin).dot(direction) > side.estimate.position else { return nil }
    let cells = surface.map { ($0.point - .origin).dot(direction) }.sorted(by: >)
    guard cells.count > Self.strayCells else { return nil }
    let inside = cells[Self.strayCells]
    let ends = samples.compactMap { sample -> Double? in
      let along = sample.outward.dot(direction)
      let end = (sample.point - .origin).dot(direction)
      return along > Self.steepest * sample.outward.length && end > inside ? end : nil
    }
    guard !ends.isEmpty else { return nil }
    let outside = quantile(ends, Self.strayEnds)
    return side.estimate.position > outside ? (inside + outside) / 2 : nil
  }
}
