import FileFormats
import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An upright face of a box.
package struct UprightSide {
  /// From the box outwards.
  package let direction: Vector3<World>
  /// Whether it faces away from the camera.
  package let isHidden: Bool
  package var estimate: SideEstimate
  package var evidence = SideEvidence.observed
  /// Standard deviation of how far the object extends beyond an inferred side, over its length.
  package var unseen = Self.mostUnseen
  /// The deviation for an object of which nothing else is known.
  package static let mostUnseen = 0.15
  /// Standard error of its place, meters.
  package var error = 0.0

  package init(direction: Vector3<World>, isHidden: Bool, estimate: SideEstimate) {
    (self.direction, self.isHidden, self.estimate) = (direction, isHidden, estimate)
  }

  /// Standard deviation of how far the object extends beyond an inferred side, meters.
  ///
  /// Where nothing else is known the object is as likely to be as deep as it is wide as to end with what is seen of it: a
  /// face that is seen alone says nothing of its depth.
  ///
  /// - Parameters:
  ///   - length: The length that ends there.
  ///   - width: The length across it.
  /// - Returns: The standard deviation.
  package func unseen(of length: Double, across width: Double) -> Double {
    unseen == Self.mostUnseen ? max(unseen * length, width - length) : unseen * length
  }

  /// Marks it as the end of the visible part: the object may extend farther.
  mutating func extendUnseen() {
    evidence = .inferred
    unseen = Self.mostUnseen
  }
}

/// The search for a box's turn about the vertical and for its four upright sides.
package struct UprightSearch {
  /// Points of the surface that take part, and fewer in the first look at all turns.
  private static let points = (all: 1500, few: 400)
  /// The object is round unless at some turn this many times more points lie on the sides than at most turns.
  private static let preference = 1.7
  /// The share of a hidden side's samples at which the surface leads towards it.
  private static let leadingShare = 0.3
  /// Difference from the room's turn, radians, within which a turn counts more, and by what factor.
  private static let room = (within: 3.0 * Double.pi / 180, weight: 2.0)
  /// Most likely turns that are evaluated, and degrees between them.
  private static let most = 3
  private static let apart = 8
  /// Least number of ends from which an outline's sides are measured.
  private static let leastEnds = 8

  /// Some of the surface's points.
  let sample: [BoxSpot]
  let edges: [BoxSpot]
  /// The same, thinned.
  private let few: (sample: LevelSpots, edges: LevelSpots)
  /// All of them, seen from above.
  private let level: (sample: LevelSpots, edges: LevelSpots)
  private let room: RoomDirections?
  private let view: Vector3<World>
  private let cellWidth: Double

  /// - `camera`: Where all was seen from; nil for points seen from many sides.
  /// - `cell`: Width of a cell 1 m away, or without a camera that of all cells, meters.
  package init(
    surface: [BoxSpot], edges: [BoxSpot], room: RoomDirections? = nil, camera: Point3<World>?, cell: Double
  ) {
    self.room = room
    sample = Self.thinned(surface, to: Self.points.all)
    self.edges = edges
    few = (
      LevelSpots(Self.thinned(surface, to: Self.points.few)),
      LevelSpots(Self.thinned(edges, to: Self.points.few))
    )
    level = (LevelSpots(sample), LevelSpots(edges))
    let middle = Point3<World>(
      quantile(surface.map { $0.point.x }, 0.5), quantile(surface.map { $0.point.y }, 0.5),
      quantile(surface.map { $0.point.z }, 0.5))
    let towards = camera.map { middle - $0 }
    view = towards.flatMap { Vector3($0.x, 0, $0.z).normalized() } ?? Vector3(0, 0, 0)
    // Planar depth is not known here: the distance is near enough.
    cellWidth = cell * (towards?.length ?? 1)
  }

  private static func thinned(_ spots: [BoxSpot], to count: Int) -> [BoxSpot] {
    let step = max(1, spots.count / count)
    return step == 1 ? spots : stride(from: 0, to: spots.count, by: step).map { spots[$0] }
  }

  /// The usual standard deviation of an end in a direction.
  func width(_ direction: Vector3<World>) -> Double {
    let deviations = (edges.isEmpty ? sample : edges).map { $0.deviation(along: direction) }
    return max(quantile(deviations, 0.5), 0.4 * cellWidth)
  }

  /// The four sides at a turn from world x towards world z: of an axis first the one farther out along it.
  package func sides(at turn: Double, _ surface: [BoxSpot]) -> [UprightSide] {
    Self.axes(at: turn).flatMap {
      pair($0, SpotPlaces(surface, along: $0), outline: SpotPlaces(level.edges, along: $0))
    }
  }

  /// The directions of the first pair of sides and of the second.
  static func axes(at turn: Double) -> [Vector3<World>] {
    let (c, s) = (cos(turn), sin(turn))
    return [Vector3(c, 0, s), Vector3(-s, 0, c)]
  }

  /// The sides in a direction and against it, which share their points: those within the surface and those of its outline.
  func pair(_ direction: Vector3<World>, _ within: SpotPlaces, outline: SpotPlaces) -> [UprightSide] {
    let deviations = (outline.positions.isEmpty ? within : outline).deviations
    let (quarter, half) = quantiles(deviations, 0.25, 0.5)
    let usual = max(half, 0.4 * cellWidth)
    // Ends of a face that is seen edge-on place nothing.
    let limit = max(3 * quarter, 0.5 * cellWidth)
    let informative = outline.filter { outline.deviations[$0] <= limit }
    let ends = informative.positions.count >= Self.leastEnds ? informative : outline
    let all = SpotPositions(within + ends)
    return [direction, -direction].map { outward in
      let isOpposite = outward != direction
      func end(_ positions: SpotPositions) -> SideEstimate {
        SideEstimate(isOpposite ? positions.opposite : positions, width: usual)
      }
      // Of a side that faces away nothing is seen but its outline.
      let isHidden = view.dot(outward) > 0.05
      let seesEndsOnly = isHidden && ends.positions.count >= Self.leastEnds
      var estimate = end(seesEndsOnly ? SpotPositions(ends) : all)
      // Ends left out above that lie clearly farther out show that the object extends beyond the estimate.
      let (positions, deviations) = (outline.positions.span, outline.deviations.span)
      var farther = 0
      for index in positions.indices where deviations[index] > limit {
        let place = (isOpposite ? -1 : 1) * positions[index] - 2.5 * deviations[index]
        if place > estimate.position { farther += 1 }
      }
      if farther >= Self.leastEnds {
        estimate = end(SpotPositions(seesEndsOnly ? outline : within + outline))
      }
      return UprightSide(direction: outward, isHidden: isHidden, estimate: estimate)
    }
  }

  /// How many points lie on the sides (closeness criterion, Zhang, Xu, Dong and Dolan, IV 2017).
  private func closeness(_ turn: Double, _ surface: LevelSpots, _ edges: LevelSpots) -> Double {
    var sum = 0.0
    for axis in Self.axes(at: turn) {
      let (within, outline) = (SpotPlaces(surface, along: axis), SpotPlaces(edges, along: axis))
      for side in pair(axis, within, outline: outline) {
        let sign: Double = side.direction == axis ? 1 : -1
        for places in [within, outline] {
          let (positions, deviations) = (places.positions.span, places.deviations.span)
          for index in positions.indices {
            let (off, width) = (
              sign * positions[index] - side.estimate.position, max(deviations[index], 0.0015)
            )
            // Most are farther away than that, whose square is 42.
            guard abs(off) < 6.5 * width else { continue }
            let apart = off / width
            if apart * apart <= 40 { sum += exp(-apart * apart / 2) }
          }
        }
      }
    }
    return sum
  }

  /// A turn from world x towards world z, and other likely ones.
  package struct Turns {
    /// The likeliest; of a round object `facing`.
    package let turn: Double
    /// As the camera looks.
    package let facing: Double
    package let isRound: Bool
    /// The likeliest of a box, even if the object is round.
    package let best: Double
    /// Other turns that a box may have, the likeliest first, to a degree: `refined` settles them.
    package let others: [Double]
  }

  /// The turns at which most points lie on the sides.
  package func turns() -> Turns {
    let degree = Double.pi / 180
    let coarse = Parallel.map(90) { closeness(Double($0) * degree, few.sample, few.edges) }
    let likely = coarse.indices.map { index in
      let isRoom = room.map { $0.distance(from: Double(index) * degree) < Self.room.within } ?? false
      return isRoom ? Self.room.weight * coarse[index] : coarse[index]
    }
    let best = likely.indices.max { likely[$0] < likely[$1] } ?? 0
    let isRound = coarse[best] < Self.preference * quantile(coarse, 0.5)
    let peaks = likely.indices.filter { index in
      (-Self.apart...Self.apart).allSatisfy { likely[index] >= likely[(index + $0 + 90) % 90] }
    }
    let highest = peaks.sorted { likely[$0] > likely[$1] }.prefix(Self.most).map { Double($0) * degree }
    let facing = atan2(view.z, view.x)
    let first = refined(highest[0])
    return Turns(
      turn: isRound ? facing : first, facing: facing, isRound: isRound, best: first,
      others: Array(highest.dropFirst()))
  }

  /// The turn near one that is known to a degree.
  func refined(_ coarse: Double) -> Double {
    var turn = coarse
    // The middle of three is the best of those before.
    var best: Double?
    for step in [1.0 / 3, 0.1, 0.03] {
      let near = (-3...3).map { turn + Double($0) * step * .pi / 180 }
      let known = best
      let scores = Parallel.map(near.count) { index in
        if index == 3, let known { return known }
        return closeness(near[index], level.sample, level.edges)
      }
      best = scores.max()
      turn = near[scores.indices.max { scores[$0] < scores[$1] } ?? 3]
    }
    for _ in 0..<4 { turn += correction(turn) }
    return turn
  }

  /// The least-squares change of the turn over the points that lie on the sides.
  private func correction(_ turn: Double) -> Double {
    var (slope, weight) = (0.0, 0.0)
    let sides = Self.axes(at: turn).flatMap {
      pair($0, SpotPlaces(level.sample, along: $0), outline: SpotPlaces(level.edges, along: $0))
    }
    for side in sides {
      let turned = Vector3<World>(-side.direction.z, 0, side.direction.x)
      var members: [(along: Double, off: Double, weight: Double)] = []
      for spots in [sample, edges] {
        for spot in spots {
          let deviation = spot.deviation(along: side.direction)
          let off = (spot.point - .origin).dot(side.direction) - side.estimate.position
          guard abs(off) < 2.5 * deviation else { continue }
          members.append(((spot.point - .origin).dot(turned), off, 1 / (deviation * deviation)))
        }
      }
      guard members.count >= 6 else { continue }
      let along = members.reduce(0) { $0 + $1.along } / Double(members.count)
      let off = members.reduce(0) { $0 + $1.off } / Double(members.count)
      for member in members {
        slope += member.weight * (member.along - along) * (member.off - off)
        weight += member.weight * (member.along - along) * (member.along - along)
      }
    }
    return weight > 0 ? min(max(-slope / weight, -0.01), 0.01) : 0
  }

  /// The ends that lie at a side.
  func ends(at side: UprightSide) -> [BoxSpot] {
    let reach = 2.5 * max(side.estimate.spread, width(side.direction))
    return edges.filter {
      abs(($0.point - .origin).dot(side.direction) - side.estimate.position) < reach
    }
  }

  /// Whether the surface leads towards a side where it ends.
  private func leads(_ spot: BoxSpot, to side: UprightSide) -> Bool {
    spot.sample?.outward.normalized().map { $0.dot(side.direction) > 0.3 } ?? false
  }

  /// A hidden side is observed where the surface leads towards it and ends.
  package func evidence(_ side: UprightSide) -> SideEvidence {
    let there = ends(at: side)
    let leading = there.count { leads($0, to: side) }
    return leading >= 4 && Double(leading) >= Self.leadingShare * Double(there.count) ? .observed : .inferred
  }

  /// Standard deviation of a hidden side that the width of the cells leaves open: the surface ends somewhere between
  /// two cells, at the same place between them all along a row or column.
  func coarseness(_ side: UprightSide) -> Double {
    let leading = ends(at: side).filter { leads($0, to: side) }.compactMap(\.sample)
    guard side.isHidden, !leading.isEmpty else { return 0 }
    let width = quantile(leading.map { abs($0.interval.dot(side.direction)) }, 0.5)
    return width / (12 * Double(Set(leading.map(\.line)).count)).squareRoot()
  }
}
