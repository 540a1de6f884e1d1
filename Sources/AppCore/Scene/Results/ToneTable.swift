#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The sRGB transfer function (IEC 61966-2-1), between stored values and linear light, both in 0...1.
enum SRGBTransfer {
  static func linear(fromStored value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }
}

/// Output of a stored 8-bit color value at each mask coverage.
///
/// With L the linear light of the value, m = alpha / 255 the coverage, b the object gain and d the
/// background gain: out = m · min(1, b L) + (1 − m) · min(1, d L), stored again as sRGB.
package struct ToneTable: Sendable {
  /// 256 rows, one per alpha, of 256 stored values.
  package let entries: [UInt8]

  package init(backgroundGain: Double, objectGain: Double) {
    let light = (0..<256).map { SRGBTransfer.linear(fromStored: Double($0) / 255) }
    // Stored value k covers the linear light between thresholds k − 1 and k.
    let thresholds = (0..<255).map { SRGBTransfer.linear(fromStored: (Double($0) + 0.5) / 255) }
    var entries = [UInt8](repeating: 0, count: 256 * 256)
    for alpha in 0..<256 {
      let coverage = Double(alpha) / 255
      var stored = 0
      // The output never falls as the input grows, so one sweep along the thresholds suffices.
      for value in 0..<256 {
        let mixed =
          coverage * min(1, objectGain * light[value]) + (1 - coverage)
          * min(1, backgroundGain * light[value])
        while stored < 255, mixed >= thresholds[stored] { stored += 1 }
        entries[alpha << 8 | value] = UInt8(stored)
      }
    }
    self.entries = entries
  }

  /// Whether every value stays as it is, whatever the coverage.
  package var changesNothing: Bool {
    entries.indices.allSatisfy { entries[$0] == UInt8(truncatingIfNeeded: $0) }
  }

  package subscript(value: UInt8, alpha alpha: UInt8) -> UInt8 { entries[Int(alpha) << 8 | Int(value)] }
}
