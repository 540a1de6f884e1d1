import FileFormats
import Geometry
import Imaging

/// Readings on the ramps that a sensor makes of steps, moved to the surface on whose side relative depth has them.
///
/// A cell of a ramp reads a depth between two surfaces, on neither. It gets the weighted mean of what the readings around it
/// predict for it, each carried on along its own slope. A reading counts by how near it comes to the cell in relative
/// depth and in what the sensor reads there, and by how little both change about it, so that readings on ramps hardly
/// count. A blur is symmetric, therefore the nearer surface of a cell is its own; relative depth has its edges where the
/// picture has them, the sensor's are displaced, so that relative depth counts more.
///
/// Distances are shares of the step within the window: no scale of either depth enters. All inverse depths are in 1/m.
struct GuidedRamps {
  /// Standard deviation of the blur, in cells, of which ramps are worth it.
  private static let leastSpread = 0.5
  /// Reach of the window in standard deviations of the blur, at which a ramp has ended; a cell is added.
  private static let reach = 2.5
  /// A second difference of so much of the inverse depth is a ramp, or of so many standard deviations of the noise between cells.
  private static let bent = (share: 0.03, deviations: 12.0)
  /// A reading whose change to its neighbor is this share of the window's step counts half.
  private static let steady: Float = 0.05
  /// The share of relative depth in a distance: a sensor displaces its edges by .5 cell, a network by about .4, and inverse
  /// variances weigh.
  private static let relativeShare: Float = 0.6
  /// Relative depth that changes by less than this share of the sensor's step does not show the step, and does not count.
  private static let leastSeen: Float = 0.15
  /// The sixth power of the distance within which readings count alike: 0.22 of the step.
  private static let alike: Float = 1e-4
  /// The weight of a reading of less than the highest confidence.
  private static let unsureWeight: Float = 0.2
  /// Slopes of more than this share of the inverse depth for a cell are carried on by half, steeper ones less.
  private static let slope: Float = 0.02
  /// A reading that is off by less than this share is kept.
  private static let kept: Float = 0.01
  /// So is one that the alignment of relative depth confirms to this share.
  private static let confirmed: Float = 0.001
  private static let axes: [(dx: Int, dy: Int, length: Float)] = [
    (1, 0, 1), (0, 1, 1), (1, 1, Float(2).squareRoot()), (-1, 1, Float(2).squareRoot()),
  ]

  /// A reading as the cells around it see it.
  private struct Witness {
    static let none = Witness(
      inverse: 0, guide: 0, slopeX: 0, slopeY: 0, change: 0, guideChange: 0, weight: 0)

    let inverse: Float
    let guide: Float
    let slopeX: Float
    let slopeY: Float
    /// The square of the change to the next cell, for both planes.
    let change: Float
    let guideChange: Float
    /// By its confidence; 0 where nothing is read.
    let weight: Float
  }

  /// The readings with those on ramps replaced; replaced ones have the state `guided`.
  private(set) var readings: MetricDepth

  private let width: Int
  private let height: Int
  /// Cells that the window reaches to either side.
  private let radius: Int
  /// Inverse depth of every cell that reads within the range, NaN of the others.
  private let inverse: [Float]
  /// Inverse depth of the aligned relative depth there, NaN where there is none.
  let guide: [Float]

  /// Nil for a sensor whose ramps are narrower than a cell.
  ///
  /// - Parameters:
  ///   - sensor: The readings that count.
  ///   - unsure: All readings in meters whatever their confidence, of the same size; 0 or not finite for none. On a ramp they take
  ///     part. Without them those that count are all.
  ///   - relative: Relative depth of the same field in the same orientation.
  ///   - alignment: The fit between both.
  ///   - model: How the sensor errs.
  init?(
    _ sensor: MetricDepth, unsure: Plane<Float>? = nil, _ relative: RelativeDepth,
    _ alignment: DepthAlignment,
    model: SensorModel
  ) {
    let errors = model.errors
    let spread = errors.edgeSpread * Double(max(sensor.width, sensor.height)) / Double(errors.columns)
    guard spread >= Self.leastSpread else { return nil }
    precondition(unsure.map { $0.size == sensor.values.size } ?? true, "readings have different sizes")
    (width, height) = (sensor.width, sensor.height)
    radius = Int(clamping: (Self.reach * spread).rounded(.up)) + 1
    readings = sensor
    let range = model.rules.range
    inverse = (unsure ?? sensor.values).elements.map { range.contains($0) && $0.isFinite ? 1 / $0 : .nan }
    guide = alignment.guides(relative, width: width, height: height)
    let least = Float(
      max(Self.bent.share, Self.bent.deviations * errors.white.deviation(at: 1)))
    let ramps = rampCells(least)
    if !ramps.isEmpty { replace(ramps) }
  }

  /// Cells of which a second difference over one or two cells, which vanishes on planes, is larger than noise.
  private func rampCells(_ least: Float) -> [Int] {
    Parallel.map(Self.parts) { part in
      rampCells(least, rows: height * part / Self.parts..<height * (part + 1) / Self.parts)
    }.flatMap(\.self)
  }

  /// Parts of the rows that are searched side by side.
  private static let parts = 4

  private func rampCells(_ least: Float, rows: Range<Int>) -> [Int] {
    let (cells, guide) = (inverse.span, guide.span)
    var found: [Int] = []
    for y in rows {
      for x in 0..<width {
        let cell = y * width + x
        let own = cells[cell]
        guard !own.isNaN, !guide[cell].isNaN else { continue }
        let bound = least * own
        let isBent = (1...2).contains { span in
          func isBent(_ step: Int) -> Bool {
            abs(cells[cell + step] - 2 * own + cells[cell - step]) > bound
          }
          let fitsAcross = x >= span && x + span < width
          let fitsDown = y >= span && y + span < height
          let (across, down) = (span, span * width)
          return fitsAcross && isBent(across) || fitsDown && isBent(down)
            || fitsAcross && fitsDown && (isBent(down + across) || isBent(down - across))
        }
        if isBent { found.append(cell) }
      }
    }
    return found
  }

  private mutating func replace(_ ramps: [Int]) {
    let witnesses = witnesses(around: ramps)
    let offsets = (-radius...radius).flatMap { dy in
      (-radius...radius).filter { dx in dx * dx + dy * dy <= radius * radius + 1 }.map { (dx: $0, dy: dy) }
    }
    let read = self
    let predictions: [Float] = Parallel.rows(ramps.count, width: 1, threads: Parallel.teamThreads) {
      range, predictions in
      for index in range {
        predictions[index - range.lowerBound] = read.predicted(ramps[index], witnesses, offsets) ?? .nan
      }
    }
    var (values, states) = (readings.values.elements, readings.states.elements)
    for (cell, found) in zip(ramps, predictions) where !found.isNaN {
      let own = inverse[cell]
      let isKept =
        abs(found - own) < Self.kept * own || abs(guide[cell] - own) < Self.confirmed * own
      // A reading of less than the highest confidence that holds is known by those around it.
      if isKept, states[cell] == .measured { continue }
      (values[cell], states[cell]) = (1 / (isKept ? own : found), .guided)
    }
    readings = MetricDepth(
      values: Plane(width: width, height: height, elements: values),
      states: Plane(width: width, height: height, elements: states))
  }

  /// The inverse depth that the readings around a cell predict for it; nil where none is read on a surface.
  private func predicted(
    _ cell: Int, _ witnesses: [Witness], _ offsets: [(dx: Int, dy: Int)]
  ) -> Float? {
    let witnesses = witnesses.span
    let (x, y) = (cell % width, cell / width)
    let isInside = x >= radius && y >= radius && x + radius < width && y + radius < height
    let (own, ownGuide) = (inverse[cell], guide[cell])
    var (low, high, lowGuide, highGuide) = (own, own, ownGuide, ownGuide)
    for (dx, dy) in offsets {
      guard isInside || (0..<width).contains(x + dx) && (0..<height).contains(y + dy) else { continue }
      let witness = witnesses[cell + dy * width + dx]
      guard witness.weight > 0 else { continue }
      (low, high) = (min(low, witness.inverse), max(high, witness.inverse))
      (lowGuide, highGuide) = (min(lowGuide, witness.guide), max(highGuide, witness.guide))
    }
    guard high > low else { return nil }
    let isSeen = highGuide - lowGuide > Self.leastSeen * (high - low)
    let share = isSeen ? Self.relativeShare / (highGuide - lowGuide) : 0
    let ownShare = (isSeen ? 1 - Self.relativeShare : 1) / (high - low)
    let change = 1 / (Self.steady * (high - low))
    let guideChange = isSeen ? 1 / (Self.steady * (highGuide - lowGuide)) : 0
    var (sum, weights) = (Float(0), Float(0))
    for (dx, dy) in offsets {
      guard isInside || (0..<width).contains(x + dx) && (0..<height).contains(y + dy) else { continue }
      let witness = witnesses[cell + dy * width + dx]
      guard witness.weight > 0 else { continue }
      let carried = Float(dx) * witness.slopeX + Float(dy) * witness.slopeY
      let value = witness.inverse - carried
      let apart = share * abs(ownGuide - witness.guide + carried) + ownShare * abs(own - value)
      let cube = apart * apart * apart
      let unrest =
        (1 + change * change * witness.change) * (1 + guideChange * guideChange * witness.guideChange)
      let weight = witness.weight / (unrest * (cube * cube + Self.alike))
      sum += weight * value
      weights += weight
    }
    let value = sum / weights
    return value > 0 && value.isFinite ? value : nil
  }

  /// The readings within reach of some cells; `none` for all others.
  private func witnesses(around ramps: [Int]) -> [Witness] {
    var isNear = [Bool](repeating: false, count: inverse.count)
    for cell in ramps {
      let (x, y) = (cell % width, cell / width)
      // Cells on the map's border have no slope.
      for row in max(1, y - radius)..<max(1, min(height - 1, y + radius + 1)) {
        for column in max(1, x - radius)..<max(1, min(width - 1, x + radius + 1)) {
          isNear[row * width + column] = true
        }
      }
    }
    let near = isNear
    return Parallel.rows(height, width: width, threads: Parallel.teamThreads) { range, witnesses in
      let start = range.lowerBound * width
      for cell in start..<range.upperBound * width {
        witnesses[cell - start] = near[cell] ? witness(cell) : .none
      }
    }
  }

  /// The reading of a cell that does not lie on the map's border.
  private func witness(_ cell: Int) -> Witness {
    let own = inverse[cell]
    guard !own.isNaN, !guide[cell].isNaN else { return .none }
    let slopes = change(inverse.span, cell)
    let guides = change(guide.span, cell)
    func carried(_ slope: Float) -> Float {
      let share = slope / (Self.slope * own)
      return slope / (1 + share * share)
    }
    return Witness(
      inverse: own, guide: guide[cell], slopeX: carried(slopes.x), slopeY: carried(slopes.y),
      change: slopes.greatest * slopes.greatest, guideChange: guides.greatest * guides.greatest,
      weight: readings.states.elements[cell] == .measured ? 1 : Self.unsureWeight)
  }

  /// The change of a plane for each column and row about a cell, and the greatest along four axes.
  ///
  /// Of the changes to both neighbors on an axis the smaller one is taken, as long as they agree in sign, else none: beside a
  /// step this is the surface's own slope, and on top of a thin thing 0.
  private func change(_ plane: Span<Float>, _ cell: Int) -> (x: Float, y: Float, greatest: Float) {
    let own = plane[cell]
    func along(_ axis: (dx: Int, dy: Int, length: Float)) -> Float {
      let step = axis.dy * width + axis.dx
      let (ahead, back) = (plane[cell + step] - own, own - plane[cell - step])
      guard ahead * back > 0 else { return 0 }
      return (abs(ahead) < abs(back) ? ahead : back) / axis.length
    }
    let (x, y) = (along(Self.axes[0]), along(Self.axes[1]))
    return (x, y, max(max(abs(x), abs(y)), max(abs(along(Self.axes[2])), abs(along(Self.axes[3])))))
  }
}
