import Geometry

extension UprightSearch {
  /// Into so many blocks a side is split along its length.
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
  private func jackknife(_ turn: Double, pair: Int, along direction: Vector3<World>, _ count: Int) -> [Double]
  {
    func place(_ spot: BoxSpot) -> Double { (spot.point - .origin).dot(direction) }
    let places = (sample.map(place), edges.map(place))
    let all = (places.0 + places.1).sorted()
    let cuts = (1..<count).map { sortedQuantile(all, Double($0) / Double(count)) }
    func block(_ place: Double) -> Int { cuts.count { $0 <= place } }
    let blocks = (places.0.map(block), places.1.map(block))
    let estimates = (0..<count).compactMap { left -> [Double]? in
      let surface = zip(sample, blocks.0).filter { $1 != left }.map(\.0)
      let ends = zip(edges, blocks.1).filter { $1 != left }.map(\.0)
      guard surface.count > Self.leastPoints else { return nil }
      return sides(at: turn, surface, ends)[2 * pair..<2 * pair + 2].map(\.estimate.position)
    }
    guard estimates.count > 1 else { return [0, 0] }
    return [0, 1].map { side in
      let values = estimates.map { $0[side] }
      let mean = values.reduce(0, +) / Double(values.count)
      let square = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      return square * Double(values.count - 1) / Double(values.count)
    }
  }
}
