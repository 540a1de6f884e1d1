/// Gray portable float maps (PFM): float32, little-endian, rows from the bottom.
public enum PortableFloatMap {
  /// The file's bytes; a scale of -1 says little-endian.
  public static func encode(_ plane: Plane<Float>) -> [UInt8] {
    var bytes = Array("Pf\n\(plane.width) \(plane.height)\n-1.0\n".utf8)
    bytes.reserveCapacity(bytes.count + plane.elements.count * 4)
    for y in (0..<plane.height).reversed() {
      for value in plane.elements[y * plane.width..<(y + 1) * plane.width] {
        let bits = value.bitPattern
        for shift in [UInt32(0), 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
      }
    }
    return bytes
  }
}
