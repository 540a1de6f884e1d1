import Geometry
import Glibc

/// An upright box on a supporting plane, as it is fitted.
struct FittedBox {
  /// From world x towards world z.
  var turn: Double
  /// How far it reaches along and against its first direction, then the second: the order of `UprightSearch.sides`.
  var reaches: [Double]
  /// The height of its top.
  var top: Double
}

/// What a box on its support makes of a camera's rays, and how likely the readings then are.
///
/// Every cell sees one of the box's faces or what is around the box; its reading scatters about the depth at which its ray
/// meets that. Readings that neither explains (cells between two surfaces, things beside the object) count the same wherever
/// they lie: the density is a normal one and a constant.
struct BoxLikelihood {
  /// Minus the logarithm of the density, over relative depth, of a reading that the box does not explain where it is hit,
  /// and of one that the support does not explain beside it.
  private static let unexplained = (on: 4.0, beside: 3.0)
  /// Readings within so many standard deviations are explained.
  private static let explained = 3.5

  /// What a ray meets: sides by their index in `FittedBox.reaches`, then these.
  static let topFace = 4
  static let besides = 5

  struct Cell {
    let index: Int
    let ray: Vector3<World>
    let meters: Double
    /// Planar depth of the support, infinite where the ray doesn't meet it.
    let support: Double
  }

  let cells: [Cell]
  private let camera: Point3<World>
  /// Relative standard deviations of each face's readings.
  private(set) var deviations: [Double]

  init(_ grid: SurfaceGrid, support: SupportPlane, cells: [Int]) {
    camera = grid.camera
    let above = support.elevation(grid.camera)
    self.cells = cells.map { cell in
      let fall = -support.climb(grid.rays[cell])
      return Cell(
        index: cell, ray: grid.rays[cell], meters: grid.meters(cell),
        support: fall > 0 ? above / fall : .infinity)
    }
    deviations = [Double](repeating: grid.noise, count: 6)
  }

  /// A box turned into the rays' terms.
  struct Prepared {
    let cosine: Double
    let sine: Double
    let reaches: [Double]
    let start: (along: Double, across: Double)
    /// The top's height above the camera.
    let top: Double
  }

  func prepared(_ box: FittedBox) -> Prepared {
    let (c, s) = (cos(box.turn), sin(box.turn))
    return Prepared(
      cosine: c, sine: s, reaches: box.reaches,
      start: (c * camera.x + s * camera.z, c * camera.z - s * camera.x), top: box.top - camera.y)
  }

  /// The planar depth that a cell's ray goes, and what it meets there.
  @inline(__always)
  func meets(_ cell: Cell, _ box: Prepared) -> (meters: Double, face: Int) {
    let ray = cell.ray
    var (enter, leave, face) = (0.0, Double.infinity, Self.besides)
    func cut(_ start: Double, _ rate: Double, _ high: Double, _ low: Double, _ faces: (Int, Int)) {
      if rate == 0 {
        if start > high || start < low { leave = -1 }
        return
      }
      let (a, b) = ((high - start) / rate, (low - start) / rate)
      if min(a, b) > enter { (enter, face) = (min(a, b), rate < 0 ? faces.0 : faces.1) }
      leave = min(leave, max(a, b))
    }
    cut(box.start.along, box.cosine * ray.x + box.sine * ray.z, box.reaches[0], -box.reaches[1], (0, 1))
    cut(box.start.across, box.cosine * ray.z - box.sine * ray.x, box.reaches[2], -box.reaches[3], (2, 3))
    if ray.y < 0 {
      let below = box.top / ray.y
      if below > enter { (enter, face) = (below, Self.topFace) }
    } else if box.top < 0 || (ray.y == 0 && box.top < 0) {
      return (cell.support, Self.besides)
    } else if ray.y > 0 {
      leave = min(leave, box.top / ray.y)
    }
    return face != Self.besides && enter < leave && enter < cell.support
      ? (enter, face) : (cell.support, Self.besides)
  }

  /// Minus the logarithm of a reading's density.
  @inline(__always)
  func cost(_ cell: Cell, _ met: (meters: Double, face: Int)) -> Double {
    let limit = met.face == Self.besides ? Self.unexplained.beside : Self.unexplained.on
    guard met.meters.isFinite else { return limit }
    let deviation = deviations[met.face]
    let apart = (cell.meters / met.meters - 1) / deviation
    return min(0.5 * apart * apart + log(deviation * 2.5066), limit)
  }

  func cost(_ box: FittedBox) -> Double {
    let prepared = prepared(box)
    return cells.reduce(0) { $0 + cost($1, meets($1, prepared)) }
  }

  /// The cells of which a family of boxes, each holding the one before, makes different things.
  func affected(_ least: FittedBox, _ greatest: FittedBox) -> [Cell] {
    let (first, last) = (prepared(least), prepared(greatest))
    return cells.filter {
      let (a, b) = (meets($0, first), meets($0, last))
      return a.meters != b.meters || a.face != b.face
    }
  }

  /// Takes each face's noise from its readings' own scatter about the box.
  mutating func measureNoise(_ box: FittedBox, usual: Double) {
    let prepared = prepared(box)
    var apart = [[Double]](repeating: [], count: 6)
    for cell in cells {
      let met = meets(cell, prepared)
      let off = abs(cell.meters / met.meters - 1)
      if met.meters.isFinite, off < 12 * usual { apart[met.face].append(off) }
    }
    for face in apart.indices {
      deviations[face] =
        apart[face].count < 20
        ? usual : min(max(1.4826 * quantile(apart[face], 0.5), 0.3 * usual), 6 * usual)
    }
  }

  /// The share of the cells on the box that it explains, or that of `object`'s cells which lie on it and are explained,
  /// whichever is less.
  func explained(_ box: FittedBox, object: CellSet) -> Double {
    let prepared = prepared(box)
    var (hit, right, own, ownRight) = (0, 0, 0, 0)
    for cell in cells {
      let met = meets(cell, prepared)
      let isOn = met.face != Self.besides
      let isRight = isOn && abs(cell.meters / met.meters - 1) < Self.explained * deviations[met.face]
      if isOn { hit += 1 }
      if isRight { right += 1 }
      guard object[cell.index] else { continue }
      own += 1
      if isRight { ownRight += 1 }
    }
    return min(Double(right) / Double(max(hit, 1)), Double(ownRight) / Double(max(own, 1)))
  }
}
