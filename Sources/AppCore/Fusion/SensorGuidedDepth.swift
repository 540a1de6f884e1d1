import FileFormats
import Geometry
import Imaging

/// Metric depth that keeps to the sensor wherever it reads nearby, and takes from relative depth on which side of
/// an edge a point lies and what shape the surface has between readings.
///
/// Each point is the mean of the four cells around it, weighted bilinearly and by how well the guide there agrees with
/// that at the point, each corrected by the guide's difference as long as that is small. Where none agrees, the guide
/// alone answers, scaled to the four. All inverse depths are in 1/m.
struct SensorGuidedDepth {
  /// Relative difference of the guide at which a cell's weight is 4/9, and 8/9 of it are passed on.
  static let agreement: Float = 0.03
  /// The weight of the scaled guide, against 1 for cells that agree.
  static let scaledWeight: Float = 1e-3
  /// Where the cells' weights sum to less, the point lies on none of their surfaces.
  static let leastWeight: Float = 0.02

  /// The pixels that are computed at once.
  private typealias Lanes = SIMD8<Float>
  private static let lanes = 8

  /// Cells under a block of pixels in a row of cells: of each pixel the one to the left and that to the right.
  private struct Beside {
    var leftGuide = Lanes.zero
    var rightGuide = Lanes.zero
    var leftInverse = Lanes.zero
    var rightInverse = Lanes.zero
  }

  /// Pixels of a block from one on that lie between the same two cells.
  private struct Run {
    let first: Int
    let second: Int
    let pixels: SIMDMask<SIMD8<Int32>>
  }

  private let alignment: DepthAlignment
  private let relative: Plane<Float>
  private let cells: GuidedCells
  private let rows: [CellPair]
  /// The nearest column of cells to each column of pixels.
  private let nearestColumns: [Int]
  private let fractions: [Lanes]
  /// Those of all blocks, and where each block's begin.
  private let runs: [Run]
  private let starts: [Int]

  init(_ alignment: DepthAlignment, _ relative: RelativeDepth, cells: GuidedCells) {
    self.alignment = alignment
    self.relative = relative.values
    self.cells = cells
    let width = relative.values.width
    let columns = GridMapping(from: width, to: cells.width).pairs
    rows = GridMapping(from: relative.values.height, to: cells.height).pairs
    nearestColumns = columns.map { $0.fraction < 0.5 ? $0.first : $0.second }
    var (fractions, runs, starts) = ([Lanes](), [Run](), [0])
    for start in stride(from: 0, to: width, by: Self.lanes) {
      var block = Lanes.zero
      for lane in 0..<Self.lanes {
        let pair = columns[min(start + lane, width - 1)]
        block[lane] = pair.fraction
        guard lane == 0 || runs.last?.first != pair.first || runs.last?.second != pair.second else {
          continue
        }
        let lanes = SIMD8<Int32>(0, 1, 2, 3, 4, 5, 6, 7)
        runs.append(
          Run(first: pair.first, second: pair.second, pixels: lanes .>= Int32(truncatingIfNeeded: lane)))
      }
      fractions.append(block)
      starts.append(runs.count)
    }
    (self.fractions, self.runs, self.starts) = (fractions, runs, starts)
  }

  /// Metric depth on the relative depth's grid, the same for any number of threads.
  func metric(threads: Int) -> MetricDepth {
    let (width, height) = (relative.width, relative.height)
    let (values, states): ([Float], [DepthState])
    (values, states) = Parallel.rows(height, width: width, threads: threads) { range, values, states in
      var around = CellRows(blocks: fractions.count)
      for y in range {
        move(&around, to: y)
        let start = (y - range.lowerBound) * width
        var judged = around.states
        compute(y, around, &judged, &values, start)
        let known = judged.span
        precondition(start >= 0 && known.count <= states.count - start)
        for x in 0..<known.count { states[start &+ x] = known[x] }
      }
    }
    return MetricDepth(
      values: Plane(width: width, height: height, elements: values),
      states: Plane(width: width, height: height, elements: states))
  }

  /// The rows of cells around a row of pixels, laid out under its pixels; -1 stands for none.
  private struct CellRows {
    var upper, lower: [Beside]
    var upperRow = -1
    var lowerRow = -1
    var nearestRow = -1
    /// How depth is known in the nearest cell to each pixel.
    var states: [DepthState] = []
    /// Whether some of these are known by no reading near.
    var reachesFar = false

    init(blocks: Int) {
      upper = [Beside](repeating: Beside(), count: blocks)
      lower = upper
    }
  }

  /// Lays out what is not laid out yet of the rows of cells around a row of pixels.
  private func move(_ around: inout CellRows, to y: Int) {
    let row = rows[y]
    if around.upperRow != row.first {
      if around.lowerRow == row.first {
        swap(&around.upper, &around.lower)
      } else {
        lay(&around.upper, row: row.first)
      }
      (around.upperRow, around.lowerRow) = (row.first, -1)
    }
    if around.lowerRow != row.second {
      lay(&around.lower, row: row.second)
      around.lowerRow = row.second
    }
    let nearest = row.fraction < 0.5 ? row.first : row.second
    if around.nearestRow != nearest {
      around.nearestRow = nearest
      around.states = nearestColumns.map { cells.states[nearest * cells.width + $0] }
      around.reachesFar = around.states.contains { $0 != .measured && $0 != .guided }
    }
  }

  /// Lays a row of cells out under the pixels of a row.
  private func lay(_ spread: inout [Beside], row: Int) {
    let start = row * cells.width
    let (guide, inverse) = (cells.guide.span, cells.inverse.span)
    let runs = self.runs.span
    for block in fractions.indices {
      var beside = Beside()
      for index in starts[block]..<starts[block + 1] {
        let run = runs[index]
        let (first, second) = (start + run.first, start + run.second)
        beside.leftGuide.replace(with: guide[first], where: run.pixels)
        beside.rightGuide.replace(with: guide[second], where: run.pixels)
        beside.leftInverse.replace(with: inverse[first], where: run.pixels)
        beside.rightInverse.replace(with: inverse[second], where: run.pixels)
      }
      spread[block] = beside
    }
  }

  /// A row of pixels, from `start` on; `states` has those of the nearest cells.
  ///
  /// Swift 6.2.3 takes no second parameter that does not escape beside a span that is written to.
  private func compute(
    _ y: Int, _ around: CellRows, _ states: inout [DepthState], _ values: inout MutableSpan<Float>,
    _ start: Int
  ) {
    let (upper, lower) = (around.upper.span, around.lower.span)
    let down = rows[y].fraction
    let width = relative.width
    let source = relative.elements.span.extracting(y * width..<(y + 1) * width)
    let rights = fractions.span
    let up = 1 - down
    let blocks = rights.count
    precondition(upper.count == blocks && lower.count == blocks && start + width <= values.count)
    for block in 0..<blocks {
      let first = block &* Self.lanes
      var r = Lanes.zero
      // Whole blocks are loaded and stored as vectors: their length is known.
      let isWhole = first &+ Self.lanes <= width
      if isWhole {
        let whole = source.extracting(first..<first &+ Self.lanes)
        for lane in 0..<Self.lanes { r[lane] = whole[lane] }
      } else {
        for x in first..<width { r[x - first] = source[x] }
      }
      let right = rights[block]
      let left = 1 - right
      let (above, below) = (upper[block], lower[block])
      var sums = Sums(aligned(r), above.leftGuide, above.leftInverse, share: left * up)
      sums.add(above.rightGuide, above.rightInverse, share: right * up)
      sums.add(below.leftGuide, below.leftInverse, share: left * down)
      sums.add(below.rightGuide, below.rightInverse, share: right * down)
      let meters = sums.meters
      let place = start &+ first
      if isWhole {
        precondition(place >= 0 && Self.lanes <= values.count - place)
        for lane in 0..<Self.lanes { values[place &+ lane] = meters[lane] }
      } else {
        for x in first..<width { values[start + x] = meters[x - first] }
      }
      let isOrdinary = (meters .> 0) .& (meters .< 100) .& (sums.weights .> Self.leastWeight)
      let pixels = first..<min(first &+ Self.lanes, width)
      if all(isOrdinary), !around.reachesFar || !Self.holdsFar(states, pixels) { continue }
      for x in pixels {
        (values[start + x], states[x]) = judged(
          values[start + x], states[x], weight: sums.weights[x - first], relative: r[x - first])
      }
    }
  }

  /// Whether some pixels of a row have no reading near.
  @inline(__always)
  private static func holdsFar(_ states: [DepthState], _ pixels: Range<Int>) -> Bool {
    for x in pixels where states[x] != .measured && states[x] != .guided { return true }
    return false
  }

  /// A pixel's depth within bounds, and how it is known.
  private func judged(
    _ meters: Float, _ state: DepthState, weight: Float, relative: Float
  ) -> (Float, DepthState) {
    let (plain, answer) = alignment.meters(of: Double(relative))
    guard meters > 0, state != .invalid else { return (Float(plain), answer) }
    let bounds = DepthAlignment.reportedRange
    let known = min(max(meters, Float(bounds.lowerBound)), Float(bounds.upperBound))
    guard state == .fitted else { return (known, weight < Self.leastWeight ? .guided : state) }
    return answer == .invalid ? (0, .invalid) : (known, answer)
  }

  @inline(__always)
  private func aligned(_ r: Lanes) -> Lanes {
    switch alignment.model {
    case .inverse(let scale, let shift):
      let inverse = r * Float(scale) + Float(shift)
      return inverse.replacing(
        with: Lanes(repeating: GuidedCells.farthest), where: inverse .< GuidedCells.farthest)
    case .linear:
      var inverse = Lanes.zero
      for lane in 0..<Self.lanes { inverse[lane] = alignment.guide(r[lane]) }
      return inverse
    }
  }

  /// Weighted sums over the cells around pixels.
  private struct Sums {
    private let guide: Lanes
    /// Factor of the square of the guide's difference in an agreement of 1 / (1 + product).
    private let sharpness: Lanes
    private var values: Lanes
    private(set) var weights: Lanes
    private var inverses: Lanes
    private var guides: Lanes

    /// The sums over a first cell for pixels of these guides.
    @inline(__always)
    init(_ guide: Lanes, _ cellGuide: Lanes, _ cellInverse: Lanes, share: Lanes) {
      self.guide = guide
      sharpness = 0.5 / (SensorGuidedDepth.agreement * SensorGuidedDepth.agreement) / (guide * guide)
      (values, weights) = Self.passed(guide - cellGuide, sharpness, cellInverse, share: share)
      inverses = share * cellInverse
      guides = share * cellGuide
    }

    @inline(__always)
    mutating func add(_ cellGuide: Lanes, _ cellInverse: Lanes, share: Lanes) {
      let (value, weight) = Self.passed(guide - cellGuide, sharpness, cellInverse, share: share)
      values += value
      weights += weight
      inverses += share * cellInverse
      guides += share * cellGuide
    }

    /// Value of a cell whose guide differs by `apart`, times its weight, and the weight.
    @inline(__always)
    private static func passed(
      _ apart: Lanes, _ sharpness: Lanes, _ cellInverse: Lanes, share: Lanes
    ) -> (value: Lanes, weight: Lanes) {
      let agreement = 1 / (1 + apart * apart * sharpness)
      let weight = share * agreement * agreement
      // Small differences are passed on all but whole: 1 - (1 - agreement)^2 of them.
      return (weight * (cellInverse + apart * agreement * (2 - agreement)), weight)
    }

    /// The mean of what the cells say, and with little weight of the guide, scaled to them.
    @inline(__always)
    var meters: Lanes {
      let scaled = SensorGuidedDepth.scaledWeight
      return (weights + scaled) * guides / (values * guides + scaled * guide * inverses)
    }
  }
}

extension DepthAlignment {
  /// Metric depth on the relative depth's own grid that follows the sensor cell by cell where it reads, with the
  /// relative depth's edges; far from all readings `metric(_:)`.
  ///
  /// `sensor` covers the same field in the same orientation. The same for any number of threads.
  public func metric(
    _ relative: RelativeDepth, following sensor: MetricDepth, noise: SensorNoise = SensorModel().noise,
    threads: Int = 1
  ) -> MetricDepth {
    metric(relative, GuidedCells(self, relative, sensor: sensor, noise: noise), threads: threads)
  }

  /// The same, of readings of which those on the ramps that a sensor makes of steps are moved to one side.
  func metric(
    _ relative: RelativeDepth, following sensor: MetricDepth, unsure: Plane<Float>?, model: SensorModel,
    threads: Int
  ) -> MetricDepth {
    let ramps = GuidedRamps(sensor, unsure: unsure, relative, self, model: model)
    let cells = GuidedCells(
      self, relative, sensor: ramps?.readings ?? sensor, noise: model.noise, guide: ramps?.guide)
    return metric(relative, cells, threads: threads)
  }

  private func metric(_ relative: RelativeDepth, _ cells: GuidedCells, threads: Int) -> MetricDepth {
    guard cells.states.contains(.measured) else { return metric(relative) }
    return SensorGuidedDepth(self, relative, cells: cells).metric(threads: threads)
  }
}
