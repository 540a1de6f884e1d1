import FileFormats
import Imaging

/// Steps between two surfaces, which a sensor reads as ramps a few cells wide, made steps again.
///
/// A cell of a ramp reads a depth between both surfaces, on neither. It gets the depth of the one that comes nearer to what it
/// reads, carried on to it from beyond the ramp: a symmetric blur leaves a step where its ramp is halfway. The middle is
/// taken of the logarithms of depth, between that of a blur of depths and that of a blur of inverse depths. Creases stay as
/// they are read, as do cells beside which no surface is found.
struct SharpenedSteps {
  /// Standard deviation of the blur, in cells, of which ramps are worth it.
  private static let leastSpread = 0.5
  /// Surfaces that differ by less than this share of their inverse depth make no step.
  private static let leastStep = 0.03
  /// A second difference of so much of the inverse depth is no noise of a plane, or so many standard deviations.
  private static let bent = (share: 0.004, deviations: 4.0)
  /// A ramp reaches so many standard deviations of the blur to either side, and a surface is looked for so many cells
  /// farther.
  private static let reach = (spreads: 2.5, beyond: 3)
  /// Of the carried depths those that differ from the nearest by less than this share are of the same surface.
  private static let same = 0.004
  private static let directions = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)]

  /// Inverse depths with the ramps made steps, NaN where nothing is read.
  private(set) var inverse: [Double]
  /// Which cells were on a ramp.
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
    let field = Field(width: width, height: height, inverse: read)
    let isBent = read.indices.map { cell -> Bool in
      let own = read[cell]
      guard !own.isNaN else { return false }
      let white = errors.white.deviation(at: 1 / own) * own
      let least = max(Self.bent.share, Self.bent.deviations * 6.0.squareRoot() * white) * own
      return field.isBent(cell, spans: spans, least: least)
    }
    let surfaces = Surfaces(field, isBent: isBent)
    var carried: [Double] = []
    for cell in read.indices where isBent[cell] {
      carried.removeAll(keepingCapacity: true)
      for (dx, dy) in Self.directions {
        if let value = surfaces.carried(to: cell, dx, dy, within: spans.upperBound + Self.reach.beyond) {
          carried.append(value)
        }
      }
      guard let least = carried.min(), let greatest = carried.max(), greatest > (1 + Self.leastStep) * least
      else { continue }
      let own = read[cell]
      func apart(_ value: Double) -> Double { max(value / own, own / value) }
      let nearest = carried.min { apart($0) < apart($1) } ?? own
      let alike = carried.filter { abs($0 - nearest) < Self.same * nearest }
      inverse[cell] = alike.reduce(0, +) / Double(alike.count)
      isChanged[cell] = true
    }
  }

  /// Inverse depths on a grid.
  private struct Field {
    let width: Int
    let height: Int
    let inverse: [Double]

    /// The cell so many steps on; nil outside the grid.
    @inline(__always)
    func step(_ cell: Int, _ dx: Int, _ dy: Int) -> Int? {
      let (x, y) = (cell % width + dx, cell / width + dy)
      return x >= 0 && y >= 0 && x < width && y < height ? y * width + x : nil
    }

    /// Whether a second difference over one of some spans, which vanishes on planes, is at least so large.
    func isBent(_ cell: Int, spans: ClosedRange<Int>, least: Double) -> Bool {
      for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
        for span in spans {
          guard let a = step(cell, span * dx, span * dy), let b = step(cell, -span * dx, -span * dy) else {
            break
          }
          if abs(inverse[a] - 2 * inverse[cell] + inverse[b]) > least { return true }
        }
      }
      return false
    }
  }

  /// Cells on planes and their slopes.
  private struct Surfaces {
    private let field: Field
    /// Change of the inverse depth for each column and row; nil where a neighbor is not on the plane.
    private let slopes: [(x: Double, y: Double)?]

    init(_ field: Field, isBent: [Bool]) {
      self.field = field
      let (width, inverse) = (field.width, field.inverse)
      let own = inverse.indices.map { cell -> (x: Double, y: Double)? in
        let neighbours = [(-1, 0), (1, 0), (0, -1), (0, 1)].compactMap { field.step(cell, $0, $1) }
        guard neighbours.count == 4,
          (neighbours + [cell]).allSatisfy({ !isBent[$0] && !inverse[$0].isNaN })
        else { return nil }
        return (
          (inverse[cell + 1] - inverse[cell - 1]) / 2, (inverse[cell + width] - inverse[cell - width]) / 2
        )
      }
      // Their mean over the neighbors, which has less noise.
      slopes = inverse.indices.map { cell in
        guard own[cell] != nil else { return nil }
        var (x, y, count) = (0.0, 0.0, 0.0)
        for dy in -1...1 {
          for dx in -1...1 {
            guard let other = field.step(cell, dx, dy), let slope = own[other] else { continue }
            x += slope.x
            y += slope.y
            count += 1
          }
        }
        return (x / count, y / count)
      }
    }

    /// The inverse depth at a cell of the first plane in a direction; nil where there is none within so many cells.
    func carried(to cell: Int, _ dx: Int, _ dy: Int, within reach: Int) -> Double? {
      for length in 1...reach {
        guard let other = field.step(cell, length * dx, length * dy) else { return nil }
        guard let slope = slopes[other] else { continue }
        let value = field.inverse[other] - Double(length) * (Double(dx) * slope.x + Double(dy) * slope.y)
        return value > 0 ? value : nil
      }
      return nil
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
