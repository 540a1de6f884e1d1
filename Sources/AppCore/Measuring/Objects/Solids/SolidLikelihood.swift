import FileFormats
import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How likely a camera's readings are where a solid stands on its support.
///
/// Every cell sees one of the solid's faces or what is around it; its reading scatters about the depth at which its ray
/// meets that. Readings that neither explains (cells between two surfaces, things beside the object) count the same wherever
/// they lie: the density is a normal one and a constant. Where the mask is exact, rays on either side of its edge say
/// also whether they meet the object; where there is no reading, the mask says how likely a ray is to.
struct SolidLikelihood {
  /// Minus the logarithm of the density, over relative depth, of a reading that the solid does not explain where it is hit,
  /// and of one that the support does not explain beside it.
  static let unexplained = (on: 4.0, beside: 3.0)
  /// The same of a ray beside an exact mask's edge that meets what it should not.
  private static let contradicted = 3.0
  /// Standard deviations by which a reading is nearer than a solid that something hides, and the cost of being hidden.
  static let hidden = (deviations: 8.0, cost: 0.7)
  /// Length in cells over which a mask's errors are alike.
  private static let alike = 8.0
  /// The noise of a face is that of the readings within this many usual deviations, if there are enough.
  private static let near = (white: 12.0, all: 4.0)
  private static let leastFace = 20
  /// Cosines of incidence below this are that of a face seen edge-on.
  private static let grazing = 0.05
  /// Readings within this many standard deviations are explained.
  private static let explained = 3.5

  struct Cell {
    /// The observation along a ray.
    enum Evidence {
      /// A reading: the cell's index in the grid, and planar depth.
      case reading(index: Int, meters: Double)
      /// Beside the edge of an exact mask: whether it meets the object.
      case edge(isObject: Bool)
      /// No reading: minus the logarithms of the mask's probability that it meets the object, and that it does not.
      case unread(hit: Double, missed: Double)
    }

    let ray: Vector3<World>
    let evidence: Evidence
    /// Planar depth of the support, infinite where the ray doesn't meet it.
    let support: Double
    /// Planar depth of what else may be seen beside the solid, infinite where there is nothing.
    let beside: Double
  }

  private(set) var cells: [Cell]
  let camera: Point3<World>
  /// Relative standard deviations of each face's readings.
  var deviations: [Double] {
    didSet { peaks = deviations.map(Self.peak) }
  }
  /// The least cost of a reading of each face.
  var peaks: [Double]

  /// - `beside`: As `Surroundings.meters`.
  /// - `edges`: Rays beside an exact mask's edge, and whether they meet the object.
  /// - `unread`: Rays without a reading, and the mask's probability that they meet the object.
  init(
    _ grid: SurfaceGrid, support: SupportPlane, beside: [Double], cells: [Int],
    edges: [(ray: Vector3<World>, isObject: Bool)],
    unread: [(ray: Vector3<World>, probability: Double)]
  ) {
    camera = grid.camera
    let above = support.elevation(grid.camera)
    func cell(_ ray: Vector3<World>, _ evidence: Cell.Evidence, beside: Double = .infinity) -> Cell {
      let fall = -support.climb(ray)
      return Cell(ray: ray, evidence: evidence, support: fall > 0 ? above / fall : .infinity, beside: beside)
    }
    self.cells =
      cells.map { cell(grid.rays[$0], .reading(index: $0, meters: grid.meters($0)), beside: beside[$0]) }
      + edges.map { cell($0.ray, .edge(isObject: $0.isObject)) }
      + unread.map {
        let (hit, missed) = (-log($0.probability), -log(1 - $0.probability))
        return cell($0.ray, .unread(hit: hit / Self.alike, missed: missed / Self.alike))
      }
    deviations = [Double](repeating: grid.scatter, count: SolidFace.count)
    peaks = deviations.map(Self.peak)
  }

  /// Minus the logarithm of the normal density's greatest value.
  private static func peak(_ deviation: Double) -> Double { log(deviation * (2 * Double.pi).squareRoot()) }

  /// The same of fewer cells.
  func thinned(to count: Int) -> SolidLikelihood {
    var fewer = self
    let step = max(1, cells.count / count)
    fewer.cells = stride(from: 0, to: cells.count, by: step).map { cells[$0] }
    return fewer
  }

  /// Minus the logarithm of the density of all readings.
  func cost(_ solid: some FittedSolid) -> Double {
    let rays = solid.rays(from: camera)
    return cells.reduce(0) { $0 + cost($1, met($1, rays)) }
  }

  /// Cost of a box with one of several parts missing more, less its cost as it is.
  ///
  /// Only rays that enter the box in a notch make a difference.
  func changes(of box: FittedBox, by notches: [Notch]) -> [Double] {
    let rays = box.rays(from: camera)
    let entered = cells.compactMap { cell -> (cell: Cell, entry: FittedBox.Rays.Entry, cost: Double)? in
      guard let entry = rays.entry(cell.ray, before: cell.support) else { return nil }
      return (cell, entry, cost(cell, hit(cell, rays.pastNotches(entry))))
    }
    let (through, solid) = (
      entered.filter { $0.entry.hit != rays.pastNotches($0.entry) },
      entered.filter { $0.entry.hit == rays.pastNotches($0.entry) }
    )
    let places = solid.map { rays.place(of: $0.entry) }
    return Parallel.map(notches.count) { index in
      let notch = notches[index]
      var tried = box
      tried.notches.append(notch)
      let rays = tried.rays(from: camera)
      let own = Notch(reaches: notch.reaches, floor: notch.floor - camera.y)
      func change(_ ray: (cell: Cell, entry: FittedBox.Rays.Entry, cost: Double)) -> Double {
        cost(ray.cell, hit(ray.cell, rays.pastNotches(ray.entry))) - ray.cost
      }
      var sum = through.reduce(0) { $0 + change($1) }
      let entries = places.span
      for place in entries.indices where entries[place].isOpen(own) { sum += change(solid[place]) }
      return sum
    }
  }

  @inline(__always)
  private func met(_ cell: Cell, _ rays: some SolidRays) -> SolidHit {
    hit(cell, rays.meets(cell.ray, before: cell.support))
  }

  /// Surface that a ray meets: the solid, or its surroundings.
  @inline(__always)
  func hit(_ cell: Cell, _ solid: SolidHit?) -> SolidHit {
    solid ?? SolidHit(meters: cell.support, face: .besides)
  }

  @inline(__always)
  func cost(_ cell: Cell, _ met: SolidHit) -> Double {
    switch cell.evidence {
    case .unread(let hit, let missed): return met.face == .besides ? missed : hit
    case .edge(let isObject): return isObject == (met.face != .besides) ? 0 : Self.contradicted
    case .reading(_, let meters):
      guard cell.beside.isFinite else { return cost(meters, met) }
      let other = cost(meters, SolidHit(meters: cell.beside, face: .besides))
      if met.face == .besides { return min(cost(meters, met), other) }
      // What is clearly nearer may hide the solid; what is hardly so is where it ends.
      let hidden = met.meters * (1 - Self.hidden.deviations * deviations[met.face.index])
      return meters < hidden ? Self.hiddenCost(other) : cost(meters, met)
    }
  }

  /// The cost of a reading of what hides the solid, where it costs `other` beside the solid.
  @inline(__always)
  static func hiddenCost(_ other: Double) -> Double { min(other + hidden.cost, unexplained.on) }

  /// The cost of a reading of a surface that a ray meets.
  @inline(__always)
  func cost(_ meters: Double, _ met: SolidHit) -> Double {
    let limit = met.face == .besides ? Self.unexplained.beside : Self.unexplained.on
    guard met.meters.isFinite else { return limit }
    let apart = (meters / met.meters - 1) / deviations[met.face.index]
    return min(0.5 * apart * apart + peaks[met.face.index], limit)
  }

  /// Relative distances from a face within which readings are taken for its own.
  private static func near(_ usual: SolidReadings.Noise) -> Double {
    max(near.white * usual.white, near.all * usual.all)
  }

  /// Takes each face's noise from its readings' own scatter about the solid.
  mutating func measureNoise(_ solid: some FittedSolid, usual: SolidReadings.Noise) {
    let rays = solid.rays(from: camera)
    var apart = [[Double]](repeating: [], count: SolidFace.count)
    for cell in cells {
      guard case .reading(_, let meters) = cell.evidence else { continue }
      let met = met(cell, rays)
      let off = abs(meters / met.meters - 1)
      if met.meters.isFinite, off < Self.near(usual) { apart[met.face.index].append(off) }
    }
    deviations = apart.map {
      $0.count < Self.leastFace
        ? usual.all
        : min(max(1.4826 * quantile($0, 0.5), 0.3 * usual.white), max(6 * usual.white, 2 * usual.all))
    }
  }

  /// How much rougher than noise the roughest face of a solid is.
  ///
  /// Noise grows as one over the cosine of incidence.
  ///
  /// - Parameters:
  ///   - solid: The solid.
  ///   - usual: How the object's readings scatter.
  /// - Returns: How many times as much as noise alone a face's readings scatter about it at most: 1 where the solid is
  ///   right, more where a surface curves away from its face.
  func roughness(_ solid: some FittedSolid, usual: SolidReadings.Noise) -> Double {
    let rays = solid.rays(from: camera)
    var faces = [[(off: Double, slant: Double)]](repeating: [], count: SolidFace.count)
    for cell in cells {
      guard case .reading(_, let meters) = cell.evidence else { continue }
      let met = met(cell, rays)
      guard met.face != .besides, abs(meters / met.meters - 1) < Self.near(usual)
      else { continue }
      faces[met.face.index].append(
        (abs(meters / met.meters - 1), 1 / max(rays.incidence(cell.ray, on: met.face), Self.grazing)))
    }
    let all = faces.joined()
    let slant = all.reduce(0) { $0 + $1.slant } / Double(max(all.count, 1))
    return faces.filter { $0.count >= Self.leastFace && 20 * $0.count >= all.count }.map { face in
      let scatter = 1.4826 * quantile(face.map(\.off), 0.5)
      return scatter / usual.all * slant * Double(face.count) / face.reduce(0) { $0 + $1.slant }
    }.max() ?? 0
  }

  /// The share of the cells on the solid that it explains, or that of `object`'s cells which lie on it and are explained,
  /// whichever is less.
  func explained(_ solid: some FittedSolid, object: CellSet) -> Double {
    let rays = solid.rays(from: camera)
    var (hit, right, own, ownRight) = (0, 0, 0, 0)
    for cell in cells {
      guard case .reading(let index, let meters) = cell.evidence else { continue }
      let met = met(cell, rays)
      let isOn = met.face != .besides
      let isRight =
        isOn && abs(meters / met.meters - 1) < Self.explained * deviations[met.face.index]
      if isOn { hit += 1 }
      if isRight { right += 1 }
      guard object[index] else { continue }
      own += 1
      if isRight { ownRight += 1 }
    }
    return min(Double(right) / Double(max(hit, 1)), Double(ownRight) / Double(max(own, 1)))
  }
}
