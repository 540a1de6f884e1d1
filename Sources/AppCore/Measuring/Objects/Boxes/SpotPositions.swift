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

  /// The places of spots along a level direction.
  init(_ spots: LevelSpots, along direction: Vector3<World>) {
    (positions, deviations) = spots.places(along: direction)
  }

  private init(positions: [Double], deviations: [Double]) {
    (self.positions, self.deviations) = (positions, deviations)
  }

  /// Those whose index holds.
  @inline(__always)
  func filter(_ isKept: (Int) -> Bool) -> SpotPlaces {
    var kept = SpotPlaces(positions: [], deviations: [])
    kept.positions.reserveCapacity(positions.count)
    kept.deviations.reserveCapacity(positions.count)
    for index in positions.indices where isKept(index) {
      kept.positions.append(positions[index])
      kept.deviations.append(deviations[index])
    }
    return kept
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
    (positions, deviations) = descending(places.positions, with: places.deviations)
  }

  init(_ spots: [BoxSpot], along direction: Vector3<World>) {
    self.init(SpotPlaces(spots, along: direction))
  }

  /// The same along the opposite direction.
  var opposite: SpotPositions {
    var (opposite, along) = (positions, deviations)
    let last = positions.count - 1
    for index in positions.indices {
      (opposite[index], along[index]) = (-positions[last - index], deviations[last - index])
    }
    return SpotPositions(positions: opposite, deviations: along)
  }
}

/// Spots as seen from above, for their places along many level directions.
struct LevelSpots {
  /// A point, the displacement of one standard deviation of depth and the outline's own uncertainty: x and z of each.
  private struct Spot {
    let point: SIMD2<Double>
    let noise: SIMD2<Double>
    let interval: SIMD2<Double>
    let least: Double
    let isEnd: Bool
  }

  private let spots: [Spot]

  init(_ spots: [BoxSpot]) {
    self.spots = spots.map {
      Spot(
        point: SIMD2($0.point.x, $0.point.z), noise: SIMD2($0.noise.x, $0.noise.z),
        interval: SIMD2($0.interval.x, $0.interval.z), least: $0.least, isEnd: $0.sample != nil)
    }
  }

  /// Positions, and standard deviations as `BoxSpot.deviation` has them.
  fileprivate func places(along direction: Vector3<World>) -> ([Double], [Double]) {
    let axis = SIMD2(direction.x, direction.z)
    var positions = [Double](repeating: 0, count: spots.count)
    var deviations = positions
    fill(spots.span, axis, &positions, &deviations)
    return (positions, deviations)
  }

  private func fill(
    _ spots: Span<Spot>, _ axis: SIMD2<Double>, _ positions: inout [Double], _ deviations: inout [Double]
  ) {
    var positions = positions.mutableSpan
    var deviations = deviations.mutableSpan
    @inline(__always)
    func dot(_ vector: SIMD2<Double>) -> Double {
      let products = vector * axis
      return products.x + products.y
    }
    for index in spots.indices {
      let spot = spots[index]
      positions[index] = dot(spot.point)
      let depth = abs(dot(spot.noise))
      guard spot.isEnd else {
        deviations[index] = max(depth, spot.least)
        continue
      }
      let place = dot(spot.interval)
      deviations[index] = max((0.36 * depth * depth + place * place / 12).squareRoot(), spot.least)
    }
  }
}
