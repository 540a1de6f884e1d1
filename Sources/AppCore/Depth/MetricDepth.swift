import Geometry
import Imaging

/// What is known about one value of a `MetricDepth`.
public enum DepthState: UInt8, Sendable {
  /// There is no value.
  case invalid = 0
  /// Read from a sensor.
  case measured = 1
  /// Computed from relative depth within the range that the fit has seen.
  case fitted = 2
  /// Computed from relative depth beyond the range that the fit has seen.
  case extrapolated = 3
}

/// Planar depth Z in metres: the distance along the viewing direction, not along the ray.
public struct MetricDepth: Sendable, Equatable {
  /// Metres; 0 exactly where `states` says invalid.
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

  /// Columns.
  public var width: Int { values.width }
  /// Rows.
  public var height: Int { values.height }

  /// The share of cells with a value.
  public var validShare: Double {
    Double(states.elements.count { $0 != .invalid }) / Double(states.elements.count)
  }

  /// Metres at a point of the picture of size `imageSize`, bilinear between cell centres; nil if the point is
  /// outside the picture or any of the four cells has no value.
  public func meters(at point: Point2<ImagePixels>, imageSize: PixelSize) -> Double? {
    guard point.x >= 0, point.y >= 0, point.x <= Double(imageSize.width), point.y <= Double(imageSize.height)
    else { return nil }
    let column = CellPair(point.x * Double(width) / Double(imageSize.width) - 0.5, count: width)
    let row = CellPair(point.y * Double(height) / Double(imageSize.height) - 0.5, count: height)
    for y in [row.first, row.second] {
      for x in [column.first, column.second] where states[x, y] == .invalid { return nil }
    }
    return Double(values.bilinear(in: values.elements.span, column, row))
  }
}

extension MetricDepth {
  /// Whether the cell under a point of the picture lies beyond the range that the fit has seen.
  func isExtrapolated(at point: Point2<ImagePixels>, imageSize: PixelSize) -> Bool {
    guard imageSize.bounds().contains(point) else { return false }
    let x = min(width - 1, Int(point.x * Double(width) / Double(imageSize.width)))
    let y = min(height - 1, Int(point.y * Double(height) / Double(imageSize.height)))
    return states[x, y] == .extrapolated
  }
}

/// Which readings of a depth sensor count.
public struct SensorRules: Sendable, Equatable {
  /// Accepted depth in metres, both ends included.
  public var range: ClosedRange<Float>
  /// The least accepted confidence, 0 to 2.
  public var minimumConfidence: UInt8

  /// Readings of the highest confidence at whatever distance: the sensor says by its confidence how far it reads.
  public static let anyDistance = SensorRules(range: 0.1...Float.greatestFiniteMagnitude)

  /// Rules; by default 0.1 to 4 m at the highest confidence.
  public init(range: ClosedRange<Float> = 0.1...4, minimumConfidence: UInt8 = 2) {
    self.range = range
    self.minimumConfidence = minimumConfidence
  }
}
