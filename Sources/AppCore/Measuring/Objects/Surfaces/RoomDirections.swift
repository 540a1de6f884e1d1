import FileFormats
import Geometry
import Imaging

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The two horizontal directions, at right angles, in which most upright surfaces of a scene face.
///
/// Walls and furniture agree on them (Manhattan world, Coughlan and Yuille, ICCV 1999); they help where an object's own
/// sides are hidden or soft.
package struct RoomDirections {
  /// Cells from a cell to those its normal is computed from, and between the cells that are sampled.
  private static let (reach, step) = (3, 2)
  /// Inverse depth bends by less than this, relatively, across a flat surface.
  private static let flatness = 0.02
  /// The vertical part of an upright surface's normal is less.
  private static let upright = 0.15
  /// Degrees around a direction that belong to it, and the least share of all upright cells that must lie there.
  private static let (spread, leastShare) = (3, 0.4)
  private static let leastCells = 200

  /// From world x towards world z, in [0, pi/2).
  package let turn: Double

  /// Nil where few upright surfaces are seen, or where they face in all directions.
  package init?(_ scene: DepthScene) {
    guard let depth = scene.completed, let intrinsics = scene.intrinsics else { return nil }
    let rows = Array(stride(from: Self.reach, to: depth.height - Self.reach, by: Self.step))
    let angles = Parallel.map(rows.count) { row in
      Self.angles(ofRow: rows[row], depth, scene, intrinsics)
    }.flatMap(\.self)
    guard angles.count >= Self.leastCells else { return nil }
    var counts = [Int](repeating: 0, count: 90)
    for angle in angles { counts[min(89, Int(clamping: angle * 180 / .pi))] += 1 }
    func around(_ degree: Int) -> Int {
      (degree - Self.spread...degree + Self.spread).reduce(0) { $0 + counts[($1 + 90) % 90] }
    }
    guard let best = counts.indices.max(by: { around($0) < around($1) }),
      Double(around(best)) >= Self.leastShare * Double(angles.count)
    else { return nil }
    let middle = (Double(best) + 0.5) * .pi / 180
    let turns: [Double] = angles.map { angle in Self.quarter(angle - middle + .pi / 4) - .pi / 4 }
    let reach = (Double(Self.spread) + 0.5) * .pi / 180
    let near = turns.filter { abs($0) < reach }
    turn = Self.quarter(middle + near.reduce(0, +) / Double(near.count))
  }

  /// The directions in which upright surfaces along a row of cells face.
  private static func angles(
    ofRow y: Int, _ depth: MetricDepth, _ scene: DepthScene, _ intrinsics: Intrinsics
  ) -> [Double] {
    stride(from: reach, to: depth.width - reach, by: step).compactMap { x in
      guard let normal = normal(x, y, depth, scene, intrinsics), abs(normal.y) < upright else { return nil }
      return quarter(atan2(normal.z, normal.x))
    }
  }

  /// How far a turn is from the nearer of the directions, in [0, pi/4].
  package func distance(from other: Double) -> Double {
    abs(Self.quarter(other - turn + .pi / 4) - .pi / 4)
  }

  /// An angle without whole quarter turns.
  private static func quarter(_ angle: Double) -> Double {
    let rest = angle.remainder(dividingBy: .pi / 2)
    return rest < 0 ? rest + .pi / 2 : rest
  }

  /// The normal of the surface around a cell; nil across an edge.
  private static func normal(
    _ x: Int, _ y: Int, _ depth: MetricDepth, _ scene: DepthScene, _ intrinsics: Intrinsics
  ) -> Vector3<World>? {
    func meters(_ x: Int, _ y: Int) -> Double? {
      depth.states[x, y] == .invalid ? nil : Double(depth.values[x, y])
    }
    guard let middle = meters(x, y), let left = meters(x - reach, y), let right = meters(x + reach, y),
      let above = meters(x, y - reach), let below = meters(x, y + reach),
      abs(1 / left - 2 / middle + 1 / right) * middle < flatness,
      abs(1 / above - 2 / middle + 1 / below) * middle < flatness
    else { return nil }
    let grid = depth.grid(over: scene.imageSize)
    func point(_ x: Int, _ y: Int, _ meters: Double) -> Point3<World> {
      scene.cameraToWorld.apply(intrinsics.unproject(grid.pixel(Point2(centerOf: x, y)), depth: meters))
    }
    let across = point(x + reach, y, right) - point(x - reach, y, left)
    let down = point(x, y + reach, below) - point(x, y - reach, above)
    return across.cross(down).normalized()
  }
}
