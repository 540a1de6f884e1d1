import FileFormats
import Geometry

extension UprightSearch {
  /// Number of blocks into which a side is split along its length.
  private static let blocks = [4, 8]
  private static let leastPoints = 20

  /// The standard error of each side: what its points' scatter and the cells' width say, and how much it changes where a
  /// part of the object is left out (jackknife over blocks along the side; Kuensch, Annals of Statistics 17, 1989).
  ///
  /// A gathering of few points may be the wrong one: another part of the object is then the end without the block that holds
  /// it.
  func errors(of sides: [UprightSide], at turn: Double) -> [Double] {
    let blocks = Self.blocks.map { count in
      (0..<2).map { jackknife(turn, pair: $0, along: sides[2 - 2 * $0].direction, count) }
    }
    return sides.indices.map { index in
      let side = sides[index]
      let (own, cells) = (side.estimate.standardError, coarseness(side))
      let changes = blocks.reduce(0) { $0 + $1[index / 2][index % 2] } / Double(blocks.count)
      return (own * own + cells * cells + changes).squareRoot()
    }
  }

  /// The variances of a pair of sides, which run along `direction`, from estimates without one block each.
  private func jackknife(_ turn: Double, pair index: Int, along direction: Vector3<World>, _ count: Int)
    -> [Double]
  {
    let axis = Self.axes(at: turn)[index]
    let (within, outline) = (SpotPlaces(sample, along: axis), SpotPlaces(edges, along: axis))
    let places = [sample, edges].map { $0.map { ($0.point - .origin).dot(direction) } }
    let cuts = (1..<count).map { quantile(places[0] + places[1], Double($0) / Double(count)) }
    let blocks = places.map { $0.map { place in cuts.count { $0 <= place } } }
    let estimates = Parallel.map(count) { left -> [Double]? in
      let rest = within.filter { blocks[0][$0] != left }
      guard rest.positions.count > Self.leastPoints else { return nil }
      return pair(axis, rest, outline: outline.filter { blocks[1][$0] != left }).map(\.estimate.position)
    }.compactMap(\.self)
    guard estimates.count > 1 else { return [0, 0] }
    return [0, 1].map { side in
      let values = estimates.map { $0[side] }
      let mean = values.reduce(0, +) / Double(values.count)
      let square = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      return square * Double(values.count - 1) / Double(values.count)
    }
  }
}
