import Geometry

extension FittedBox.Rays {
  /// Several boxes seen from one camera.
  struct Lanes: SolidLanes {
    struct Group {
      fileprivate let first: Int
      fileprivate let cosine: SolidDoubles
      fileprivate let sine: SolidDoubles
      fileprivate let startAlong: SolidDoubles
      fileprivate let startAcross: SolidDoubles
      /// Positions of the sides' planes along their axes.
      fileprivate let sides: (SolidDoubles, SolidDoubles, SolidDoubles, SolidDoubles)
      fileprivate let top: SolidDoubles

      fileprivate init(_ solids: [FittedBox.Rays], from first: Int) {
        self.first = first
        cosine = Lanes.lanes(solids, from: first) { $0.cosine }
        sine = Lanes.lanes(solids, from: first) { $0.sine }
        startAlong = Lanes.lanes(solids, from: first) { $0.start.along }
        startAcross = Lanes.lanes(solids, from: first) { $0.start.across }
        top = Lanes.lanes(solids, from: first) { $0.top }
        sides = (
          Lanes.lanes(solids, from: first) { $0.reaches[0] },
          Lanes.lanes(solids, from: first) { -$0.reaches[1] },
          Lanes.lanes(solids, from: first) { $0.reaches[2] },
          Lanes.lanes(solids, from: first) { -$0.reaches[3] }
        )
      }
    }

    struct Aim {
      fileprivate let ray: Vector3<World>
      fileprivate let limit: Double
      /// The ray along the first box's directions.
      fileprivate let along: Double
      fileprivate let across: Double
      /// Depths of the first box's sides and top.
      fileprivate let sides: SIMD4<Double>
      fileprivate let top: Double
    }

    let groups: [Group]
    private let solids: [FittedBox.Rays]
    /// Whether all boxes have the same directions.
    private let isAligned: Bool
    /// Whether they have the same sides, and the same top.
    private let sharesSides: SIMDMask<SIMD4<Int64>>
    private let sharesTop: Bool
    private let first: (cosine: Double, sine: Double, along: Double, across: Double, top: Double)
    /// Positions of the first box's sides.
    private let sides: SIMD4<Double>
    /// The missing parts of each group's boxes, as many of each box.
    private let notches: [NotchLanes]
    private let missing: Int

    init(_ solids: [FittedBox.Rays]) {
      self.solids = solids
      groups = stride(from: 0, to: solids.count, by: Self.width).map { Group(solids, from: $0) }
      let first = solids[0]
      isAligned = solids.allSatisfy {
        $0.cosine == first.cosine && $0.sine == first.sine && $0.start == first.start
      }
      sharesSides = solids.reduce(SIMDMask(repeating: true)) { $0 .& ($1.reaches .== first.reaches) }
      sharesTop = solids.allSatisfy { $0.top == first.top }
      self.first = (first.cosine, first.sine, first.start.along, first.start.across, first.top)
      sides = SIMD4(first.reaches[0], -first.reaches[1], first.reaches[2], -first.reaches[3])
      let missing = solids.reduce(0) { max($0, $1.notches.count) }
      self.missing = missing
      notches = groups.indices.flatMap { group in
        (0..<missing).map { index in
          NotchLanes(
            (0..<Self.width).map { lane in
              let solid = solids[min(Self.width * group + lane, solids.count - 1)]
              return index < solid.notches.count ? solid.notches[index] : .none
            })
        }
      }
    }

    @inline(__always)
    func aim(_ ray: Vector3<World>, before limit: Double) -> Aim {
      let along = first.cosine * ray.x + first.sine * ray.z
      let across = first.cosine * ray.z - first.sine * ray.x
      let starts = SIMD4(first.along, first.along, first.across, first.across)
      return Aim(
        ray: ray, limit: limit, along: along, across: across,
        sides: (sides - starts) / SIMD4(along, along, across, across), top: first.top / ray.y)
    }

    /// The faces that rays have met so far, and where they leave the boxes.
    private struct Crossing {
      let isMarked: Bool
      var hits = SolidHits.none
      var leave: SolidDoubles

      @inline(__always)
      mutating func reach(_ near: SolidDoubles, _ mark: SIMD2<Double>) {
        let isEntered = near .> hits.meters
        hits.meters.replace(with: near, where: isEntered)
        hits.isMet .|= isEntered
        if isMarked { hits.mark(mark, where: isEntered) }
      }

      /// Two faces, of which `isFirst` says which is turned towards the camera.
      @inline(__always)
      mutating func reach(
        _ near: SolidDoubles, _ marks: (SIMD2<Double>, SIMD2<Double>), where isFirst: SolidAnswers
      ) {
        let isEntered = near .> hits.meters
        hits.meters.replace(with: near, where: isEntered)
        hits.isMet .|= isEntered
        if isMarked {
          hits.mark(marks.0, where: isEntered .& isFirst)
          hits.mark(marks.1, where: isEntered .& .!isFirst)
        }
      }
    }

    @inline(__always)
    func meets(_ aim: Aim, _ group: Group, isMarked: Bool, _ marks: Span<SIMD2<Double>>) -> SolidHits {
      var crossing = Crossing(isMarked: isMarked, leave: SolidDoubles(repeating: aim.limit))
      let rayY = aim.ray.y
      if isAligned {
        guard aim.along != 0, aim.across != 0 else { return eachByItself(aim, group, marks) }
        let a = plane(0, aim, group.sides.0, group.startAlong, aim.along)
        let b = plane(1, aim, group.sides.1, group.startAlong, aim.along)
        crossing.reach(a.lesser(b), marks[aim.along < 0 ? 0 : 1])
        let c = plane(2, aim, group.sides.2, group.startAcross, aim.across)
        let d = plane(3, aim, group.sides.3, group.startAcross, aim.across)
        crossing.reach(c.lesser(d), marks[aim.across < 0 ? 2 : 3])
        crossing.leave = crossing.leave.lesser(a.greater(b)).lesser(c.greater(d))
      } else {
        let along = group.cosine * aim.ray.x + group.sine * aim.ray.z
        let across = group.cosine * aim.ray.z - group.sine * aim.ray.x
        guard !any((along .== 0) .| (across .== 0)) else { return eachByItself(aim, group, marks) }
        let (a, b) = ((group.sides.0 - group.startAlong) / along, (group.sides.1 - group.startAlong) / along)
        crossing.reach(a.lesser(b), (marks[0], marks[1]), where: along .< 0)
        let (c, d) = (
          (group.sides.2 - group.startAcross) / across, (group.sides.3 - group.startAcross) / across
        )
        crossing.reach(c.lesser(d), (marks[2], marks[3]), where: across .< 0)
        crossing.leave = crossing.leave.lesser(a.greater(b)).lesser(c.greater(d))
      }
      if rayY < 0 {
        let below = sharesTop ? SolidDoubles(repeating: aim.top) : group.top / rayY
        crossing.reach(below, marks[SolidFace.top.index])
      } else {
        if rayY > 0 { crossing.leave = crossing.leave.lesser(group.top / rayY) }
        crossing.leave.replace(with: -1, where: group.top .< 0)
      }
      crossing.hits.isMet .&= crossing.hits.meters .< crossing.leave
      guard missing > 0, any(crossing.hits.isMet) else { return crossing.hits }
      return pastNotches(aim, group, crossing.hits, before: crossing.leave, isMarked: isMarked, marks)
    }

    /// Depths of one of the sides.
    @inline(__always)
    private func plane(
      _ side: Int, _ aim: Aim, _ positions: SolidDoubles, _ start: SolidDoubles, _ rate: Double
    ) -> SolidDoubles {
      sharesSides[side] ? SolidDoubles(repeating: aim.sides[side]) : (positions - start) / rate
    }

    /// The faces that are met where some boxes may be entered in a notch: as `FittedBox.Rays.pastNotches`.
    @inline(never)
    private func pastNotches(
      _ aim: Aim, _ group: Group, _ entered: SolidHits, before leave: SolidDoubles,
      isMarked: Bool, _ marks: Span<SIMD2<Double>>
    ) -> SolidHits {
      let ray = aim.ray
      let rates = NotchLanes.Rates(
        along: group.cosine * ray.x + group.sine * ray.z, across: group.cosine * ray.z - group.sine * ray.x,
        up: ray.y)
      let start = (along: group.startAlong, across: group.startAcross)
      let notches = notches.span
      let first = group.first / Self.width * missing
      var hits = entered
      var some = entered.isMet
      // Out of one notch a ray may pass into another.
      for _ in 0...missing {
        let place = hits.meters + FittedBox.Rays.step
        let (x, z) = (start.along + place * rates.along, start.across + place * rates.across)
        let height = place * rates.up
        var exit = NotchLanes.Exit(isMarked: isMarked)
        var isIn = SolidAnswers(repeating: false)
        for index in first..<first + missing {
          let isNew: SolidAnswers = some .& .!isIn
          let isHeld = isNew .& notches[index].holds(x, z, height)
          guard any(isHeld) else { continue }
          notches[index].leave(&exit, among: isHeld, rates, from: start, marks)
          isIn .|= isHeld
        }
        guard any(isIn) else { break }
        some = isIn .& (exit.meters .< leave)
        hits.isMet = hits.isMet .& (.!isIn .| some)
        hits.meters.replace(with: exit.meters, where: some)
        guard isMarked else { continue }
        hits.first.replace(with: exit.first, where: some)
        hits.second.replace(with: exit.second, where: some)
      }
      return hits
    }

    /// The faces that each box's own rays meet.
    @inline(never)
    private func eachByItself(_ aim: Aim, _ group: Group, _ marks: Span<SIMD2<Double>>) -> SolidHits {
      var hits = SolidHits.none
      for lane in 0..<Self.width {
        let index = min(group.first + lane, solids.count - 1)
        hits.put(solids[index].meets(aim.ray, before: aim.limit), lane, marks)
      }
      return hits
    }
  }
}
