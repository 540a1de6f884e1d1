import FileFormats
import Geometry

extension FittedCylinder.Rays {
  /// Several cylinders seen from one camera.
  struct Lanes: SolidLanes {
    struct Group {
      fileprivate let x: SolidDoubles
      fileprivate let z: SolidDoubles
      fileprivate let radius: SolidDoubles
      /// The square of the camera's distance from the axis in plan, less that of the radius.
      fileprivate let power: SolidDoubles
      fileprivate let top: SolidDoubles
    }

    struct Aim {
      fileprivate let ray: Vector3<World>
      fileprivate let limit: Double
      /// The square of the ray's length in plan.
      fileprivate let square: Double
      /// Depth of the first cylinder's top.
      fileprivate let top: Double
    }

    let groups: [Group]
    /// The first cylinder's top, and whether all have the same.
    private let top: Double
    private let sharesTop: Bool

    init(_ solids: [FittedCylinder.Rays]) {
      let top = solids[0].top
      self.top = top
      sharesTop = solids.allSatisfy { $0.top == top }
      groups = stride(from: 0, to: solids.count, by: Self.width).map { first in
        Group(
          x: Self.lanes(solids, from: first) { $0.x }, z: Self.lanes(solids, from: first) { $0.z },
          radius: Self.lanes(solids, from: first) { $0.radius },
          power: Self.lanes(solids, from: first) { $0.x * $0.x + $0.z * $0.z - $0.radius * $0.radius },
          top: Self.lanes(solids, from: first) { $0.top })
      }
    }

    @inline(__always)
    func aim(_ ray: Vector3<World>, before limit: Double) -> Aim {
      Aim(ray: ray, limit: limit, square: ray.x * ray.x + ray.z * ray.z, top: top / ray.y)
    }

    @inline(__always)
    func meets(_ aim: Aim, _ group: Group, isMarked: Bool, _ marks: Span<SIMD2<Double>>) -> SolidHits {
      let (ray, a) = (aim.ray, aim.square)
      let b = group.x * ray.x + group.z * ray.z
      let root = b * b - a * group.power
      let isReached = (group.radius .> 0) .& (root .> 0)
      guard a > 0, any(isReached) else { return .none }
      // Lanes without a root count for nothing.
      let square = root.greater(.zero)
      let half = square.roots
      let (enter, leave) = ((-b - half) / a, (-b + half) / a)
      let top = sharesTop ? SolidDoubles(repeating: aim.top) : group.top / ray.y
      let below = ray.y < 0 ? top : SolidDoubles.zero.replacing(with: .infinity, where: group.top .< 0)
      let isFromAbove = below .> enter
      let meters = enter.replacing(with: below, where: isFromAbove)
      let end = (ray.y > 0 ? leave.lesser(top) : leave).lesser(SolidDoubles(repeating: aim.limit))
      var hits = SolidHits(meters: meters, isMet: isReached .& (meters .> 0) .& (meters .< end))
      guard isMarked, any(hits.isMet) else { return hits }
      let strip = (square / a).roots / group.radius * FittedCylinder.Rays.strips
      hits.mark(marks[0], where: hits.isMet)
      for face in 1..<Int(clamping: FittedCylinder.Rays.strips) {
        hits.mark(marks[face], where: strip .>= Double(face))
      }
      hits.mark(marks[SolidFace.top.index], where: isFromAbove)
      return hits
    }
  }
}
