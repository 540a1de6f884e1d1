import FileFormats
import Geometry

/// The costs of several solids that differ in one number, over the cells of which they make different things.
extension SolidLikelihood {
  /// Fewer cells and solids at once are not worth a second thread.
  private static let leastShared = 20_000

  /// The costs of several solids over the cells of which `ends`, and so all between, make different things.
  func costs<Solid: FittedSolid>(_ solids: [Solid], apart ends: [Solid]) -> [Double] {
    typealias Lanes = Solid.Rays.Lanes
    let cells = affected(by: ends)
    let lanes = Lanes(solids.map { $0.rays(from: camera) })
    let bound = bound
    let seen = cells.map { cell in
      (aim: lanes.aim(cell.ray, before: cell.support), weighed: weighed(cell, within: bound))
    }
    let noise = zip(deviations, peaks).map { SIMD2($0, $1) }
    let threads = cells.count * solids.count < Self.leastShared ? 1 : Parallel.teamThreads
    let costs: [SolidDoubles] = Parallel.rows(lanes.groups.count, width: 1, threads: threads) {
      range, costs in
      let (groups, seen, noise) = (lanes.groups.span, seen.span, noise.span)
      for index in range {
        let group = groups[index]
        var sum = SolidDoubles.zero
        // Neighbors are mostly alike.
        var isNear = false
        for cell in seen.indices {
          let (aim, weighed) = seen[cell]
          if !isNear {
            let hits = lanes.meets(aim, group, isMarked: false, noise)
            isNear = weighed.isNear(hits)
            if !isNear {
              let on = SolidDoubles(repeating: weighed.on)
              sum += SolidDoubles(repeating: weighed.besides).replacing(with: on, where: hits.isMet)
              continue
            }
          }
          let hits = lanes.meets(aim, group, isMarked: true, noise)
          sum += weighed.cost(hits)
          isNear = weighed.isNear(hits)
        }
        costs[index - range.lowerBound] = sum
      }
    }
    return solids.indices.map { costs[$0 / Lanes.width][$0 % Lanes.width] }
  }

  /// The cells of which some solids, four at most, make different things.
  private func affected<Solid: FittedSolid>(by solids: [Solid]) -> [Cell] {
    let lanes = Solid.Rays.Lanes(solids.map { $0.rays(from: camera) })
    let group = lanes.groups[0]
    let faces = (0..<SolidFace.count).map { SIMD2(Double($0), 0) }
    return cells.filter { cell in
      let hits = lanes.meets(lanes.aim(cell.ray, before: cell.support), group, isMarked: true, faces.span)
      guard hits.isMet[0] else { return any(hits.isMet) }
      return !all(hits.isMet .& (hits.meters .== hits.meters[0]) .& (hits.first .== hits.first[0]))
    }
  }

  /// A cell's costs but for a reading near a face.
  private struct Weighed {
    /// Cost of a ray that passes a solid by.
    let besides: Double
    /// Cost of a ray that meets it, of a reading the most.
    let on: Double
    /// The reading; such that all faces cost the most where there is none.
    var meters = Double.infinity
    /// Depths between which faces may cost less than the most.
    var nearest = Double.infinity
    var farthest = -Double.infinity
    /// Cost of a reading that is nearer than a face by so much that something hides it; nil where nothing can.
    var hidden: Double?

    /// Whether a face may cost less than the most.
    @inline(__always)
    func isNear(_ hits: SolidHits) -> Bool {
      any(hits.isMet .& (hits.meters .>= nearest) .& (hits.meters .<= farthest))
    }

    /// Costs of what is met, whose faces are marked with their deviation and the least cost of a reading.
    @inline(__always)
    func cost(_ hits: SolidHits) -> SolidDoubles {
      let apart = (meters / hits.meters - 1) / hits.first
      var own = (0.5 * apart * apart + hits.second).lesser(SolidDoubles(repeating: on))
      if let hidden {
        let nearest = hits.meters * (1 - SolidLikelihood.hidden.deviations * hits.first)
        own.replace(with: SolidDoubles(repeating: hidden), where: nearest .> meters)
      }
      return SolidDoubles(repeating: besides).replacing(with: own, where: hits.isMet)
    }
  }

  private func weighed(_ cell: Cell, within bound: Double) -> Weighed {
    let besides = cost(cell, hit(cell, nil))
    guard case .reading(_, let meters) = cell.evidence else {
      return Weighed(besides: besides, on: cost(cell, SolidHit(meters: cell.support, face: .top)))
    }
    if cell.beside.isFinite {
      // Faces far from the reading differ too: what is nearer may hide them.
      let other = cost(meters, SolidHit(meters: cell.beside, face: .besides))
      return Weighed(
        besides: besides, on: Self.unexplained.on, meters: meters, nearest: -.infinity, farthest: .infinity,
        hidden: Self.hiddenCost(other))
    }
    return Weighed(
      besides: besides, on: Self.unexplained.on, meters: meters, nearest: meters / (1 + bound),
      farthest: bound < 1 ? meters / (1 - bound) : .infinity)
  }

  /// Distance of a reading from a face, relative to the face's, beyond which it costs the most.
  private var bound: Double {
    let reach = zip(deviations, peaks).map { deviation, peak in
      deviation * (2 * max(0, Self.unexplained.on - peak)).squareRoot()
    }
    // Rounding is less than that.
    return (reach.max() ?? 0) * (1 + 1e-9) + 1e-12
  }
}
