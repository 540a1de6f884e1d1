import Geometry
import Imaging

/// Metric depth that keeps to the sensor wherever it reads nearby, and takes from relative depth on which side of
/// an edge a point lies.
///
/// Joint bilateral upsampling (Kopf, Cohen, Lischinski, Uyttendaele, SIGGRAPH 2007) of the sensor's inverse depth:
/// a cell counts the more the nearer it lies and the better the aligned relative depth there agrees with that at
/// the point. Where no cell does, the alignment alone answers.
struct SensorGuidedDepth {
  /// Distance, in cells, at which a cell's weight is 4/9.
  static let distanceScale = 0.5
  /// Relative difference of inverse depth at which a cell's weight is 4/9.
  static let agreementScale = 0.01
  /// The alignment's own weight, against 1 for a cell at the very point.
  static let alignmentWeight = 1e-4
  /// Inverse depth in 1/m below which agreement is absolute.
  private static let farthest = 0.02

  private let alignment: DepthAlignment
  private let relative: Plane<Float>
  private let sensor: MetricDepth
  /// Aligned inverse depth under every cell, 1/m; NaN where the cell does not count.
  private let guide: [Double]

  init(_ alignment: DepthAlignment, _ relative: RelativeDepth, sensor: MetricDepth) {
    self.alignment = alignment
    self.relative = relative.values
    self.sensor = sensor
    let values = relative.values
    let columns = FusionGridMapping.halfPixel.cells(from: sensor.width, to: values.width)
    let rows = FusionGridMapping.halfPixel.cells(from: sensor.height, to: values.height)
    guide = (0..<sensor.width * sensor.height).map { cell in
      guard sensor.states.elements[cell] == .measured else { return .nan }
      let r = values.bilinear(
        in: values.elements.span, columns[cell % sensor.width], rows[cell / sensor.width])
      let (meters, state) = alignment.meters(of: Double(r))
      return state == .invalid ? .nan : 1 / meters
    }
  }

  /// Metric depth on the relative depth's grid.
  func metric() -> MetricDepth {
    var values = [Float](repeating: 0, count: relative.elements.count)
    var states = [DepthState](repeating: .invalid, count: values.count)
    let columns = GridMapping(from: relative.width, to: sensor.width)
    let rows = GridMapping(from: relative.height, to: sensor.height)
    for y in 0..<relative.height {
      for x in 0..<relative.width {
        let index = y * relative.width + x
        let (meters, state) = alignment.meters(of: Double(relative.elements[index]))
        guard state != .invalid else { continue }
        let found = inverse(near: 1 / meters, column: columns(x), row: rows(y))
        values[index] = Float(1 / found.inverse)
        states[index] = found.isSensed ? .fitted : state
      }
    }
    return MetricDepth(
      values: Plane(width: relative.width, height: relative.height, elements: values),
      states: Plane(width: relative.width, height: relative.height, elements: states))
  }

  /// The weighted mean of the 3 x 3 cells around a place and of the alignment's inverse depth there; sensed where
  /// the cells outweigh the alignment.
  private func inverse(
    near aligned: Double, column: Double, row: Double
  ) -> (inverse: Double, isSensed: Bool) {
    let middle = (x: Int(column.rounded()), y: Int(row.rounded()))
    let agreement = Self.agreementScale * max(aligned, Self.farthest)
    var sum = Self.alignmentWeight * aligned
    var weights = Self.alignmentWeight
    for y in max(0, middle.y - 1)...min(sensor.height - 1, middle.y + 1) {
      for x in max(0, middle.x - 1)...min(sensor.width - 1, middle.x + 1) {
        let cell = y * sensor.width + x
        guard !guide[cell].isNaN else { continue }
        let (dx, dy) = (Double(x) - column, Double(y) - row)
        let far = (dx * dx + dy * dy) / (Self.distanceScale * Self.distanceScale)
        let apart = (guide[cell] - aligned) / agreement
        let weight = Self.falloff(far) * Self.falloff(apart * apart)
        sum += weight / Double(sensor.values.elements[cell])
        weights += weight
      }
    }
    return (sum / weights, weights > 2 * Self.alignmentWeight)
  }

  /// 1 at 0, 4/9 at 1, falling with the square: bell-shaped with a heavy tail.
  private static func falloff(_ square: Double) -> Double {
    let root = 1 / (1 + square / 2)
    return root * root
  }
}

extension DepthAlignment {
  /// Metric depth on the relative depth's own grid that follows the sensor cell by cell where it reads, with the
  /// relative depth's edges; elsewhere `metric(_:)`.
  ///
  /// `sensor` covers the same field in the same orientation.
  public func metric(_ relative: RelativeDepth, following sensor: MetricDepth) -> MetricDepth {
    SensorGuidedDepth(self, relative, sensor: sensor).metric()
  }
}
