import FileFormats
import Geometry

extension FittedBall.Rays {
  /// Several balls seen from one camera.
  struct Lanes: SolidLanes {
    struct Group {
      fileprivate let x: SolidDoubles
      fileprivate let y: SolidDoubles
      fileprivate let z: SolidDoubles
      fileprivate let radius: SolidDoubles
      /// The square of the camera's distance from the middle, less that of the radius.
      fileprivate let power: SolidDoubles
    }

    struct Aim {
      fileprivate let ray: Vector3<World>
      fileprivate let limit: Double
      fileprivate let square: Double
    }

    let groups: [Group]

    init(_ solids: [FittedBall.Rays]) {
      groups = stride(from: 0, to: solids.count, by: Self.width).map { first in
        Group(
          x: Self.lanes(solids, from: first) { $0.start.x },
          y: Self.lanes(solids, from: first) { $0.start.y },
          z: Self.lanes(solids, from: first) { $0.start.z },
          radius: Self.lanes(solids, from: first) { $0.radius },
          power: Self.lanes(solids, from: first) { $0.start.dot($0.start) - $0.radius * $0.radius })
      }
    }

    @inline(__always)
    func aim(_ ray: Vector3<World>, before limit: Double) -> Aim {
      Aim(ray: ray, limit: limit, square: ray.dot(ray))
    }

    @inline(__always)
    func meets(_ aim: Aim, _ group: Group, isMarked: Bool, _ marks: Span<SIMD2<Double>>) -> SolidHits {
      let (ray, a) = (aim.ray, aim.square)
      let b = group.x * ray.x + group.y * ray.y + group.z * ray.z
      let root = b * b - a * group.power
      let isReached = (group.radius .> 0) .& (root .> 0)
      guard a > 0, any(isReached) else { return .none }
      // Lanes without a root count for nothing.
      let square = root.greater(.zero)
      let meters = (-b - square.roots) / a
      var hits = SolidHits(
        meters: meters, isMet: isReached .& (meters .> 0) .& (meters .< SolidDoubles(repeating: aim.limit)))
      guard isMarked, any(hits.isMet) else { return hits }
      let ring = (square / a).roots / group.radius * FittedBall.Rays.rings
      hits.mark(marks[0], where: hits.isMet)
      for face in 1..<Int(clamping: FittedBall.Rays.rings) {
        hits.mark(marks[face], where: ring .>= Double(face))
      }
      return hits
    }
  }
}
