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
    private let isNotched: Bool

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
      isNotched = !first.notches.isEmpty
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
      return isNotched ? pastNotches(aim, group, crossing.hits, marks) : crossing.hits
    }

    /// Depths of one of the sides.
    @inline(__always)
    private func plane(
      _ side: Int, _ aim: Aim, _ positions: SolidDoubles, _ start: SolidDoubles, _ rate: Double
    ) -> SolidDoubles {
      sharesSides[side] ? SolidDoubles(repeating: aim.sides[side]) : (positions - start) / rate
    }

    /// The faces that are met where some boxes may be entered in a notch.
    @inline(never)
    private func pastNotches(
      _ aim: Aim, _ group: Group, _ entered: SolidHits, _ marks: Span<SIMD2<Double>>
    ) -> SolidHits {
      guard any(entered.isMet) else { return entered }
      let ray = aim.ray
      let along = group.cosine * ray.x + group.sine * ray.z
      let across = group.cosine * ray.z - group.sine * ray.x
      let place = entered.meters + FittedBox.Rays.step
      let (x, z) = (group.startAlong + place * along, group.startAcross + place * across)
      let height = place * ray.y
      var hits = entered
      for lane in 0..<Self.width where entered.isMet[lane] {
        let index = min(group.first + lane, solids.count - 1)
        let isOpen = solids[index].notches.contains { $0.holds(x[lane], z[lane], height[lane]) }
        if isOpen { hits.put(solids[index].meets(ray, before: aim.limit), lane, marks) }
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
