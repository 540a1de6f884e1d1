import FileFormats
import Imaging

/// Steps between two surfaces, which a sensor reads as ramps a few cells wide, made steps again.
///
/// A cell of a ramp reads a depth between both surfaces, on neither. It gets the depth of the one that comes nearer to what it
/// reads, carried on to it from beyond the ramp: a symmetric blur leaves a step where its ramp is halfway. The middle is
/// taken of the logarithms of depth, between that of a blur of depths and that of a blur of inverse depths. Creases stay as
/// they are read, as do cells beside which no surface is found, and surfaces seen aslant, which change less from cell to cell
/// than a ramp would.
struct SharpenedSteps {
  /// Standard deviation of the blur, in cells, of which ramps are worth it.
  private static let leastSpread = 0.5
  /// Surfaces that differ by less than this share of their inverse depth make no step.
  private static let leastStep = 0.03
  /// A second difference of so much of the inverse depth is no noise of a plane, or so many standard deviations.
  private static let bent = (share: 0.004, deviations: 4.0)
  /// A ramp reaches so many standard deviations of the blur to either side, and a surface is looked for so many cells
  /// farther.
  private static let reach = (spreads: 2.5, beyond: 3, farther: 6)
  /// Carried depths that differ from the nearest by less than this share are of the same surface.
  private static let same = 0.004
  /// A cell between two surfaces that changes to its neighbors by less than this share of what a ramp does there lies on a
  /// surface seen aslant.
  private static let leastSteepness = 0.5
  private static let directions = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)]

  /// Inverse depths with the ramps made steps, NaN where nothing is read.
  private(set) var inverse: [Double]
  /// Which cells were on a ramp, or lie on a surface beside one, or on one seen so aslant that sensors doubt it as they do a
  /// step.
  private(set) var isChanged: [Bool]

  /// Nil for a sensor whose ramps are narrower than a cell.
  ///
  /// - Parameters:
  ///   - depth: All readings in meters, whatever their confidence; 0 or not finite for none.
  ///   - errors: How the sensor errs.
  init?(_ depth: Plane<Float>, errors: SensorErrors) {
    let (width, height) = (depth.width, depth.height)
    let spread = errors.edgeSpread * Double(width) / Double(errors.columns)
    guard spread >= Self.leastSpread else { return nil }
    let read = depth.elements.map { $0 > 0 && $0.isFinite ? 1 / Double($0) : .nan }
    inverse = read
    isChanged = [Bool](repeating: false, count: read.count)
    let spans = 1...max(2, Int(clamping: (Self.reach.spreads * spread).rounded(.up)))
    let isBent = Self.bentCells(read, width: width, height: height, spans: spans, errors: errors)
    let surfaces = Surfaces(width: width, height: height, inverse: read, isBent: isBent)
    for cell in read.indices where !isBent[cell] && !read[cell].isNaN {
      // Neighbors to either side differ by as much as a step's surfaces.
      let change = Self.steepness(read, cell, width: width, height: height)
      if change > Self.leastStep / 2 * read[cell] { isChanged[cell] = true }
    }
    let bent = read.indices.filter { isBent[$0] }
    let reaches = (
      near: spans.upperBound + Self.reach.beyond, far: spans.upperBound + Self.reach.farther
    )
    let found: [Double] = Parallel.rows(bent.count, width: 1, threads: Parallel.teamThreads) { range, found in
      for index in range {
        let cell = bent[index]
        let change = Self.steepness(read, cell, width: width, height: height)
        found[index - range.lowerBound] =
          Self.placed(cell, own: read[cell], change: change, surfaces, within: reaches, spread: spread)
          ?? .nan
      }
    }
    for (cell, value) in zip(bent, found) where !value.isNaN {
      inverse[cell] = value
      isChanged[cell] = true
    }
    // Sensors doubt the cells beside steps too, which lie on a surface.
    let beside = Int(clamping: (Double(errors.edgeConfidence.count) * spread / errors.edgeSpread).rounded())
    let ramps = Self.widened(isChanged, by: beside, width: width)
    for cell in read.indices where ramps[cell] && !isBent[cell] && !read[cell].isNaN {
      isChanged[cell] = true
    }
  }

  /// Some cells and those within so many steps of one.
  private static func widened(_ cells: [Bool], by steps: Int, width: Int) -> [Bool] {
    var result = cells
    for _ in 0..<steps {
      let before = result
      for cell in before.indices where before[cell] {
        if cell % width > 0 { result[cell - 1] = true }
        if cell % width + 1 < width { result[cell + 1] = true }
        if cell >= width { result[cell - width] = true }
        if cell + width < before.count { result[cell + width] = true }
      }
    }
    return result
  }

  /// The inverse depth of a bent cell on the surface that comes nearer to what it reads, its own one on a surface seen aslant;
  /// nil where there is no step.
  private static func placed(
    _ cell: Int, own: Double, change: Double, _ surfaces: Surfaces, within reaches: (near: Int, far: Int),
    spread: Double
  ) -> Double? {
    let place = surfaces.place(cell)
    var carried = Carried()
    func isStep() -> Bool { carried.greatest > (1 + leastStep) * carried.least }
    for (dx, dy) in directions {
      if let value = surfaces.carried(to: place, dx, dy, within: reaches.near) { carried.append(value) }
    }
    if !isStep() {
      // Where no plane ends there, a surface that curves away may.
      let far = max(carried.greatest, 0)
      for (dx, dy) in directions {
        if let value = surfaces.curved(to: place, dx, dy, within: reaches.far), value > (1 + leastStep) * far
        {
          carried.append(value)
        }
      }
    }
    guard isStep() else { return nil }
    let ramp = steepness(of: own, between: carried.least, carried.greatest, spread: spread)
    if change < leastSteepness * ramp { return own }
    func apart(_ value: Double) -> Double { max(value / own, own / value) }
    var nearest = carried[0]
    for index in 1..<carried.count where apart(carried[index]) < apart(nearest) { nearest = carried[index] }
    var (sum, count) = (0.0, 0)
    for index in 0..<carried.count where abs(carried[index] - nearest) < same * nearest {
      sum += carried[index]
      count += 1
    }
    return sum / Double(count)
  }

  /// Inverse depths that surfaces in some directions have at a cell, two of each direction at most.
  private struct Carried {
    private var values = SIMD16<Double>.zero
    private(set) var count = 0
    private(set) var least = Double.infinity
    private(set) var greatest = -Double.infinity

    subscript(index: Int) -> Double { values[index] }

    mutating func append(_ value: Double) {
      values[count] = value
      count += 1
      (least, greatest) = (min(least, value), max(greatest, value))
    }
  }

  /// The change from cell to cell, where it has a value, of a step's ramp.
  ///
  /// A Gaussian's ramp changes by the normal density of the place where it has that value. Over the value's share it is about a
  /// parabola; differences of neighbors smooth it by a cell to either side, whose variance is 1/3.
  private static func steepness(
    of value: Double, between least: Double, _ greatest: Double, spread: Double
  ) -> Double {
    let step = greatest - least
    let share = (value - least) / step
    let peak = step / (2 * Double.pi * (spread * spread + 1.0 / 3)).squareRoot()
    return 4 * share * (1 - share) * peak
  }

  /// The change of inverse depth from a cell to its neighbors, the larger one along rows and that along columns together.
  private static func steepness(_ inverse: [Double], _ cell: Int, width: Int, height: Int) -> Double {
    let (x, y) = (cell % width, cell / width)
    func change(_ step: Int, _ isInside: Bool) -> Double {
      guard isInside else { return 0 }
      let value = abs(inverse[cell + step] - inverse[cell])
      return value.isNaN ? 0 : value
    }
    let across = max(change(-1, x > 0), change(1, x < width - 1))
    let down = max(change(-width, y > 0), change(width, y < height - 1))
    return (across * across + down * down).squareRoot()
  }

  /// Cells of which a second difference over one of some spans, which vanishes on planes, is larger than noise.
  private static func bentCells(
    _ inverse: [Double], width: Int, height: Int, spans: ClosedRange<Int>, errors: SensorErrors
  ) -> [Bool] {
    Parallel.rows(height, width: width, threads: Parallel.teamThreads) { rows, isBent in
      let cells = inverse.span
      for y in rows {
        for x in 0..<width {
          let (cell, place) = (y * width + x, (y - rows.lowerBound) * width + x)
          let own = cells[cell]
          isBent[place] = false
          guard !own.isNaN else { continue }
          let white = errors.white.deviation(at: 1 / own) * own
          let least = max(bent.share, bent.deviations * 6.0.squareRoot() * white) * own
          isBent[place] = spans.contains { span in
            func isBent(_ step: Int) -> Bool {
              abs(cells[cell + step] - 2 * own + cells[cell - step]) > least
            }
            let fitsAcross = x >= span && x + span < width
            let fitsDown = y >= span && y + span < height
            let (across, down) = (span, span * width)
            return fitsAcross && isBent(across) || fitsDown && isBent(down)
              || fitsAcross && fitsDown && (isBent(down + across) || isBent(down - across))
          }
        }
      }
    }
  }

  /// Cells on planes and their slopes.
  private struct Surfaces {
    /// Cells between those of a parabola, and the second difference of neighbors' inverse depth, as a share of it, that is no
    /// curve but a crease.
    private static let (apart, mostBent) = (3, 0.004)
    /// The second difference over the parabola's cells, as a share, by which a surface curves away.
    private static let leastCurve = 0.0025

    /// A cell, and the numbers of cells from it to the map's borders.
    struct Place {
      let cell: Int
      let left: Int
      let right: Int
      let above: Int
      let below: Int

      /// The number of cells in a direction up to the border.
      @inline(__always)
      func room(_ dx: Int, _ dy: Int) -> Int {
        let across = dx == 0 ? Int.max : dx > 0 ? right : left
        let down = dy == 0 ? Int.max : dy > 0 ? below : above
        return min(across, down)
      }
    }

    private let width: Int
    private let height: Int
    private let inverse: [Double]
    /// Cells that lie on a plane with their four neighbors.
    private let isPlane: [Bool]

    init(width: Int, height: Int, inverse: [Double], isBent: [Bool]) {
      (self.width, self.height, self.inverse) = (width, height, inverse)
      let (cells, bent) = (inverse.span, isBent.span)
      var isPlane = [Bool](repeating: false, count: cells.count)
      func isFlat(_ cell: Int) -> Bool { !bent[cell] && !cells[cell].isNaN }
      for y in stride(from: 1, to: height - 1, by: 1) {
        for cell in stride(from: y * width + 1, to: (y + 1) * width - 1, by: 1) {
          isPlane[cell] =
            isFlat(cell) && isFlat(cell - 1) && isFlat(cell + 1) && isFlat(cell - width)
            && isFlat(cell + width)
        }
      }
      self.isPlane = isPlane
    }

    func place(_ cell: Int) -> Place {
      let (x, y) = (cell % width, cell / width)
      return Place(cell: cell, left: x, right: width - 1 - x, above: y, below: height - 1 - y)
    }

    /// Change of the inverse depth for each column and row about a cell on a plane: the mean over its neighbors on planes,
    /// which has less noise.
    private func slope(_ cell: Int) -> (x: Double, y: Double) {
      var (x, y, count) = (0.0, 0.0, 0.0)
      // A cell on a plane does not lie on the map's border.
      for row in [cell - width, cell, cell + width] {
        for other in row - 1...row + 1 where isPlane[other] {
          x += (inverse[other + 1] - inverse[other - 1]) / 2
          y += (inverse[other + width] - inverse[other - width]) / 2
          count += 1
        }
      }
      return (x / count, y / count)
    }

    /// The inverse depth at a cell of the first plane in a direction; nil where there is none within so many cells.
    func carried(to place: Place, _ dx: Int, _ dy: Int, within reach: Int) -> Double? {
      guard let plane = plane(from: place, dx, dy, within: reach) else { return nil }
      let value = plane.inverse - Double(plane.length) * plane.change
      return value > 0 ? value : nil
    }

    /// The first plane in a direction: the steps to it, its inverse depth there, and its change for each step.
    private func plane(
      from place: Place, _ dx: Int, _ dy: Int, within reach: Int
    ) -> (length: Int, inverse: Double, change: Double)? {
      let (step, isPlane) = (dy * width + dx, isPlane.span)
      var other = place.cell
      for length in stride(from: 1, through: min(reach, place.room(dx, dy)), by: 1) {
        other += step
        guard isPlane[other] else { continue }
        let slope = slope(other)
        return (length, inverse[other], Double(dx) * slope.x + Double(dy) * slope.y)
      }
      return nil
    }

    /// The inverse depth at a cell of a surface that curves away, such as a ball's towards its outline, carried on from the
    /// nearest place in a direction where it is smooth; nil where there is none within so many cells.
    func curved(to start: Place, _ dx: Int, _ dy: Int, within reach: Int) -> Double? {
      let (step, inverse) = (dy * width + dx, inverse.span)
      let farthest = min(reach + 2 * Self.apart, start.room(dx, dy) - 1)
      guard farthest > 2 * Self.apart else { return nil }
      var smooth = 0
      var (place, before, own) = (start.cell, inverse[start.cell], inverse[start.cell + step])
      for length in 1...farthest {
        place += step
        let after = inverse[place + step]
        smooth = abs(before - 2 * own + after) < Self.mostBent * own ? smooth + 1 : 0
        (before, own) = (own, after)
        if smooth > 2 * Self.apart { return parabola(at: start.cell, step, from: length - 2 * Self.apart) }
      }
      return nil
    }

    /// The inverse depth at a cell of the parabola through three cells in steps from it, the first so many away; nil where
    /// it does not curve away from the camera.
    private func parabola(at cell: Int, _ step: Int, from first: Int) -> Double? {
      func value(_ index: Int) -> Double { inverse[cell + (first + index * Self.apart) * step] }
      let (near, middle, far) = (value(0), value(1), value(2))
      let (change, bend) = (middle - near, far - 2 * middle + near)
      guard -bend > Self.leastCurve * middle else { return nil }
      let place = -Double(first) / Double(Self.apart)
      let carried = near + place * change + place * (place - 1) / 2 * bend
      return carried > 0 ? carried : nil
    }
  }
}

extension CapturedFrame {
  /// `readings`, with the ramps that the sensor makes of steps made steps again; nil without depth.
  ///
  /// A ramp's cells take part whatever their confidence, and count as read once they are on a surface.
  var sharpenedReadings: MetricDepth? {
    guard let depth, let readings, let steps = SharpenedSteps(depth, errors: sensor.errors) else {
      return readings
    }
    var (values, states) = (readings.values.elements, readings.states.elements)
    for cell in values.indices where steps.isChanged[cell] {
      let meters = Float(1 / steps.inverse[cell])
      guard sensor.rules.range.contains(meters) else { continue }
      (values[cell], states[cell]) = (meters, .measured)
    }
    return MetricDepth(
      values: Plane(width: depth.width, height: depth.height, elements: values),
      states: Plane(width: depth.width, height: depth.height, elements: states))
  }
}
