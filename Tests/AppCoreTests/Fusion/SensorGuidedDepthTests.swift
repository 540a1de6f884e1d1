import AppCore
import Imaging
import Testing

/// A wall at 2 m behind a box at 1 m; relative depth is inverse depth up to scale and shift, blurred nowhere.
@Suite struct SensorGuidedDepthTests {
  static let size = 32
  /// Where the box ends: off the cells' centers.
  static let edge = 15.5

  static func depth(_ x: Double, _ y: Double) -> Float { x < edge ? 1 : 2 + 0.01 * Float(y) }

  static let sensorDepth = Plane(
    width: size, height: size,
    elements: (0..<size * size).map { depth(Double($0 % size), Double($0 / size)) })

  /// Four times finer, with a slope of its own that the sensor does not confirm.
  static let relative = RelativeDepth(
    Plane(
      width: 4 * size, height: 4 * size,
      elements: (0..<16 * size * size).map {
        let (x, y) = ((Double($0 % (4 * size)) + 0.5) / 4 - 0.5, (Double($0 / (4 * size)) + 0.5) / 4 - 0.5)
        return (1 / depth(x, y)) * (1.03 - 0.002 * Float(y)) * 3 + 0.5
      }))

  static func alignment(_ sensor: MetricDepth) throws -> DepthAlignment {
    try #require(DepthFusion.fit(relative: relative, sensor: sensor).alignment)
  }

  /// Every fourth cell hidden: the depth found there is that of its own side, where the mean of the neighbors
  /// is off by a quarter of the step.
  @Test func hiddenCellsAtAnEdgeTakeTheirOwnSide() throws {
    let confidence = Plane<UInt8>(
      width: Self.size, height: Self.size,
      elements: (0..<Self.size * Self.size).map {
        ($0 % Self.size) % 2 == 0 && ($0 / Self.size) % 2 == 0 ? 0 : 2
      })
    let sensor = MetricDepth(sensor: Self.sensorDepth, confidence: confidence)
    let fused = try Self.alignment(sensor).metric(Self.relative, following: sensor)
    for y in stride(from: 2, to: Self.size - 2, by: 2) {
      for x in stride(from: 2, to: Self.size - 2, by: 2) {
        let found = fused.values[4 * x + 2, 4 * y + 2]
        let exact = Self.depth(Double(x), Double(y))
        #expect(abs(found - exact) < 0.01 * exact, "cell \(x), \(y): \(found) instead of \(exact)")
      }
    }
  }

  /// A step that the sensor reads as a ramp, with gaps: the same depth and figures for any number of threads.
  @Test(arguments: [2, 7]) func threadsChangeNothing(threads: Int) throws {
    let (width, height) = (256, 192)
    func inverse(_ x: Double, _ y: Double, blur: Double) -> Float {
      let share = min(max((x - 120 - y / 8) / blur + 0.5, 0), 1)
      return Float((1 - share) * 0.9 + share * 0.4 + 0.0004 * y)
    }
    let depth = Plane(
      width: width, height: height,
      elements: (0..<width * height).map { cell -> Float in
        let (x, y) = (cell % width, cell / width)
        return (x / 7 + y / 5) % 9 == 0 ? 0 : 1 / inverse(Double(x), Double(y), blur: 4)
      })
    let relative = RelativeDepth(
      Plane(
        width: 2 * width + 3, height: 2 * height,
        elements: (0..<(2 * width + 3) * 2 * height).map { index -> Float in
          let (x, y) = (index % (2 * width + 3), index / (2 * width + 3))
          return 7 * inverse(Double(x) / 2, Double(y) / 2, blur: 0.5) + 1
        }))
    let options = FusionOptions(sensor: SensorModel(.lidar))
    let sensor = MetricDepth(sensor: depth)
    let one = DepthFusion.fuse(relative: relative, sensor: sensor, unsure: depth, options: options)
    let more = DepthFusion.fuse(
      relative: relative, sensor: sensor, unsure: depth, options: options, threads: threads)
    let metric = try #require(one.metric)
    #expect(more.metric == metric && more.report == one.report)
    let shares = try #require(one.report.shares)
    for state in DepthState.allCases {
      let count = metric.states.elements.count { $0 == state }
      #expect(shares[state] == Double(count) / Double(metric.states.elements.count), "\(state)")
    }
    #expect(shares[.guided] ?? 0 > 0.01 && one.report.quality != nil)
  }

  @Test func withoutReadingsTheAlignmentAnswers() throws {
    let all = MetricDepth(sensor: Self.sensorDepth)
    let alignment = try Self.alignment(all)
    let none = MetricDepth(
      sensor: Self.sensorDepth,
      confidence: Plane(
        width: Self.size, height: Self.size,
        elements: [UInt8](repeating: 0, count: Self.size * Self.size)))
    let plain = alignment.metric(Self.relative)
    let fused = alignment.metric(Self.relative, following: none)
    #expect(fused.states == plain.states)
    #expect(zip(fused.values.elements, plain.values.elements).allSatisfy { abs($0 - $1) < 1e-6 * $1 })
  }

  /// The relative depth's own slope, which the sensor does not confirm, is corrected.
  @Test func readingsOverruleTheAlignment() throws {
    let sensor = MetricDepth(sensor: Self.sensorDepth)
    let alignment = try Self.alignment(sensor)
    func worst(_ metric: MetricDepth) -> Float {
      (8..<Self.size - 8).map { y in
        let exact = Self.depth(4, Double(y))
        return abs(metric.values[18, 4 * y + 2] - exact) / exact
      }.max() ?? 0
    }
    let followed = worst(alignment.metric(Self.relative, following: sensor))
    #expect(followed < 0.25 * worst(alignment.metric(Self.relative)))
  }

  /// A hole in the readings is guided as far as they reach, and the fit's beyond; each pixel says which it is.
  @Test func everyPixelSaysHowItIsKnown() throws {
    let size = 64
    let depth = Plane<Float>(
      width: size, height: size, elements: (0..<size * size).map { 2 + 0.01 * Float($0 / size) })
    func relative(_ pixel: Int) -> Float {
      let meters: Float = 2 + 0.01 * (Float(pixel / (2 * size)) - 0.5) / 2
      return 3 / meters + 0.5
    }
    let relative = RelativeDepth(
      Plane(width: 2 * size, height: 2 * size, elements: (0..<4 * size * size).map(relative)))
    // The right half has no readings.
    let confidence = Plane<UInt8>(
      width: size, height: size, elements: (0..<size * size).map { $0 % size < size / 2 ? 2 : 0 })
    let sensor = MetricDepth(sensor: depth, confidence: confidence)
    let metric = try Self.alignment(of: relative, sensor).metric(relative, following: sensor)
    for y in [0, size, 2 * size - 1] {
      #expect(metric.states[10, y] == .measured)
      #expect(metric.states[size + 4, y] == .guided)
      #expect([.fitted, .extrapolated].contains(metric.states[2 * size - 4, y]))
    }
    let found = MetricDepth(values: metric.values, codes: metric.codes)
    #expect(found == metric)
    #expect(Set(metric.codes.elements).isSubset(of: [1, 2, 3, 4]))
    #expect(MetricDepth(values: metric.values, codes: metric.codes.map { _ in 5 }) == nil)
    #expect(MetricDepth(values: metric.values.map { _ in 0 }, codes: metric.codes) == nil)
  }

  static func alignment(of relative: RelativeDepth, _ sensor: MetricDepth) throws -> DepthAlignment {
    try #require(DepthFusion.fit(relative: relative, sensor: sensor).alignment)
  }

  /// Readings between both surfaces do not leak: the result is as without them.
  @Test func flyingReadingsAreLeftOut() throws {
    var flying = Self.sensorDepth
    for y in stride(from: 1, to: Self.size, by: 2) { flying[15, y] = 1.4 }
    let (clean, dirty) = (MetricDepth(sensor: Self.sensorDepth), MetricDepth(sensor: flying))
    let alignment = try Self.alignment(clean)
    let metric = alignment.metric(Self.relative, following: dirty)
    for y in 4..<4 * Self.size - 4 {
      for x in 4 * 13..<4 * 18 {
        let exact = Self.depth((Double(x) + 0.5) / 4 - 0.5, (Double(y) + 0.5) / 4 - 0.5)
        #expect(abs(metric.values[x, y] - exact) < 0.03 * exact, "\(x), \(y): \(metric.values[x, y])")
      }
    }
  }

  /// A picture whose width is no multiple of the lanes, and one cell high.
  @Test(arguments: [(1, 1), (7, 5), (9, 1), (17, 33)]) func anySizeWillDo(_ width: Int, _ height: Int) throws
  {
    let sensor = MetricDepth(sensor: Self.sensorDepth)
    let alignment = try Self.alignment(sensor)
    let relative = RelativeDepth(Plane(width: width, height: height, fill: 2.5))
    let metric = alignment.metric(relative, following: sensor)
    #expect(metric.width == width && metric.height == height)
    #expect(metric.values.elements.allSatisfy { $0 > 0 && $0 < 100 })
  }
}
