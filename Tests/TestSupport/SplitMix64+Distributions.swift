import FileFormats
import Foundation

/// Numbers in double precision.
extension SplitMix64 {
  /// The next number as one in [0, 1), of 53 bits.
  package mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A standard normal value (Box-Muller).
  package mutating func gaussian() -> Double {
    let u = Double.random(in: Double.leastNonzeroMagnitude...1, using: &self)
    let v = Double.random(in: 0..<1, using: &self)
    return (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
  }
}
