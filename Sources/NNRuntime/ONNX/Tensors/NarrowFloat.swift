import FileFormats

/// A floating-point format of 16 bits or fewer: sign, exponent and `mantissa` bits.
struct NarrowFloat {
  let mantissa: Int
  let bias: Int
  /// The bits of the largest finite value.
  let greatest: Int
  /// Bits of infinity and of not-a-number, where the format has them.
  var infinity: Int?
  var nan: Int?
  var hasNegativeZero = true
  /// Powers of two without sign and zero.
  var isScale = false

  /// How `float8e8m0` rounds.
  enum ScaleRounding { case up, down, nearest }

  private var signBit: Int {
    if isScale { return 0 }
    var bit = 1
    while bit <= max(greatest, infinity ?? 0, hasNegativeZero ? nan ?? 0 : 0) { bit <<= 1 }
    return bit
  }

  /// The value of an element's bits: exact.
  func value(_ bits: Int) -> Double {
    if bits == nan { return .nan }
    if isScale { return Double(sign: .plus, exponent: bits - bias, significand: 1) }
    let magnitude = bits & (signBit - 1)
    let isNegative = bits & signBit != 0
    if let infinity, magnitude >= infinity {
      return magnitude == infinity ? (isNegative ? -.infinity : .infinity) : .nan
    }
    if let nan, hasNegativeZero, magnitude >= nan { return .nan }
    let exponent = magnitude >> mantissa
    let fraction = Double(magnitude & (1 << mantissa - 1))
    let implicit = exponent == 0 ? fraction : fraction + Double(1 << mantissa)
    let scaled = Double(sign: .plus, exponent: max(exponent, 1) - bias - mantissa, significand: 1) * implicit
    return isNegative ? -scaled : scaled
  }

  /// The bits of the nearest value, ties to even.
  ///
  /// `saturating`: what is too large becomes the largest value, not infinity or not-a-number.
  func bits(_ value: Double, saturating: Bool, scale: ScaleRounding = .up) -> Int {
    // The type of four bits has no not-a-number: minus zero stands for it.
    if value.isNaN { return nan ?? signBit }
    if isScale { return scaleBits(value, scale, saturating) }
    let sign = value.sign == .minus ? signBit : 0
    let overflow = saturating ? greatest : infinity ?? nan ?? greatest
    guard value.isFinite else { return overflow == nan && !hasNegativeZero ? overflow : sign | overflow }
    let magnitude = abs(value)
    let exponent = magnitude == 0 ? 1 - bias : max(Int(magnitude.exponent), 1 - bias)
    if exponent > 1000 { return sign | overflow }
    let units = (magnitude * Double(sign: .plus, exponent: mantissa - exponent, significand: 1))
      .rounded(.toNearestOrEven)
    // A carry out of the mantissa is one into the exponent.
    let code = (exponent + bias - 1) << mantissa + Int(clamping: units)
    if code > greatest { return overflow == nan && !hasNegativeZero ? overflow : sign | overflow }
    return code == 0 && !hasNegativeZero ? 0 : sign | code
  }

  private func scaleBits(_ value: Double, _ rounding: ScaleRounding, _ saturating: Bool) -> Int {
    guard value > 0 else { return value == 0 ? 0 : nan ?? 0 }
    guard value.isFinite else { return saturating ? greatest : nan ?? greatest }
    let low = Int(value.exponent)
    let isUp =
      switch rounding {
      case .up: value.significand > 1
      case .down: false
      case .nearest: value.significand >= 1.5
      }
    let code = low + bias + (isUp ? 1 : 0)
    return code > greatest ? (saturating ? greatest : nan ?? greatest) : max(code, 0)
  }
}
