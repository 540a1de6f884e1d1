import Geometry
import Imaging

/// Provenance of one value of a `MetricDepth`.
public enum DepthState: UInt8, Sendable, CaseIterable, BitwiseCopyable {
  /// There is no value.
  case invalid = 0
  /// Read from a sensor.
  case measured = 1
  /// Carried over from a sensor's readings nearby by the shape of relative depth.
  case guided = 2
  /// Computed from relative depth alone, within the range that the fit has seen.
  case fitted = 3
  /// Computed from relative depth alone, beyond the range that the fit has seen.
  case extrapolated = 4

  /// Name in files.
  public var name: String {
    switch self {
    case .invalid: "none"
    case .measured: "sensor"
    case .guided: "guided"
    case .fitted: "fitted"
    case .extrapolated: "extrapolated"
    }
  }
}

/// Planar depth Z in meters: the distance along the viewing direction, not along the ray.
public struct MetricDepth: Sendable, Equatable {
  /// Meters; 0 exactly where `states` says invalid.
  ///
  /// The grid covers the picture's whole field.
  public let values: Plane<Float>
  /// One state for each value.
  public let states: Plane<DepthState>

  init(values: Plane<Float>, states: Plane<DepthState>) {
    self.values = values
    self.states = states
  }

  /// Depth of a sensor, with every reading outside `rules` marked invalid.
  ///
  /// `confidence` (0, 1, 2) has the size of `depth`; nil stands for 2 everywhere.
  /// - Precondition: the sizes agree.
  public init(
    sensor depth: Plane<Float>, confidence: Plane<UInt8>? = nil, rules: SensorRules = SensorRules()
  ) {
    precondition(
      confidence.map { $0.width == depth.width && $0.height == depth.height } ?? true,
      "depth and confidence have different sizes")
    var values = depth.elements
    var states = [DepthState](repeating: .measured, count: values.count)
    for index in values.indices {
      let trusted = confidence.map { $0.elements[index] >= rules.minimumConfidence } ?? true
      if !trusted || !rules.range.contains(values[index]) {
        values[index] = 0
        states[index] = .invalid
      }
    }
    self.values = Plane(width: depth.width, height: depth.height, elements: values)
    self.states = Plane(width: depth.width, height: depth.height, elements: states)
  }

  /// Depth read back from a file: finite positive values count, all others are absent.
  ///
  /// Values outside `fittedRange`, if given, are marked extrapolated.
  public init(fitted depth: Plane<Float>, fittedRange: ClosedRange<Double>? = nil) {
    let states = depth.elements.map { value -> DepthState in
      guard value > 0, value.isFinite else { return .invalid }
      return fittedRange?.contains(Double(value)) ?? true ? .fitted : .extrapolated
    }
    values = Plane(
      width: depth.width, height: depth.height,
      elements: zip(depth.elements, states).map { $1 == .invalid ? 0 : $0 })
    self.states = Plane(width: depth.width, height: depth.height, elements: states)
  }

  /// Depth read back from its two files: meters, and the codes of `DepthState` for each; nil where a code is unknown,
  /// or where a depth that its code calls known is missing.
  ///
  /// - Precondition: the sizes agree.
  public init?(values: Plane<Float>, codes: Plane<UInt8>) {
    precondition(values.size == codes.size, "depth and its codes have different sizes")
    var states: [DepthState] = []
    states.reserveCapacity(codes.elements.count)
    for (code, value) in zip(codes.elements, values.elements) {
      guard let state = DepthState(rawValue: code), state == .invalid || (value > 0 && value.isFinite) else {
        return nil
      }
      states.append(state)
    }
    self.values = Plane(
      width: values.width, height: values.height,
      elements: zip(values.elements, states).map { $1 == .invalid ? 0 : $0 })
    self.states = Plane(width: values.width, height: values.height, elements: states)
  }

  /// The codes of the states: 0 none, 1 sensor, 2 guided, 3 fitted, 4 extrapolated.
  public var codes: Plane<UInt8> {
    var codes = [UInt8](repeating: 0, count: states.elements.count)
    Self.fill(codes: &codes, states.elements.span)
    return Plane(width: states.width, height: states.height, elements: codes)
  }

  private static func fill(codes: inout [UInt8], _ states: Span<DepthState>) {
    var codes = codes.mutableSpan
    precondition(states.count <= codes.count)
    for index in 0..<states.count { codes[index] = states[index].rawValue }
  }

  /// Columns.
  public var width: Int { values.width }
  /// Rows.
  public var height: Int { values.height }

  /// How its cells lie on the picture of size `imageSize`.
  @inline(__always)
  func grid(over imageSize: PixelSize) -> DepthGrid { DepthGrid(cells: values.size, picture: imageSize) }

  /// The share of cells with a value.
  public var validShare: Double {
    Double(states.elements.count { $0 != .invalid }) / Double(states.elements.count)
  }

  /// Meters at a point of the picture of size `imageSize`, bilinear between cell centers; nil if the point is
  /// outside the picture or any of the four cells has no value.
  public func meters(at point: Point2<ImagePixels>, imageSize: PixelSize) -> Double? {
    guard point.x >= 0, point.y >= 0, point.x <= Double(imageSize.width), point.y <= Double(imageSize.height)
    else { return nil }
    let place = grid(over: imageSize).cell(point).fromFirstCenter
    let column = CellPair(place.x, count: width)
    let row = CellPair(place.y, count: height)
    for y in [row.first, row.second] {
      for x in [column.first, column.second] where states[x, y] == .invalid { return nil }
    }
    return Double(values.bilinear(in: values.elements.span, column, row))
  }
}

extension MetricDepth {
  /// These readings, with cells that have none taken from `fused` where that is guided by readings nearby.
  ///
  /// Both cover the same field. What `fused` knows from the fit alone is left out.
  func completed(by fused: MetricDepth?) -> MetricDepth {
    guard let fused else { return self }
    var values = self.values.elements
    var states = self.states.elements
    let columns = GridMapping(from: width, to: fused.width).pairs
    let rows = GridMapping(from: height, to: fused.height).pairs
    let (known, source) = (fused.states.elements.span, fused.values.elements.span)
    for y in 0..<height {
      for x in 0..<width where states[y * width + x] == .invalid {
        let (column, row) = (columns[x], rows[y])
        let (upper, lower) = (row.first * fused.width, row.second * fused.width)
        let (a, b) = (known[upper + column.first], known[upper + column.second])
        let (c, d) = (known[lower + column.first], known[lower + column.second])
        let isGuided = a == .guided || b == .guided || c == .guided || d == .guided
        guard isGuided, a.isNear, b.isNear, c.isNear, d.isNear else { continue }
        values[y * width + x] = fused.values.bilinear(in: source, column, row)
        states[y * width + x] = .guided
      }
    }
    return MetricDepth(
      values: Plane(width: width, height: height, elements: values),
      states: Plane(width: width, height: height, elements: states))
  }

  /// Whether the cell under a point of the picture lies beyond the range that the fit has seen.
  func isExtrapolated(at point: Point2<ImagePixels>, imageSize: PixelSize) -> Bool {
    guard imageSize.bounds().contains(point) else { return false }
    let cell = grid(over: imageSize).index(point)
    return states[cell.column, cell.row] == .extrapolated
  }
}

extension CapturedFrame {
  /// The sensor's readings, those that do not count marked invalid; nil without depth.
  public var readings: MetricDepth? {
    depth.map { MetricDepth(sensor: $0, confidence: confidence, rules: sensor.rules) }
  }

  /// `readings`, with gaps filled by what `fused` carries over from readings nearby; nil without depth.
  func readings(completedBy fused: MetricDepth?) -> MetricDepth? {
    readings?.completed(by: fused)
  }
}

extension DepthState {
  /// Whether it rests on readings there or nearby.
  fileprivate var isNear: Bool { self == .guided || self == .measured }
}
