import FileFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An element to compute with.
///
/// Integers wrap around, as NumPy's and every processor's do.
package protocol Number: Element, Comparable {
  init(truncating value: Double)
  init(wrapping value: Int64)
  var double: Double { get }
  /// The value as an integer of 64 bits: cut off, and limited where it is a fraction.
  var int64: Int64 { get }
  static var isFloat: Bool { get }
  static func add(_ a: Self, _ b: Self) -> Self
  static func subtract(_ a: Self, _ b: Self) -> Self
  static func multiply(_ a: Self, _ b: Self) -> Self
  /// Integers: cut off towards zero; `b` is not 0.
  static func divide(_ a: Self, _ b: Self) -> Self
  /// With the sign of `b`; integers: `b` is not 0.
  static func floorRemainder(_ a: Self, _ b: Self) -> Self
  /// With the sign of `a`, as C's `fmod`.
  static func remainder(_ a: Self, _ b: Self) -> Self
  /// Not-a-number, if one of them is; else the smaller.
  static func lesser(_ a: Self, _ b: Self) -> Self
  static func greater(_ a: Self, _ b: Self) -> Self
  static var lowest: Self { get }
  static var highest: Self { get }
  var isNotANumber: Bool { get }
}

extension Number where Self: FixedWidthInteger {
  package init(wrapping value: Int64) { self.init(truncatingIfNeeded: value) }
  package init(truncating value: Double) {
    if let exact = Self(exactly: value.rounded(.towardZero)) {
      self = exact
    } else {
      // As C compilers on this machine do it: by way of 64 bits.
      self = value.isNaN ? 0 : Self(truncatingIfNeeded: Int64(clamping: value))
    }
  }
  package var double: Double { Double(self) }
  package var int64: Int64 { Int64(truncatingIfNeeded: self) }
  package static var isFloat: Bool { false }
  package static func add(_ a: Self, _ b: Self) -> Self { a &+ b }
  package static func subtract(_ a: Self, _ b: Self) -> Self { a &- b }
  package static func multiply(_ a: Self, _ b: Self) -> Self { a &* b }
  package static func divide(_ a: Self, _ b: Self) -> Self { a.dividedReportingOverflow(by: b).partialValue }
  package static func floorRemainder(_ a: Self, _ b: Self) -> Self {
    let rest = remainder(a, b)
    return rest != 0 && (rest < 0) != (b < 0) ? rest &+ b : rest
  }
  package static func remainder(_ a: Self, _ b: Self) -> Self {
    let (rest, overflow) = a.remainderReportingOverflow(dividingBy: b)
    return overflow ? 0 : rest
  }
  package static func lesser(_ a: Self, _ b: Self) -> Self { Swift.min(a, b) }
  package static func greater(_ a: Self, _ b: Self) -> Self { Swift.max(a, b) }
  package static var lowest: Self { .min }
  package static var highest: Self { .max }
  package var isNotANumber: Bool { false }
}

extension Number where Self: BinaryFloatingPoint {
  package init(truncating value: Double) { self.init(value) }
  package init(wrapping value: Int64) { self.init(value) }
  package var int64: Int64 { isNaN ? 0 : Int64(clamping: Double(self)) }
  package static var isFloat: Bool { true }
  package static func add(_ a: Self, _ b: Self) -> Self { a + b }
  package static func subtract(_ a: Self, _ b: Self) -> Self { a - b }
  package static func multiply(_ a: Self, _ b: Self) -> Self { a * b }
  package static func divide(_ a: Self, _ b: Self) -> Self { a / b }
  package static func floorRemainder(_ a: Self, _ b: Self) -> Self {
    let rest = a.truncatingRemainder(dividingBy: b)
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest
  }
  package static func remainder(_ a: Self, _ b: Self) -> Self { a.truncatingRemainder(dividingBy: b) }
  package static func lesser(_ a: Self, _ b: Self) -> Self { a < b || a.isNaN ? a : b }
  package static func greater(_ a: Self, _ b: Self) -> Self { a > b || a.isNaN ? a : b }
  package static var lowest: Self { -.infinity }
  package static var highest: Self { .infinity }
  package var isNotANumber: Bool { isNaN }
}

extension Float: Number { package var double: Double { Double(self) } }
extension Double: Number { package var double: Double { self } }
extension Int8: Number {}
extension Int16: Number {}
extension Int32: Number {}
extension Int64: Number {}
extension UInt8: Number {}
extension UInt16: Number {}
extension UInt32: Number {}
extension UInt64: Number {}
