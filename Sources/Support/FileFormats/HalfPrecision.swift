/// Conversions between binary16, bfloat16 and single precision, by integer arithmetic.
///
/// Swift's own `Float(Float16)` is a library call on the baseline instruction set; these loops become
/// vector code. Unsafe only where an array is filled in place.
package enum HalfPrecision {
  /// The single-precision values of IEEE binary16 bit patterns: exact, subnormals, infinities and NaN
  /// payloads included.
  package static func floats(fromBinary16 bits: Span<UInt16>) -> [Float] {
    unsafe [Float](count: bits.count) { output in
      for index in 0..<bits.count { unsafe output[index] = float(fromBinary16: bits[index]) }
    }
  }

  /// The single-precision values of bfloat16 bit patterns: exact.
  package static func floats(fromBFloat16 bits: Span<UInt16>) -> [Float] {
    unsafe [Float](count: bits.count) { output in
      for index in 0..<bits.count { unsafe output[index] = Float(bitPattern: UInt32(bits[index]) << 16) }
    }
  }

  /// The single-precision value of one binary16 bit pattern.
  @inlinable @inline(__always)
  package static func float(fromBinary16 bits: UInt16) -> Float {
    let wide = UInt32(bits)
    let sign = (wide & 0x8000) << 16
    let magnitude = (wide & 0x7fff) << 13
    let exponent = magnitude & 0x0f80_0000
    // The exponent's bias grows by 112; infinities and NaN go to the top exponent instead.
    let normal = magnitude &+ 0x3800_0000
    let special = magnitude &+ 0x7000_0000
    // A subnormal m 2^-24 is (1 + m 2^-10) 2^-14 minus 2^-14, which is exact.
    let subnormal = (Float(bitPattern: magnitude &+ 0x3880_0000) - 0x1p-14).bitPattern
    return Float(
      bitPattern: sign | (exponent == 0x0f80_0000 ? special : exponent == 0 ? subnormal : normal))
  }

  /// The nearest binary16 bit pattern of a single-precision value, ties to even; too large is infinite.
  package static func binary16(from value: Float) -> UInt16 {
    let bits = value.bitPattern
    let sign = UInt16(truncatingIfNeeded: bits >> 16) & 0x8000
    let magnitude = bits & 0x7fff_ffff
    if magnitude > 0x7f80_0000 { return sign | 0x7e00 | UInt16(truncatingIfNeeded: magnitude >> 13 & 0x3ff) }
    // 65520 and more round to infinity.
    if magnitude >= 0x477f_f000 { return sign | 0x7c00 }
    if magnitude < 0x3880_0000 {
      // The last bit of a sum near 0.5 is 2^-24, the smallest subnormal: the addition rounds.
      let aligned = Float(bitPattern: magnitude) + 0.5
      return sign | UInt16(truncatingIfNeeded: aligned.bitPattern - 0x3f00_0000)
    }
    let rebiased = magnitude - 0x3800_0000
    return sign | UInt16(truncatingIfNeeded: (rebiased + 0xfff + (rebiased >> 13 & 1)) >> 13)
  }
}
