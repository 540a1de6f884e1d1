import Geometry

/// Places of points along a direction, in the order of the points.
struct SpotPlaces {
  /// Meters from the origin.
  private(set) var positions: [Double]
  /// Their standard deviations, meters.
  private(set) var deviations: [Double]

  init(_ spots: [BoxSpot], along direction: Vector3<World>) {
    positions = spots.map { ($0.point - .origin).dot(direction) }
    deviations = spots.map { $0.deviation(along: direction) }
  }

  private init(positions: [Double], deviations: [Double]) {
    (self.positions, self.deviations) = (positions, deviations)
  }

  /// Those whose index holds.
  func filter(_ isKept: (Int) -> Bool) -> SpotPlaces {
    let kept = positions.indices.filter(isKept)
    return SpotPlaces(positions: kept.map { positions[$0] }, deviations: kept.map { deviations[$0] })
  }

  static func + (first: SpotPlaces, second: SpotPlaces) -> SpotPlaces {
    SpotPlaces(
      positions: first.positions + second.positions, deviations: first.deviations + second.deviations)
  }
}

/// Positions along a direction, the farthest out first, with their standard deviations.
struct SpotPositions {
  let positions: [Double]
  let deviations: [Double]

  private init(positions: [Double], deviations: [Double]) {
    self.positions = positions
    self.deviations = deviations
  }

  init(_ places: SpotPlaces) {
    let order = descendingOrder(of: places.positions)
    positions = order.map { places.positions[$0] }
    deviations = order.map { places.deviations[$0] }
  }

  init(_ spots: [BoxSpot], along direction: Vector3<World>) {
    self.init(SpotPlaces(spots, along: direction))
  }

  /// The same along the opposite direction.
  var opposite: SpotPositions {
    SpotPositions(positions: positions.reversed().map { -$0 }, deviations: deviations.reversed())
  }
}
