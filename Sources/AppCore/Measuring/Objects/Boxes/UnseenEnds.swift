import Geometry

/// Finds the sides that are not ends of the object but ends of its visible part.
extension UprightSearch {
  /// Fewest places that hide a side.
  private static let leastHidden = 4
  /// The cosine of the angle within which a side faces the direction in which the object extends.
  private static let facing = 0.5

  /// Marks the sides beyond which the object is cut off as inferred: those that face the cut, not those that
  /// lead there.
  ///
  /// - Parameters:
  ///   - sides: The sides.
  ///   - cuts: Where the object extends unseen.
  ///   - cell: A cell's width at the object, meters.
  /// - Returns: Whether any side that faces there is inferred.
  package func cut(_ sides: inout [UprightSide], by cuts: [Outline.Cut], cell: Double) -> Bool {
    guard !cuts.isEmpty else { return false }
    func facing(_ side: UprightSide) -> [Point3<World>] {
      cuts.filter { $0.outward.dot(side.direction) > Self.facing }.map(\.point)
    }
    var isMarked = hidden(&sides, cell: cell, facing)
    // A cut aslant to a side leaves only its corner near it, and few of its ends.
    for index in sides.indices
    where facing(sides[index]).count >= max(Self.leastHidden, ends(at: sides[index]).count) {
      sides[index].extendUnseen()
      isMarked = true
    }
    return isMarked || sides.contains { $0.evidence == .inferred && facing($0).count >= Self.leastHidden }
  }

  /// Marks the sides at which any of `points` lie as inferred.
  ///
  /// - Parameters:
  ///   - sides: The sides.
  ///   - points: Where the object may extend unseen.
  ///   - cell: A cell's width at the object, meters.
  /// - Returns: Whether there are any.
  package func hidden(_ sides: inout [UprightSide], by points: [Point3<World>], cell: Double) -> Bool {
    hidden(&sides, cell: cell) { _ in points }
  }

  private func hidden(
    _ sides: inout [UprightSide], cell: Double, _ points: (UprightSide) -> [Point3<World>]
  ) -> Bool {
    var isAny = false
    for index in sides.indices {
      let least = least(of: sides, index, cell: cell)
      guard hides(points(sides[index]), along: sides[index].direction, beyond: least) else { continue }
      sides[index].extendUnseen()
      isAny = true
    }
    return isAny
  }

  /// Whether something nearer, however little of it, hides an end at a side: what the camera would see of a larger object
  /// there may be what is hidden.
  ///
  /// - Parameters:
  ///   - occluders: Where something nearer hides the object's end.
  ///   - sides: The sides.
  ///   - index: Which one.
  ///   - cell: A cell's width at the object, meters.
  /// - Returns: Whether it may hide the end of that side.
  package func meets(
    _ occluders: [Point3<World>], _ sides: [UprightSide], _ index: Int, cell: Double
  ) -> Bool {
    hides(occluders, along: sides[index].direction, beyond: least(of: sides, index, cell: cell))
  }

  /// Whether most of the outline at a side has no reading beyond it, where the object may extend.
  ///
  /// - Parameters:
  ///   - sides: The sides.
  ///   - index: Which one.
  ///   - samples: The outline.
  ///   - cell: A cell's width at the object, meters.
  /// - Returns: Whether the surface ends there for lack of readings.
  func goesOn(_ sides: [UprightSide], _ index: Int, _ samples: [Outline.Sample], cell: Double) -> Bool {
    goesOn(samples, along: sides[index].direction, beyond: least(of: sides, index, cell: cell))
  }

  /// The same for any direction, of the outline beyond a position along it.
  private func goesOn(_ samples: [Outline.Sample], along direction: Vector3<World>, beyond least: Double)
    -> Bool
  {
    most(of: samples, along: direction, beyond: least) { $0 == .unread }
  }

  /// Whether most of the outline at a side has no reading beyond at all: as `goesOn`.
  func isDark(_ sides: [UprightSide], _ index: Int, _ samples: [Outline.Sample], cell: Double) -> Bool {
    most(of: samples, along: sides[index].direction, beyond: least(of: sides, index, cell: cell)) {
      $0 == .dark || $0 == .unread
    }
  }

  /// The reasons why the top cannot be seen; all false where it can.
  struct HiddenTop {
    let isCut: Bool
    let isOccluded: Bool
    let isUnread: Bool
    var isUnseen: Bool { isCut || isOccluded || isUnread }
  }

  /// Finds the reasons why the upper end of a surface cannot be seen.
  ///
  /// - Parameters:
  ///   - outline: The outline.
  ///   - top: The height at which the surface ends.
  ///   - bottom: The height at which it begins.
  ///   - cell: A cell's width at the object, meters.
  ///   - hasOccluders: Whether cells of something nearer are believed.
  ///   - unread: Whether the mask continues above without readings.
  /// - Returns: What hides it.
  func hiddenTop(
    _ outline: Outline, at top: Double, above bottom: Double, cell: Double, hasOccluders: Bool,
    goesOn unread: Bool
  ) -> HiddenTop {
    let up = Vector3<World>(0, 1, 0)
    let least = top - doubt(of: top - bottom, cell: cell)
    let rising = outline.samples.filter(\.rises)
    let occluders = rising.filter { $0.beyond == .occluder }.map(\.point)
    return HiddenTop(
      isCut: hides(outline.cuts.filter(\.rises).map(\.point), along: up, beyond: least),
      isOccluded: hasOccluders && hides(occluders, along: up, beyond: least),
      isUnread: unread || goesOn(rising, along: up, beyond: least))
  }

  private func most(
    of samples: [Outline.Sample], along direction: Vector3<World>, beyond least: Double,
    _ isIt: (Outline.Beyond) -> Bool
  ) -> Bool {
    let there = samples.filter { ($0.point - .origin).dot(direction) > least }
    let count = there.count { isIt($0.beyond) }
    return count >= Self.leastHidden && 2 * count > there.count
  }

  private func least(of sides: [UprightSide], _ index: Int, cell: Double) -> Double {
    let (side, opposite) = (sides[index].estimate.position, sides[index ^ 1].estimate.position)
    return side - doubt(of: side + opposite, cell: cell)
  }

  /// Distance from the end of a length within which something may hide that end, meters.
  private func doubt(of length: Double, cell: Double) -> Double { max(0.05 * length, cell) }

  /// Whether enough places lie beyond a position along a direction to hide an end there.
  private func hides(_ points: [Point3<World>], along direction: Vector3<World>, beyond least: Double) -> Bool
  {
    points.count { ($0 - .origin).dot(direction) > least } >= Self.leastHidden
  }
}
