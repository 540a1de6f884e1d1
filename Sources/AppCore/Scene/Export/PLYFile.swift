import Geometry

/// Point clouds in the PLY format: binary little-endian, float x y z, uchar red green blue; double x y z for points so far
/// off that they count from an origin of their own.
public enum PLYFile {
  /// The file's bytes.
  public static func encode(_ cloud: PointCloud) -> [UInt8] {
    let isFar = cloud.origin != .origin
    let type = isFar ? "double" : "float"
    let header = """
      ply
      format binary_little_endian 1.0
      comment meters, y up
      element vertex \(cloud.count)
      property \(type) x
      property \(type) y
      property \(type) z
      property uchar red
      property uchar green
      property uchar blue
      end_header

      """
    var bytes = Array(header.utf8)
    bytes.reserveCapacity(bytes.count + cloud.count * (isFar ? 27 : 15))
    let origin = [cloud.origin.x, cloud.origin.y, cloud.origin.z]
    for index in stride(from: 0, to: cloud.coordinates.count, by: 3) {
      for axis in 0..<3 {
        let coordinate = cloud.coordinates[index + axis]
        if isFar {
          bytes.appendLittleEndian((origin[axis] + Double(coordinate)).bitPattern)
        } else {
          bytes.appendLittleEndian(coordinate)
        }
      }
      for channel in 0..<3 { bytes.append(cloud.colors[index + channel]) }
    }
    return bytes
  }
}
