// Descriptions of places and sizes: their usual numbers, to two decimals.

/// A coordinate or length, rounded to two decimals.
private func rounded(_ number: Double) -> String {
  guard abs(number) < 1e13 else { return "\(number)" }
  // No negative zero.
  return "\((number * 100).rounded() / 100 + 0)"
}

extension Point2: CustomStringConvertible {
  /// `(x, y)`.
  public var description: String { "(\(rounded(x)), \(rounded(y)))" }
}

extension Rect: CustomStringConvertible {
  /// `x 10.5, y 20.0, width 100.0, height 50.0`: the corner of least coordinates, and the sides.
  public var description: String {
    "x \(rounded(minX)), y \(rounded(minY)), width \(rounded(width)), height \(rounded(height))"
  }
}

extension RotatedRect: CustomStringConvertible {
  /// `center (10.5, 20.0), width 100.0, height 50.0, angle 0.5`: the angle in radians.
  public var description: String {
    "center \(center), width \(rounded(width)), height \(rounded(height)), angle \(rounded(angle))"
  }
}

extension PixelSize: CustomStringConvertible {
  /// `640x480`: width and height.
  public var description: String { "\(width)x\(height)" }
}
