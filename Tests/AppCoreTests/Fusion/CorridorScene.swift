import AppCore
import FileFormats
import Geometry
import Imaging
import TestSupport

/// A corridor: floor, ceiling, walls and an end, with a box in it, seen by a level camera; depth from 1 to `length` m.
struct CorridorScene {
  static let grid = (width: 128, height: 96)
  static let map = (width: 384, height: 288)

  var length = 9.0
  /// The network's relative error of inverse depth from the left of the picture to the right, and how large its
  /// smooth waves are.
  var lean = 0.0
  var waves = 0.0

  /// Planar depth at a place of the picture, both from 0 to 1.
  func depth(_ u: Double, _ v: Double) -> Double {
    let (x, y) = ((u - 0.5) * 1.2, (v - 0.5) * 0.9)
    var depth = min(length, 1.1 / max(abs(x), 1e-9), y > 0 ? 1.4 / max(y, 1e-9) : 1.2 / max(-y, 1e-9))
    // A box of 0.6 m on the floor, 3 m away.
    if (-0.5...0.1).contains(x * 3), (0.6...1.4).contains(y * 3) { depth = min(depth, 3) }
    return depth
  }

  func sensor(deviation: (Double) -> Double = { _ in 0 }, seed: UInt64 = 5) -> Plane<Float> {
    var random = SplitMix64(seed: seed)
    return Self.plane(Self.grid) { u, v in
      let meters = depth(u, v)
      return Float(meters + deviation(meters) * random.gaussian())
    }
  }

  var relative: RelativeDepth {
    RelativeDepth(
      Self.plane(Self.map) { u, v in
        let error = 1 + lean * (u - 0.5) + waves * Self.wave(u, v)
        return Float(7 * error / depth(u, v) + 0.4)
      })
  }

  private static func wave(_ u: Double, _ v: Double) -> Double {
    // Parabolas in place of sines: smooth, and the same bits everywhere.
    let (a, b) = (4 * u - (4 * u).rounded(), 3 * v - (3 * v).rounded())
    return 4 * a * (1 - abs(2 * a)) + 4 * b * (1 - abs(2 * b))
  }

  /// Errors of a map, meters, in a band of true depth.
  func errors(_ metric: MetricDepth, in band: Range<Double>) -> [Double] {
    let width = metric.width
    return (0..<width * metric.height).compactMap { index in
      let truth = depth(
        (Double(index % width) + 0.5) / Double(width), (Double(index / width) + 0.5) / Double(metric.height))
      guard band.contains(truth) else { return nil }
      return abs(Double(metric.values.elements[index]) - truth)
    }
  }

  static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private static func plane(
    _ size: (width: Int, height: Int), _ value: (Double, Double) -> Float
  ) -> Plane<Float> {
    Plane(
      width: size.width, height: size.height,
      elements: (0..<size.width * size.height).map {
        value(
          (Double($0 % size.width) + 0.5) / Double(size.width),
          (Double($0 / size.width) + 0.5) / Double(size.height))
      })
  }
}
