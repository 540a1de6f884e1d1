import AppCore
import Imaging
import Testing

/// A wall at 2 m behind a box at 1 m; relative depth is inverse depth up to scale and shift, blurred nowhere.
@Suite struct SensorGuidedDepthTests {
  static let size = 32
  /// Where the box ends: off the cells' centres.
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

  /// Every fourth cell hidden: the depth found there is that of its own side, where the mean of the neighbours
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
}
