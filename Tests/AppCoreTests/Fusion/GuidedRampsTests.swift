import AppCore
import Foundation
import Imaging
import Testing

/// Pillars at 1.25 m before a wall at 2 m, both slanted; the sensor blurs their edges by a Gaussian and displaces them.
@Suite struct GuidedRampsTests {
  static let (width, height) = (256, 24)
  /// Cells of relative depth to a side of one of the sensor's.
  static let scale = 2
  /// Where pillars begin and end in turn.
  static let edges = [40.3, 88.6, 136.1, 184.4, 232.7]

  /// Inverse depth at a place in cells, with edges blurred by `spread` and moved outwards by `shift`.
  static func inverse(_ x: Double, _ y: Double, spread: Double = 0, shift: Double = 0) -> Double {
    let (wall, pillar) = (0.5 * (1 - 0.002 * y), 0.8 * (1 + 0.001 * y))
    var share = 0.0
    for (index, edge) in edges.enumerated() {
      let sign = index.isMultiple(of: 2) ? 1.0 : -1.0
      let beyond = x - edge + sign * shift
      share += sign * (spread > 0 ? (1 + erf(beyond / (spread * 2.0.squareRoot()))) / 2 : beyond > 0 ? 1 : 0)
    }
    return wall + (pillar - wall) * share
  }

  static func sensed(spread: Double, shift: Double) -> Plane<Float> {
    Plane(
      width: width, height: height,
      elements: (0..<width * height).map {
        Float(1 / inverse(Double($0 % width), Double($0 / width), spread: spread, shift: shift))
      })
  }

  /// The center of a cell of relative depth in cells of the sensor's.
  static func place(_ index: Int) -> (x: Double, y: Double) {
    let (x, y) = (index % (scale * width), index / (scale * width))
    return ((Double(x) + 0.5) / Double(scale) - 0.5, (Double(y) + 0.5) / Double(scale) - 0.5)
  }

  static let truth = (0..<scale * scale * width * height).map {
    let (x, y) = place($0)
    return 1 / inverse(x, y)
  }

  /// Exact edges; a slope of its own, and another factor in a strip on the wall where there is no edge of depth.
  static func relative(slope: Double = 0, strip: Double = 1) -> RelativeDepth {
    RelativeDepth(
      Plane(
        width: scale * width, height: scale * height,
        elements: truth.indices.map {
          let x = place($0).x
          let factor = (1 - slope * x) * ((20.0..<26).contains(x) ? strip : 1)
          return Float(3 * factor / truth[$0] + 0.5)
        }))
  }

  static func fused(
    _ sensed: Plane<Float>, _ relative: RelativeDepth, _ kind: SensorModel.Kind,
    confidence: Plane<UInt8>? = nil
  ) throws -> MetricDepth {
    try #require(
      DepthFusion.fuse(
        relative: relative, sensor: MetricDepth(sensor: sensed, confidence: confidence), unsure: sensed,
        options: FusionOptions(sensor: SensorModel(kind))
      ).metric)
  }

  /// Mean relative error of the pixels at most so many cells from an edge.
  static func absRelAtEdges(_ metric: MetricDepth, within cells: Double = 1.5) -> Double {
    let near = truth.indices.filter { index in edges.contains { abs(place(index).x - $0) < cells } }
    let sum = near.reduce(0) { $0 + abs(Double(metric.values.elements[$1]) / truth[$1] - 1) }
    return sum / Double(near.count)
  }

  @Test(arguments: [0.5, 0, -0.5]) func rampsBecomeStepsWhereRelativeDepthHasThem(shift: Double) throws {
    let sensed = Self.sensed(spread: 0.8, shift: shift)
    let relative = Self.relative(slope: 0.0002)
    let sharp = try Self.absRelAtEdges(Self.fused(sensed, relative, .lidar))
    let plain = try Self.absRelAtEdges(Self.fused(sensed, relative, .unknown))
    #expect(sharp < 0.35 * plain, "\(sharp) and \(plain)")
    #expect(sharp < 0.03)
  }

  @Test func exactReadingsStayExact() throws {
    let exact = Self.sensed(spread: 0, shift: 0)
    for relative in [Self.relative(), Self.relative(slope: 0.0002)] {
      #expect(try Self.fused(exact, relative, .lidar) == Self.fused(exact, relative, .unknown))
    }
  }

  /// An edge that the relative depth has alone changes nothing.
  @Test func smoothSurfacesAreKept() throws {
    let sensed = Self.sensed(spread: 0.8, shift: 0.5)
    let relative = Self.relative(strip: 1.05)
    let (sharp, plain) = try (Self.fused(sensed, relative, .lidar), Self.fused(sensed, relative, .unknown))
    for index in Self.truth.indices where Self.edges.allSatisfy({ abs(Self.place(index).x - $0) > 8 }) {
      #expect(sharp.values.elements[index] == plain.values.elements[index])
      #expect(sharp.states.elements[index] == plain.states.elements[index])
    }
  }

  /// Cells of a ramp are guided, those beside it measured; what is not read stays without reading.
  @Test func replacedReadingsAreGuided() throws {
    var sensed = Self.sensed(spread: 0.8, shift: 0.5)
    for y in 8..<16 {
      for x in 100..<112 { sensed[x, y] = 0 }
    }
    // Nothing at the first edge is sure.
    let confidence = Plane<UInt8>(
      width: Self.width, height: Self.height,
      elements: (0..<Self.width * Self.height).map { abs($0 % Self.width - 40) <= 2 ? 1 : 2 })
    let metric = try Self.fused(sensed, Self.relative(), .lidar, confidence: confidence)
    func state(_ x: Int, _ y: Int) -> DepthState { metric.states[Self.scale * x, Self.scale * y] }
    #expect(state(40, 12) == .guided && state(136, 12) == .guided)
    #expect(state(60, 12) == .measured && state(120, 12) == .measured)
    #expect(state(105, 12) == .guided)
    let off = abs(Double(metric.values[Self.scale * 40, 24]) * Self.inverse(39.75, 11.75) - 1)
    #expect(off < 0.05, "\(off)")
  }
}
