import Geometry

/// Numbers of four solids side by side.
typealias SolidDoubles = SIMD4<Double>
/// Answers of four solids.
typealias SolidAnswers = SIMDMask<SIMD4<Int64>>

/// Where rays from one camera meet several solids, four at a time: each as `SolidRays.meets` has it, bit for bit.
protocol SolidLanes: Sendable {
  associatedtype Rays: SolidRays
  /// Four solids.
  associatedtype Group: Sendable
  /// The part of a ray's meetings that all of the solids share.
  associatedtype Aim: Sendable

  /// The last group is filled up with the last solid.
  ///
  /// - Precondition: there is at least one solid.
  init(_ solids: [Rays])
  var groups: [Group] { get }
  func aim(_ ray: Vector3<World>, before limit: Double) -> Aim
  /// The faces of each solid that a ray meets first; where `isMarked`, with two numbers of the faces from `marks`.
  func meets(_ aim: Aim, _ group: Group, isMarked: Bool, _ marks: Span<SIMD2<Double>>) -> SolidHits
}

/// The faces of four solids that a ray meets.
struct SolidHits {
  /// Planar depth, where a solid is met at all.
  var meters: SolidDoubles
  var isMet: SolidAnswers
  /// Two numbers of the faces that are met.
  var first = SolidDoubles.zero
  var second = SolidDoubles.zero

  static var none: SolidHits {
    @inline(__always)
    get { SolidHits(meters: .zero, isMet: SolidAnswers(repeating: false)) }
  }

  @inline(__always)
  init(meters: SolidDoubles, isMet: SolidAnswers) {
    self.meters = meters
    self.isMet = isMet
  }

  /// Takes the numbers of a face where it is met.
  @inline(__always)
  mutating func mark(_ numbers: SIMD2<Double>, where isFace: SolidAnswers) {
    first.replace(with: numbers[0], where: isFace)
    second.replace(with: numbers[1], where: isFace)
  }

  /// Takes what one solid's own ray meets.
  mutating func put(_ hit: SolidHit?, _ lane: Int, _ marks: Span<SIMD2<Double>>) {
    isMet[lane] = hit != nil
    guard let hit else { return }
    meters[lane] = hit.meters
    (first[lane], second[lane]) = (marks[hit.face.index][0], marks[hit.face.index][1])
  }
}

extension SolidLanes {
  static var width: Int { SolidDoubles.scalarCount }

  /// A number of four solids, the first of them one of several.
  @inline(__always)
  static func lanes(_ solids: [Rays], from first: Int, _ number: (Rays) -> Double) -> SolidDoubles {
    var lanes = SolidDoubles.zero
    for lane in 0..<width { lanes[lane] = number(solids[min(first + lane, solids.count - 1)]) }
    return lanes
  }
}

extension SolidDoubles {
  /// The lesser of both, lane by lane.
  @inline(__always)
  func lesser(_ other: SolidDoubles) -> SolidDoubles { replacing(with: other, where: other .< self) }

  /// The greater of both, lane by lane.
  @inline(__always)
  func greater(_ other: SolidDoubles) -> SolidDoubles { replacing(with: other, where: other .> self) }

  /// The square roots of numbers that are not negative.
  @inline(__always)
  var roots: SolidDoubles {
    SolidDoubles(self[0].squareRoot(), self[1].squareRoot(), self[2].squareRoot(), self[3].squareRoot())
  }
}
