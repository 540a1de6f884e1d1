import AppCore
import Geometry
import Imaging
import Testing

@Suite struct DepthMapTests {
  /// Values that pass through Float maps.
  static let float = 1e-5

  /// Relative depth that rises along x and falls along y; bilinear reading of it is exact.
  static func ramp(_ width: Int, _ height: Int) -> Plane<Float> {
    let cells = (0..<width * height).map { index in
      1 + 2 * (Float(index % width) + 0.5) / Float(width) - 0.5 * (Float(index / width) + 0.5) / Float(height)
    }
    return Plane(width: width, height: height, elements: cells)
  }

  static func sensor(_ width: Int, _ height: Int) -> Plane<Float> {
    ramp(width, height).map { 1 / (0.4 * $0 + 0.1) }
  }

  @Test func gridsMeetAtCellCenters() throws {
    let report = DepthFusion.fit(
      relative: RelativeDepth(Self.ramp(518, 392)), sensor: MetricDepth(sensor: Self.sensor(256, 192)))
    #expect(report.pairs == 256 * 192)
    guard case .inverse(let scale, let shift) = try #require(report.alignment).model else {
      Issue.record("not an inverse fit")
      return
    }
    #expect(abs(scale - 0.4) < Self.float && abs(shift - 0.1) < Self.float)
    // Index times ratio is off by half a cell.
    #expect(report.alignment?.medianRelativeResidual ?? 1 < Self.float)
  }

  @Test func sensorRulesAreClosedAndNeedConfidence() {
    let depth = Plane<Float>(
      width: 4, height: 2, elements: [0.1, 4, 0.0999, 4.0001, .nan, .infinity, 0, 2])
    let rules = SensorRules(range: 0.1...4)
    let open = MetricDepth(sensor: depth, rules: rules)
    #expect(
      open.states.elements.map { $0 == .measured } == [true, true] + Array(repeating: false, count: 5) + [
        true
      ])
    #expect(open.values.elements == [0.1, 4, 0, 0, 0, 0, 0, 2])
    let confidence = Plane<UInt8>(width: 4, height: 2, elements: [2, 1, 2, 2, 2, 2, 2, 2])
    let judged = MetricDepth(sensor: depth, confidence: confidence, rules: rules)
    #expect(judged.states.elements.count { $0 == .measured } == 2)
    #expect(open.validShare == 3.0 / 8)
  }

  @Test func unusableCellsGiveNoPairs() {
    var relative = Self.ramp(64, 48)
    var sensor = Self.sensor(64, 48)
    relative[0, 0] = .nan
    relative[1, 0] = .infinity
    relative[2, 0] = 0
    relative[3, 0] = -1
    sensor[4, 0] = .nan
    sensor[5, 0] = 0
    let report = DepthFusion.fit(relative: RelativeDepth(relative), sensor: MetricDepth(sensor: sensor))
    #expect(report.pairs == 64 * 48 - 6)
    #expect(report.status == .ok)
  }

  static func alignment() throws -> DepthAlignment {
    let report = DepthFusion.fit(
      relative: RelativeDepth(ramp(64, 48)),
      sensor: MetricDepth(sensor: sensor(64, 48)))
    return try #require(report.alignment)
  }

  @Test func mapsFlagWhatTheFitHasNotSeen() throws {
    let alignment = try Self.alignment()
    let range = alignment.fittedRangeMeters
    let probe = Plane<Float>(
      width: 6, height: 1, elements: [-1, -0.25001, -0.24, 2, 1e9, .nan])
    let map = alignment.metric(RelativeDepth(probe))
    #expect(map.states.elements == [.invalid, .invalid, .extrapolated, .fitted, .extrapolated, .invalid])
    #expect(map.values[0, 0] == 0 && map.values[5, 0] == 0)
    #expect(map.values[2, 0] == 100)
    #expect(map.values[4, 0] == 0.01)
    #expect(abs(Double(map.values[3, 0]) - 1 / 0.9) < Self.float)
    #expect(range.lowerBound < 1 && range.upperBound > 1.4)
  }

  @Test func fullMapsFollowTheRelativeGrid() throws {
    let alignment = try Self.alignment()
    let relative = RelativeDepth(Self.ramp(64, 48))
    let own = alignment.metric(relative)
    let large = alignment.metric(relative, size: PixelSize(width: 256, height: 192))
    let truth = Self.sensor(256, 192)
    #expect(alignment.metric(relative, size: PixelSize(width: 64, height: 48)) == own)
    // Inside the outermost cell centers a ramp is interpolated exactly.
    for y in 2..<190 {
      for x in 2..<254 {
        #expect(abs(large.values[x, y] - truth[x, y]) < Float(Self.float))
      }
    }
  }

  @Test func readingBetweenCellsNeedsAllFour() {
    var depth = Plane<Float>(width: 4, height: 4, fill: 1)
    depth[2, 2] = .nan
    depth[0, 0] = 3
    let map = MetricDepth(sensor: depth)
    let size = PixelSize(width: 400, height: 400)
    #expect(map.meters(at: Point2(50, 50), imageSize: size) == 3)
    #expect(map.meters(at: Point2(100, 50), imageSize: size) == 2)
    #expect(map.meters(at: Point2(0, 0), imageSize: size) == 3)
    #expect(map.meters(at: Point2(220, 220), imageSize: size) == nil)
    #expect(map.meters(at: Point2(401, 50), imageSize: size) == nil)
    #expect(map.meters(at: Point2(.nan, 50), imageSize: size) == nil)
  }

  @Test func depthReadBackKeepsItsGaps() {
    let map = MetricDepth(fitted: Plane(width: 5, height: 1, elements: [1, 0, .nan, -2, .infinity]))
    #expect(map.states.elements == [.fitted, .invalid, .invalid, .invalid, .invalid])
    #expect(map.values.elements == [1, 0, 0, 0, 0])
    let ranged = MetricDepth(
      fitted: Plane(width: 3, height: 1, elements: [0.5, 1, 5]), fittedRange: 0.6...4)
    #expect(ranged.states.elements == [.extrapolated, .fitted, .extrapolated])
  }
}
