// Floating-point numbers of files, options and measurements as integers, without a trap.
//
// `Int(x)` ends the process where x is not a number or out of range. Everywhere but in the files of
// tools/check/conversion-files.txt, whose ranges are proven, one of these is used, or `Int(exactly:)` where a number
// that does not fit is to be refused; tools/check/check-conversions sees to it.

extension FixedWidthInteger {
  /// The number without its fraction; the nearest integer there is where it is out of the range of `Int` or of this
  /// type, and 0 for what is not a number.
  @inlinable
  package init(clamping value: Double) {
    // -2^63 is an Int, 2^63 is the first number that is not.
    if value >= 0x1p63 {
      self.init(clamping: Int.max)
    } else if value >= -0x1p63 {
      self.init(clamping: Int(value))
    } else {
      self.init(clamping: value.isNaN ? 0 : Int.min)
    }
  }

  /// As for double precision, which holds every number of single precision.
  @inlinable
  package init(clamping value: Float) { self.init(clamping: Double(value)) }
}
