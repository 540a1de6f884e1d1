import FileFormats
import Geometry
import Imaging

/// The depths in and around a detection, cell by cell, with the share of each that the mask covers.
struct SurfaceGrid {
  /// Points a cell and axis at which the mask is asked.
  private static let probes = 4
  /// Cells around the mask, as a share of its longer side, and at least.
  private static let surroundings = (share: 0.4, least: 10)
  /// An object of which the sensor reads a smaller share is measured on fused depth.
  private static let leastRead = 0.2
  /// Below this share of valid neighbors readings are sparse, and fused depth fills in.
  private static let leastDensity = 0.75
  /// Relative noise of a sensor is taken to lie within these.
  private static let plausibleNoise = 2e-4...2e-2
  /// A cell ends somewhere between two readings.
  private static let leastDoubt = 0.5
  /// Number of neighborhoods of an object from which its scatter is half of their error.
  private static let neighborhoods = 3.0
  /// Boxes and masks that end this near to the border of the picture, as a share of its longer side, are cut by it: a
  /// detector places them no better.
  private static let borderShare = 0.005

  /// Columns.
  let width: Int
  /// Rows.
  let height: Int
  /// 1 / Z of each cell, NaN where there is no reading.
  let inverse: [Double]
  /// Which cells the sensor itself reads.
  let isRead: CellSet
  /// The share of the mask's cells that it does not read, but for those at its edge where the sensor is unsure of any object.
  let unreadShare: Double
  /// World points, NaN where there is no reading.
  let points: [Point3<World>]
  /// World displacement for each meter of planar depth.
  let rays: [Vector3<World>]
  /// Share of each cell that the mask covers.
  let coverage: [Double]
  /// Where the camera stands.
  let camera: Point3<World>
  /// Width of a cell at a depth of 1 m, meters: the larger of both sides.
  let pitch: Double
  /// Standard deviation of planar depth over planar depth from cell to cell, found on the object's own surface.
  let noise: Double
  /// Errors that neighbors share and that the whole frame shares, over planar depth; from the sensor's model, since no
  /// single frame shows them.
  let alike: SensorErrors.Relative
  /// Standard deviation of planar depth about a face over planar depth.
  ///
  /// It is the noise, and as much of what neighbors share as differs over the object: a face within one neighborhood is displaced
  /// by that as a whole, and does not scatter.
  let scatter: Double
  /// Cells over which neighbors err alike.
  let correlationLength: Double
  /// Standard deviation of the place of a step, cells.
  let edgeShift: Double
  /// Distance in cells within which a surface's end is seen: steps are spread and displaced.
  let edgeDoubt: Double

  /// Whether steps are spread over more than the cell in which they lie.
  var blursSteps: Bool { edgeDoubt > Self.leastDoubt }

  private let place: Place
  private let mask: InstanceMask
  private let maskBounds: Rect<ImagePixels>

  /// The depths around `mask`; nil without a sensor or intrinsics, or where the mask covers no cell by half.
  ///
  /// They are the sensor's readings where it reads enough of the object, and else the completed ones.
  init?(_ scene: DepthScene, mask: InstanceMask) {
    guard let readings = scene.readings, let completed = scene.completed, let intrinsics = scene.intrinsics
    else { return nil }
    let grid = readings.grid(over: scene.imageSize)
    let whole = Self.coverage(of: grid, mask)
    let inside = whole.indices.filter { whole[$0] > 0.5 }
    guard let first = inside.first else { return nil }
    let size = grid.cells
    var (minX, maxX, minY, maxY) = (size.width, 0, first / size.width, 0)
    for cell in inside {
      minX = min(minX, cell % size.width)
      maxX = max(maxX, cell % size.width)
      maxY = max(maxY, cell / size.width)
    }
    let longer = Double(max(maxX - minX, maxY - minY))
    let margin = max(Self.surroundings.least, Int(clamping: Self.surroundings.share * longer))
    minX = max(0, minX - margin)
    minY = max(0, minY - margin)
    width = min(size.width, maxX + margin + 1) - minX
    height = min(size.height, maxY + margin + 1) - minY
    place = Place(
      left: minX, top: minY, grid: grid, intrinsics: intrinsics, pose: scene.cameraToWorld)
    self.mask = mask
    maskBounds = mask.bounds
    camera = scene.cameraToWorld.origin
    pitch = grid.pitch(of: intrinsics)

    var inverse: [Double] = []
    var points: [Point3<World>] = []
    var rays: [Vector3<World>] = []
    inverse.reserveCapacity(width * height)
    points.reserveCapacity(width * height)
    rays.reserveCapacity(width * height)
    let (columns, rows) = (minX..<minX + width, minY..<minY + height)
    let covered = rows.flatMap { y in columns.map { whole[y * size.width + $0] } }
    isRead = CellSet(
      width: width, height: height,
      rows.flatMap { y in columns.map { readings.states[$0, y] != .invalid } })
    // Fused depth passes from one surface to another where sensors read nothing, at edges: an object that the sensor reads
    // is measured without it.
    let masked = CellSet(width: width, height: height, covered.map { $0 > 0.5 })
    let read = isRead.intersection(masked)
    let readShare = Double(read.count) / Double(max(masked.count, 1))
    let errors = scene.sensor.errors
    // A sensor that is unsure of its edges leaves those of every object.
    let unsure = Double(errors.edgeConfidence.count * size.width) / Double(errors.columns)
    let within = masked.eroded(Int(clamping: unsure.rounded(.up)))
    unreadShare =
      2 * within.count < masked.count
      ? 1 - readShare : 1 - Double(isRead.intersection(within).count) / Double(max(within.count, 1))
    let isSeen = readShare > Self.leastRead && Self.density(of: read, in: masked) > Self.leastDensity
    let depth = isSeen ? readings : completed
    for y in 0..<height {
      for x in 0..<width {
        let meters = Double(depth.values[minX + x, minY + y])
        let isValid = depth.states[minX + x, minY + y] != .invalid && meters > 0
        let ray = place.ray(place.cell(Double(x), Double(y)))
        inverse.append(isValid ? 1 / meters : .nan)
        rays.append(ray)
        points.append(camera + ray * (isValid ? meters : .nan))
      }
    }
    self.inverse = inverse
    self.points = points
    self.rays = rays
    coverage = covered
    let inner = CellSet(width: width, height: height, coverage.map { $0 > 0.99 }).eroded(1)
    let everywhere = CellSet(width: width, height: height, coverage.map { _ in true })
    let found = Self.noise(inverse, inner) ?? Self.noise(inverse, everywhere) ?? 0
    noise = min(max(found, Self.plausibleNoise.lowerBound), Self.plausibleNoise.upperBound)
    let distance = quantile(masked.members.map { 1 / inverse[$0] }.filter(\.isFinite), 0.5)
    alike = distance.isFinite ? errors.relative(at: distance) : errors.relative(at: 1)
    correlationLength = errors.correlationLength(in: size.width)
    let perColumn = Double(size.width) / Double(errors.columns)
    edgeShift = errors.edgeShift * perColumn
    edgeDoubt = max(Self.leastDoubt, (errors.edgeSpread + errors.edgeShift) * perColumn)
    let patches = Double(masked.count) / (correlationLength * correlationLength)
    let differing = patches / (patches + Self.neighborhoods)
    scatter = (noise * noise + alike.correlated * alike.correlated * differing).squareRoot()
  }

  /// How many of the neighbors in the mask of a cell that is read are read too.
  private static func density(of read: CellSet, in mask: CellSet) -> Double {
    var (near, full) = (0, 0)
    for cell in read.members {
      mask.forEachNeighbor(of: cell) { other, _, _ in
        guard mask[other] else { return }
        near += 1
        if read[other] { full += 1 }
      }
    }
    return Double(full) / Double(max(near, 1))
  }

  /// Planar depth of a cell, NaN where there is no reading.
  func meters(_ cell: Int) -> Double { 1 / inverse[cell] }

  /// The place of the depth map a number of steps of (`dx`, `dy`) from a cell's center.
  func place(_ cell: Int, steps: Double = 0, _ dx: Int = 0, _ dy: Int = 0) -> Point2<DepthCells> {
    place.cell(Double(cell % width) + steps * Double(dx), Double(cell / width) + steps * Double(dy))
  }

  /// The world displacement for each meter of planar depth at a place of the depth map.
  func ray(_ cell: Point2<DepthCells>) -> Vector3<World> { place.ray(cell) }

  /// Whether the mask holds what is seen at a place of the depth map.
  func isMasked(_ cell: Point2<DepthCells>) -> Bool {
    mask.probability(at: place.grid.pixel(cell)) > 0.5
  }

  /// A cell's usual width where some cells see the object, meters.
  func cellWidth(at cells: [Int]) -> Double { quantile(cells.map { pitch * meters($0) }, 0.5) }

  /// Those of some cells that lie nearest to a border of the picture which the mask reaches, in as many rows or columns, with
  /// the step that leads to that border.
  func cut(_ cells: [Int], rows: Double) -> [BorderStep] {
    let size = mask.imageSize
    let margin = Self.borderShare * Double(max(size.width, size.height))
    let (right, bottom) = (Double(size.width), Double(size.height))
    func nearest(
      _ gap: Double, _ cell: Double, _ dx: Int, _ dy: Int, _ distance: (Point2<ImagePixels>) -> Double
    ) -> [BorderStep] {
      guard gap < margin else { return [] }
      let pixels = cells.map { place.grid.pixel(place($0)) }
      let least = pixels.reduce(Double.infinity) { min($0, distance($1)) }
      return zip(cells, pixels).filter { distance($1) < least + rows * cell }.map {
        BorderStep(cell: $0.0, dx: dx, dy: dy)
      }
    }
    return nearest(maskBounds.minX, place.grid.cellSize.x, -1, 0) { $0.x }
      + nearest(maskBounds.minY, place.grid.cellSize.y, 0, -1) { $0.y }
      + nearest(right - maskBounds.maxX, place.grid.cellSize.x, 1, 0) { right - $0.x }
      + nearest(bottom - maskBounds.maxY, place.grid.cellSize.y, 0, 1) { bottom - $0.y }
  }

  /// Where the cells lie on the picture and how the camera sees them.
  private struct Place {
    let left: Int
    let top: Int
    let grid: DepthGrid
    let intrinsics: Intrinsics
    let pose: RigidTransform<CameraARKit, World>

    /// A place counted in cell centers from the first cell.
    func cell(_ column: Double, _ row: Double) -> Point2<DepthCells> {
      Point2(Double(left) + column + 0.5, Double(top) + row + 0.5)
    }

    func ray(_ cell: Point2<DepthCells>) -> Vector3<World> {
      pose.apply(grid.ray(cell, of: intrinsics))
    }
  }

  private static func coverage(of grid: DepthGrid, _ mask: InstanceMask) -> [Double] {
    let (width, height) = (grid.cells.width, grid.cells.height)
    let offsets = (0..<probes).map { (Double($0) + 0.5) / Double(probes) }
    let bounds = mask.bounds
    let first = grid.cell(Point2(bounds.minX, bounds.minY))
    let last = grid.cell(Point2(bounds.maxX, bounds.maxY))
    let rows = min(height, max(0, Int(clamping: first.y)))..<height
    let columns = min(width, max(0, Int(clamping: first.x)))..<width
    let across = columns.flatMap { x in
      offsets.map { grid.pixel(Point2(Double(x) + $0, 0)).x }
    }
    return Parallel.rows(height, width: width, threads: Parallel.teamThreads) { range, coverage in
      for index in coverage.indices { coverage[index] = 0 }
      for y in rows.clamped(to: range) where Double(y) < last.y {
        let lines = offsets.map { down in
          mask.isSet(across, inRow: grid.pixel(Point2(0, Double(y) + down)).y)
        }
        for x in columns where Double(x) < last.x {
          var set = 0
          let start = (x - columns.lowerBound) * probes
          for line in lines { for probe in 0..<probes where line[start + probe] { set += 1 } }
          coverage[(y - range.lowerBound) * width + x] = Double(set) / Double(probes * probes)
        }
      }
    }
  }

  /// Relative noise from second differences of inverse depth, which vanish on planes: their standard deviation is
  /// sqrt(6) times that of a reading, estimated by 1.4826 times the median; nil for too few.
  private static func noise(_ inverse: [Double], _ cells: CellSet) -> Double? {
    var differences: [Double] = []
    for cell in cells.members {
      let (x, y) = (cell % cells.width, cell / cells.width)
      for (step, isInside) in [
        (1, x > 0 && x < cells.width - 1), (cells.width, y > 0 && y < cells.height - 1),
      ]
      where isInside && cells[cell - step] && cells[cell + step] {
        let difference = (inverse[cell - step] - 2 * inverse[cell] + inverse[cell + step]) / inverse[cell]
        if difference.isFinite { differences.append(abs(difference)) }
      }
    }
    return differences.count > 20 ? 1.4826 * quantile(differences, 0.5) / 6.0.squareRoot() : nil
  }
}

/// A step from a cell towards the border of the picture or of the sensor's field.
struct BorderStep: Hashable {
  let cell: Int
  let dx: Int
  let dy: Int
}
