import AppCore
import FileFormats
import Imaging
import TestSupport

/// Synthetic pairs whose true alignment is 1 / Z = r / 3 + 2 / 15, that is r = 3 / Z - 0.4.
enum FusionScene {
  static let scale = 1.0 / 3
  static let shift = 2.0 / 15

  /// `count` depths in 0.5...4 m with relative noise, a share of them replaced by any depth of the sensor's range.
  static func pairs(
    count: Int, noise: Double, outliers: Double, seed: UInt64
  ) -> (relative: [Double], meters: [Double]) {
    var random = SplitMix64(seed: seed)
    var relative: [Double] = []
    var meters: [Double] = []
    for _ in 0..<count {
      let z = Double.random(in: 0.5...4, using: &random)
      relative.append(3 / z - 0.4)
      if Double.random(in: 0..<1, using: &random) < outliers {
        meters.append(Double.random(in: 0.1...4, using: &random))
      } else {
        meters.append(z * (1 + noise * random.gaussian()))
      }
    }
    return (relative, meters)
  }
}
