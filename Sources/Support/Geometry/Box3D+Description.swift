/// Formats a length or coordinate for print, rounded to a millimeter.
private func rounded(_ meters: Double) -> String {
  guard abs(meters) < 1e12 else { return "\(meters)" }
  // No negative zero.
  return "\((meters * 1000).rounded() / 1000 + 0)"
}

extension BoxDimensions: CustomStringConvertible {
  /// `width 0.6, height 0.45, depth 1.2`: in meters.
  public var description: String { "width \(rounded(x)), height \(rounded(y)), depth \(rounded(z))" }
}

extension Box3D: CustomStringConvertible {
  /// `center (0.1, 0.2, -1.5), width 0.6, height 0.45, depth 1.2, yaw 0.5`: in meters and radians.
  public var description: String {
    let center = [center.x, center.y, center.z].map(rounded).joined(separator: ", ")
    return "center (\(center)), \(dimensions), yaw \(rounded(yaw))"
  }
}
