import FileFormats
import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The cells of a grid that see the object.
///
/// Well inside the mask they do, well outside they do not; near its edge, where masks err, the surface
/// decides: a cell connected to the inside alone is the object's, one connected to the outside alone is not,
/// and where both reach a cell the mask decides. Cells of the supporting plane and cells between the object
/// and what lies behind it belong to neither.
struct ObjectCells {
  /// Cells on either side of the mask's edge where the mask is not trusted.
  private static let doubtfulCells = 2
  /// Cells beyond those in which an object is seen to touch what it stands on.
  private static let contactCells = 3
  /// Objects lower than this many standard deviations of their cells' heights are smoothed by a 3 x 3 mean.
  private static let lowObject = 8.0
  /// Objects lower than this many of them are too thin to measure well.
  private static let thinObject = 12.0
  /// Parts of an object are no farther apart than this share of the largest part's diagonal.
  private static let partGap = 0.15
  /// Parts with a smaller share of the largest part's cells are noise.
  private static let leastPart = 0.01
  /// Parts farther apart are the object's if they have at least this share of the largest part's cells, lie within its
  /// diagonal and end by themselves: this share of their edge at most continues outside.
  private static let (leastArm, armGap, mostContinued) = (0.05, 1.0, 0.25)
  /// A mask that continues by so much of the height above the readings, with this share of its cells, holds more of the
  /// object.
  private static let (unreadHeight, unreadShare) = (0.1, 0.04)
  /// Quantiles of cells' distances at which an object begins and ends.
  private static let (nearest, farthest) = (0.02, 0.98)
  /// A level surface fills a mask by extending at most so many times as far as it is read.
  private static let mostFilled = 2.0
  /// Share of an object's cells that are its highest, and cells of a mask's upper end that may be strays.
  private static let (highest, strays) = (0.1, 5)
  /// Cells of the ramp between two parts.
  private static let besideCells = 3

  /// The cells that see the object.
  let cells: CellSet
  /// The mask's cells and those within which it may err.
  let near: CellSet
  /// The cells that rise above the supporting plane, or have a reading where there is no plane.
  let raised: CellSet
  /// The plane on which the object stands.
  let support: SupportPlane?
  /// Whether the object hardly rises above the noise of its support.
  let isThin: Bool
  /// The share of the raised cells that lay on other surfaces.
  let discardedShare: Double

  /// Nil where nothing is left.
  init?(_ grid: SurfaceGrid, _ links: SurfaceLinks) {
    func set(_ holds: (Int) -> Bool) -> CellSet {
      CellSet(width: grid.width, height: grid.height, grid.coverage.indices.map(holds))
    }
    let valid = set { !grid.inverse[$0].isNaN }
    let inside = set { grid.coverage[$0] > 0.5 }.intersection(valid)
    let full = set { grid.coverage[$0] > 0.99 }
    var sure = full.eroded(Self.doubtfulCells).intersection(valid)
    if 4 * sure.count < inside.count { sure = full.eroded(1).intersection(valid) }
    if sure.count < ExtentEstimator.minimumPoints { sure = inside }
    guard sure.count >= ExtentEstimator.minimumPoints else { return nil }
    let near = set { grid.coverage[$0] > 0.01 }.dilated(Self.doubtfulCells)
    self.near = near

    let around = near.inverted.intersection(valid)
    let close = near.dilated(Self.contactCells)
    let touching = sure.grown(within: close.intersection(valid), links: links).intersection(around)
    let plane = SupportPlane(
      grid, object: sure, inside: inside, around: around, touching: touching, links: links)
    var rise = Rise(grid, plane, sure)
    // A level above the object, such as the board over its shelf, does not support it.
    let isAbove = sure.members.count(where: rise.isRaised) < ExtentEstimator.minimumPoints
    support = isAbove ? nil : plane
    if isAbove { rise = Rise(grid, nil, sure) }
    isThin = rise.isThin
    raised = set { valid[$0] && rise.isRaised($0) }

    let seed = sure.intersection(raised)
    let own = seed.grown(within: near.intersection(raised), links: links)
    let beyond = near.inverted.intersection(raised)
    let others = beyond.grown(within: sure.inverted.intersection(raised), links: links)
    let candidates = set { own[$0] && (!others[$0] || inside[$0]) }
    guard let kept = Self.largestPart(candidates, grid, links, raised: raised) else { return nil }
    discardedShare = 1 - Double(kept.count) / Double(candidates.count)
    cells = Self.withoutMixed(kept, grid)
    guard cells.count >= ExtentEstimator.minimumPoints else { return nil }
  }

  /// Whether the mask holds a notable share of cells without a reading, or whose readings are not believed, above a height: a
  /// thin back or neck that the sensor does not show.
  ///
  /// - Parameters:
  ///   - grid: The depth around the object.
  ///   - top: The height.
  ///   - length: Length of which it is the end.
  /// - Returns: Whether the object extends higher than its readings.
  func goesOn(_ grid: SurfaceGrid, above top: Double, of length: Double) -> Bool {
    let margin = max(
      Self.unreadHeight * length, Double(Self.doubtfulCells) * grid.cellWidth(at: cells.members))
    let upper = cells.members.filter { grid.points[$0].y > top - margin }
    // As far as the most distant of its upper readings, a ray that leads down is lowest.
    let meters = quantile((upper.isEmpty ? cells.members : upper).map(grid.meters), Self.farthest)
    let within = CellSet(width: grid.width, height: grid.height, grid.coverage.map { $0 > 0.99 })
      .eroded(Self.doubtfulCells)
    let above = within.members.count { cell in
      guard !cells[cell], !grid.isRead[cell] else { return false }
      return (grid.camera + grid.rays[cell] * meters).y > top + margin
    }
    return above >= ExtentEstimator.minimumPoints && Double(above) > Self.unreadShare * Double(within.count)
  }

  /// The height at which the mask ends, as far away as the object's highest readings; nil where a level surface at the top
  /// would fill the mask by extending no more than twice as far as it is read.
  ///
  /// - Parameters:
  ///   - grid: The depth around the object.
  ///   - top: The height of the readings' upper end.
  /// - Returns: The height, meters.
  func maskTop(_ grid: SurfaceGrid, above top: Double) -> Double? {
    let highest = cells.members.sorted { grid.points[$0].y > grid.points[$1].y }
      .prefix(max(ExtentEstimator.minimumPoints, Int(clamping: Self.highest * Double(cells.count))))
    let meters = quantile(highest.map(grid.meters), 0.5)
    func height(_ cell: Int) -> Double { (grid.camera + grid.rays[cell] * meters).y }
    let mask = grid.coverage.indices.filter { grid.coverage[$0] > 0.5 }.sorted { height($0) > height($1) }
    let end = mask[min(Self.strays, mask.count - 1)]
    let (ray, camera) = (grid.rays[end], grid.camera)
    let distances = cells.members.map { hypot(grid.points[$0].x - camera.x, grid.points[$0].z - camera.z) }
    let (near, far) = (quantile(distances, Self.nearest), quantile(distances, Self.farthest))
    if ray.y < 0, top < camera.y {
      let surface = hypot(ray.x, ray.z) * (top - camera.y) / ray.y
      if surface < near + Self.mostFilled * (far - near) { return nil }
    }
    return height(end)
  }

  /// The largest connected part, the parts beside it, and large ones that end where the mask does.
  ///
  /// A mask that leaks holds a part of a surface that continues outside it, and through a hole it holds what is far behind,
  /// with the object all around. An arm of the object that another one partly hides does neither.
  private static func largestPart(
    _ cells: CellSet, _ grid: SurfaceGrid, _ links: SurfaceLinks, raised: CellSet
  ) -> CellSet? {
    let parts = cells.parts(links: links)
    guard let largest = parts.max(by: { $0.count < $1.count }) else { return nil }
    var result = set(largest, like: cells)
    let beside = result.dilated(besideCells)
    let bounds = Bounds(largest.map { grid.points[$0] })
    let least = max(4, Int(clamping: leastPart * Double(largest.count)))
    for part in parts where part.count >= least {
      let gap = part.reduce(Double.infinity) { min($0, bounds.distance(to: grid.points[$1])) }
      let isLarge = Double(part.count) >= leastArm * Double(largest.count)
      let isNear = gap < partGap * bounds.diagonal
      guard isNear || isLarge && gap < armGap * bounds.diagonal && isArm(part, beside, links, raised) else {
        continue
      }
      for cell in part { result[cell] = true }
    }
    return result
  }

  /// Whether a part ends by itself, along most of its edge away from the largest part.
  private static func isArm(_ part: [Int], _ beside: CellSet, _ links: SurfaceLinks, _ raised: CellSet)
    -> Bool
  {
    let own = set(part, like: raised)
    var (away, near, continued) = (0, 0, 0)
    for cell in part {
      raised.forEachNeighbor(of: cell) { outer, _, _ in
        guard !own[outer] else { return }
        if beside[outer] { near += 1 } else { away += 1 }
        if raised[outer], links.joins(cell, outer) { continued += 1 }
      }
    }
    return away > near && Double(continued) < mostContinued * Double(away)
  }

  private static func set(_ members: [Int], like cells: CellSet) -> CellSet {
    var result = CellSet(width: cells.width, height: cells.height, cells.elements.map { _ in false })
    for cell in members { result[cell] = true }
    return result
  }

  /// Without the cells at the edge whose reading lies between the object and what is behind it.
  private static func withoutMixed(_ cells: CellSet, _ grid: SurfaceGrid) -> CellSet {
    var result = cells
    for cell in cells.elements.indices where cells[cell] {
      cells.forEachNeighbor(of: cell) { outer, dx, dy in
        guard !cells[outer], !grid.inverse[outer].isNaN else { return }
        let inner = Outline.step(from: cell, -dx, -dy, in: cells)
        let innermost = inner.flatMap { Outline.step(from: $0, -dx, -dy, in: cells) }
        guard let inner, let innermost, cells[inner], cells[innermost] else { return }
        let predicted = 2 * grid.inverse[inner] - grid.inverse[innermost]
        guard predicted > 0 else { return }
        let meters = 1 / predicted
        let gap = grid.meters(outer) - meters
        let deviation = grid.meters(cell) - meters
        if gap > 6 * grid.noise * meters + 1.5 * grid.pitch * meters, deviation > 0.12 * gap,
          deviation > 3 * 2.45 * grid.noise * meters
        {
          result[cell] = false
        }
      }
    }
    return result
  }

  /// Which cells rise above the supporting plane.
  private struct Rise {
    private let elevations: [Double]
    private let thresholds: [Double]
    let isThin: Bool

    init(_ grid: SurfaceGrid, _ support: SupportPlane?, _ sure: CellSet) {
      guard let support else {
        elevations = []
        thresholds = []
        isThin = false
        return
      }
      let raw = grid.points.map { support.elevation($0) }
      let members = sure.members
      let middle = quantile(members.map { raw[$0] }, 0.5)
      let noise = quantile(members.map { SupportPlane.noise(grid, $0) }, 0.5)
      if middle < ObjectCells.lowObject * noise {
        // Heights through a mean: the object ends where it falls below one half.
        elevations = Self.smoothed(raw, from: -middle, to: 2 * middle, grid)
        thresholds = raw.map { _ in middle / 2 }
      } else {
        elevations = raw
        thresholds = raw.indices.map { min(3 * SupportPlane.noise(grid, $0) + 0.001, middle / 2) }
      }
      isThin = middle < ObjectCells.thinObject * noise
    }

    func isRaised(_ cell: Int) -> Bool { elevations.isEmpty || elevations[cell] > thresholds[cell] }

    private static func smoothed(_ raw: [Double], from low: Double, to high: Double, _ grid: SurfaceGrid)
      -> [Double]
    {
      raw.indices.map { cell in
        let (x, y) = (cell % grid.width, cell / grid.width)
        var sum = 0.0
        var count = 0.0
        for row in max(0, y - 1)...min(grid.height - 1, y + 1) {
          for column in max(0, x - 1)...min(grid.width - 1, x + 1) {
            let value = raw[row * grid.width + column]
            guard !value.isNaN else { continue }
            sum += min(max(value, low), high)
            count += 1
          }
        }
        return count == 0 ? .nan : sum / count
      }
    }
  }

  /// A box along the world's axes.
  private struct Bounds {
    private var low = SIMD3(repeating: Double.infinity)
    private var high = SIMD3(repeating: -Double.infinity)

    init(_ points: [Point3<World>]) {
      for point in points {
        let place = SIMD3(point.x, point.y, point.z)
        low = pointwiseMin(low, place)
        high = pointwiseMax(high, place)
      }
    }

    var diagonal: Double { length(high - low) }

    func distance(to point: Point3<World>) -> Double {
      let place = SIMD3(point.x, point.y, point.z)
      return length(pointwiseMax(pointwiseMax(low - place, place - high), SIMD3(repeating: 0)))
    }

    private func length(_ v: SIMD3<Double>) -> Double { (v * v).sum().squareRoot() }
  }
}
