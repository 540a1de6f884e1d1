import Geometry

/// The same one of the parts that are missing of four boxes: as `FittedBox.Rays` passes through it, bit for bit.
struct NotchLanes {
  /// Where it ends along and against the boxes' first direction, then the second.
  let ends: (SolidDoubles, SolidDoubles, SolidDoubles, SolidDoubles)
  let floor: SolidDoubles

  /// Where rays leave it, and two numbers of the faces that they meet there.
  struct Exit {
    let isMarked: Bool
    var meters = SolidDoubles(repeating: .infinity)
    var first = SolidDoubles.zero
    var second = SolidDoubles.zero

    /// Takes one of two faces where rays come to it earlier, among some: the first where `isFirst`.
    @inline(__always)
    mutating func reach(
      _ end: SolidDoubles, among some: SolidAnswers, _ marks: (SIMD2<Double>, SIMD2<Double>),
      where isFirst: SolidAnswers
    ) {
      let isEarlier = some .& (end .< meters)
      meters.replace(with: end, where: isEarlier)
      guard isMarked else { return }
      let (own, other) = (isEarlier .& isFirst, isEarlier .& .!isFirst)
      first.replace(with: marks.0[0], where: own)
      first.replace(with: marks.1[0], where: other)
      second.replace(with: marks.0[1], where: own)
      second.replace(with: marks.1[1], where: other)
    }

    /// Takes a face where rays come to it earlier, among some.
    @inline(__always)
    mutating func reach(_ end: SolidDoubles, among some: SolidAnswers, _ mark: SIMD2<Double>) {
      let isEarlier = some .& (end .< meters)
      meters.replace(with: end, where: isEarlier)
      guard isMarked else { return }
      first.replace(with: mark[0], where: isEarlier)
      second.replace(with: mark[1], where: isEarlier)
    }
  }

  /// Rays along the boxes' directions and up, for each meter of planar depth, none of them 0 but `up`.
  struct Rates {
    let along: SolidDoubles
    let across: SolidDoubles
    let isAgainst: (along: SolidAnswers, across: SolidAnswers)
    let up: Double

    @inline(__always)
    init(along: SolidDoubles, across: SolidDoubles, up: Double) {
      (self.along, self.across, self.up) = (along, across, up)
      isAgainst = (along .< 0, across .< 0)
    }
  }

  init(_ notches: [Notch]) {
    func lanes(_ number: (Notch) -> Double) -> SolidDoubles {
      var lanes = SolidDoubles.zero
      for lane in notches.indices { lanes[lane] = number(notches[lane]) }
      return lanes
    }
    ends = (
      lanes { $0.reaches[0] }, lanes { -$0.reaches[1] }, lanes { $0.reaches[2] }, lanes { -$0.reaches[3] }
    )
    floor = lanes(\.floor)
  }

  /// Whether places along both of the boxes' directions and above are in it: as `Notch.holds`.
  @inline(__always)
  func holds(_ along: SolidDoubles, _ across: SolidDoubles, _ height: SolidDoubles) -> SolidAnswers {
    let isAlong = (along .< ends.0) .& (along .> ends.1)
    let isAcross = (across .< ends.2) .& (across .> ends.3)
    return (height .> floor) .& isAlong .& isAcross
  }

  /// Puts where rays leave it among some, which are within.
  ///
  /// - Parameters:
  ///   - exit: What is changed.
  ///   - some: The lanes of these rays.
  ///   - rates: The rays.
  ///   - start: The camera along both of the boxes' directions.
  ///   - marks: Two numbers of each face.
  @inline(__always)
  func leave(
    _ exit: inout Exit, among some: SolidAnswers, _ rates: Rates,
    from start: (along: SolidDoubles, across: SolidDoubles), _ marks: Span<SIMD2<Double>>
  ) {
    // The far side of a notch is turned against the ray, as the near side of the box is.
    let along = (ends.0.replacing(with: ends.1, where: rates.isAgainst.along) - start.along) / rates.along
    exit.reach(along, among: some, (marks[0], marks[1]), where: rates.isAgainst.along)
    let across = (ends.2.replacing(with: ends.3, where: rates.isAgainst.across) - start.across) / rates.across
    exit.reach(across, among: some, (marks[2], marks[3]), where: rates.isAgainst.across)
    if rates.up < 0 { exit.reach(floor / rates.up, among: some, marks[SolidFace.top.index]) }
  }
}
