import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An upright box on a supporting plane, with what is cut out of it, as it is fitted.
struct FittedBox: FittedSolid {
  /// From world x towards world z.
  var turn: Double
  /// How far it reaches along and against its first direction, then the second: the order of `UprightSearch.sides`.
  var reaches: SIMD4<Double>
  /// The height of its top.
  var top: Double
  /// The parts that are missing from the box.
  var notches: [Notch] = []

  /// The middle of its plan, at height 0.
  var middle: Point3<World> {
    let (along, across) = ((reaches[0] - reaches[1]) / 2, (reaches[2] - reaches[3]) / 2)
    return Point3(cos(turn) * along - sin(turn) * across, 0, sin(turn) * along + cos(turn) * across)
  }

  var longest: Double { max(reaches[0] + reaches[1], reaches[2] + reaches[3]) }

  func isLarger(than length: Double) -> Bool {
    reaches[0] + reaches[1] > length && reaches[2] + reaches[3] > length
  }

  /// The box turned about its middle.
  func turned(by angle: Double) -> FittedBox {
    let halves = ((reaches[0] + reaches[1]) / 2, (reaches[2] + reaches[3]) / 2)
    let half = SIMD4(halves.0, halves.0, halves.1, halves.1)
    let (along, across) = ((reaches[0] - reaches[1]) / 2, (reaches[2] - reaches[3]) / 2)
    let (c, s) = (cos(angle), sin(angle))
    // The middle along the axes after the turn.
    let (first, second) = (c * along + s * across, c * across - s * along)
    let moves = SIMD4(first - along, along - first, second - across, across - second)
    return FittedBox(
      turn: turn + angle, reaches: half + SIMD4(first, -first, second, -second),
      top: top,
      notches: notches.map { Notch(reaches: $0.reaches + moves, floor: $0.floor) })
  }
}

/// An upright part that is missing of a box, open above: the corner of an L-shape, the room above a seat.
struct Notch {
  /// How far it reaches, as a box does, infinite where it is open.
  var reaches: SIMD4<Double>
  /// The height at which it ends below.
  var floor: Double

  /// A part in which nothing is.
  static let none = Notch(reaches: SIMD4(repeating: -.infinity), floor: .infinity)

  /// Whether a place along both of the box's directions and above is in it.
  @inline(__always)
  func holds(_ along: Double, _ across: Double, _ height: Double) -> Bool {
    height > floor && along < reaches[0] && -along < reaches[1] && across < reaches[2] && -across < reaches[3]
  }
}

extension FittedBox {
  /// The box within some faces.
  init(_ faces: BoxFaces) {
    self.init(turn: faces.turn, reaches: SIMD4(faces.sides.map(\.estimate.position)), top: faces.top.position)
  }

  func rays(from camera: Point3<World>) -> Rays {
    let (c, s) = (cos(turn), sin(turn))
    return Rays(
      cosine: c, sine: s, reaches: reaches,
      start: (c * camera.x + s * camera.z, c * camera.z - s * camera.x), top: top - camera.y,
      notches: notches.map { Notch(reaches: $0.reaches, floor: $0.floor - camera.y) })
  }

  /// Heights are above the camera.
  struct Rays: SolidRays {
    /// Meters along a ray after which it is inside what it has entered.
    static let step = 1e-7

    let cosine: Double
    let sine: Double
    let reaches: SIMD4<Double>
    let start: (along: Double, across: Double)
    let top: Double
    let notches: [Notch]

    /// Where a ray enters the box as if nothing were missing of it, and where it leaves it.
    struct Entry {
      let hit: SolidHit
      /// The ray along the box's directions and up, for each meter of planar depth.
      let along: Double
      let across: Double
      let up: Double
      let leave: Double
    }

    @inline(__always)
    func meets(_ ray: Vector3<World>, before limit: Double) -> SolidHit? {
      guard let entry = entry(ray, before: limit) else { return nil }
      return notches.isEmpty ? entry.hit : pastNotches(entry)
    }

    @inline(__always)
    func entry(_ ray: Vector3<World>, before limit: Double) -> Entry? {
      let (along, across) = (cosine * ray.x + sine * ray.z, cosine * ray.z - sine * ray.x)
      var (enter, leave, face) = (0.0, limit, SolidFace.besides)
      func cut(_ start: Double, _ rate: Double, _ high: Double, _ low: Double, _ first: Int) {
        if rate == 0 {
          if start > high || start < low { leave = -1 }
          return
        }
        let (a, b) = ((high - start) / rate, (low - start) / rate)
        if min(a, b) > enter { (enter, face) = (min(a, b), .upright(rate < 0 ? first : first + 1)) }
        leave = min(leave, max(a, b))
      }
      cut(start.along, along, reaches[0], -reaches[1], 0)
      cut(start.across, across, reaches[2], -reaches[3], 2)
      if ray.y < 0 {
        let below = top / ray.y
        if below > enter { (enter, face) = (below, .top) }
      } else if top < 0 {
        return nil
      } else if ray.y > 0 {
        leave = min(leave, top / ray.y)
      }
      guard face != .besides, enter < leave else { return nil }
      return Entry(
        hit: SolidHit(meters: enter, face: face), along: along, across: across, up: ray.y, leave: leave)
    }

    /// A place just after a ray enters the box.
    struct Place {
      /// Along the box's first direction and against it, then the second.
      let reaches: SIMD4<Double>
      let height: Double

      /// Whether a notch is open there: as `Notch.holds`.
      @inline(__always)
      func isOpen(_ notch: Notch) -> Bool { height > notch.floor && all(reaches .< notch.reaches) }
    }

    func place(of entry: Entry) -> Place {
      let place = entry.hit.meters + Self.step
      let (x, z) = (start.along + place * entry.along, start.across + place * entry.across)
      return Place(reaches: SIMD4(x, -x, z, -z), height: place * entry.up)
    }

    /// Whether a ray is in a notch just after a depth.
    @inline(__always)
    private func holds(_ notch: Notch, _ entry: Entry, _ meters: Double) -> Bool {
      let place = meters + Self.step
      return notch.holds(
        start.along + place * entry.along, start.across + place * entry.across, place * entry.up)
    }

    func incidence(_ ray: Vector3<World>, on face: SolidFace) -> Double {
      let across = face.index < 2 ? cosine * ray.x + sine * ray.z : cosine * ray.z - sine * ray.x
      return abs(face == .top ? ray.y : across) / ray.length
    }

    /// The first face that a ray meets after it has entered the box, where it may pass through notches; nil where it
    /// leaves the box through notches.
    func pastNotches(_ entry: Entry) -> SolidHit? {
      var met = entry.hit
      // Out of one notch a ray may pass into another.
      for _ in 0...notches.count {
        guard let notch = notches.first(where: { holds($0, entry, met.meters) }) else { return met }
        var (exit, face) = (Double.infinity, SolidFace.besides)
        func cut(_ start: Double, _ rate: Double, _ high: Double, _ low: Double, _ first: Int) {
          guard rate != 0 else { return }
          let end = ((rate > 0 ? high : low) - start) / rate
          // The far side of a notch is turned against the ray, as the near side of the box is.
          if end < exit { (exit, face) = (end, .upright(rate < 0 ? first : first + 1)) }
        }
        cut(start.along, entry.along, notch.reaches[0], -notch.reaches[1], 0)
        cut(start.across, entry.across, notch.reaches[2], -notch.reaches[3], 2)
        if entry.up < 0, notch.floor / entry.up < exit { (exit, face) = (notch.floor / entry.up, .top) }
        guard exit < entry.leave else { return nil }
        met = SolidHit(meters: exit, face: face)
      }
      return met
    }
  }
}
