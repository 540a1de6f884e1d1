/// Point clouds in the PLY format: binary little-endian, float x y z, uchar red green blue.
public enum PLYFile {
  /// The file's bytes.
  public static func encode(_ cloud: PointCloud) -> [UInt8] {
    let header = """
      ply
      format binary_little_endian 1.0
      comment metres, y up
      element vertex \(cloud.count)
      property float x
      property float y
      property float z
      property uchar red
      property uchar green
      property uchar blue
      end_header

      """
    var bytes = Array(header.utf8)
    bytes.reserveCapacity(bytes.count + cloud.count * 15)
    for index in stride(from: 0, to: cloud.coordinates.count, by: 3) {
      for axis in 0..<3 { bytes.appendLittleEndian(cloud.coordinates[index + axis]) }
      for channel in 0..<3 { bytes.append(cloud.colors[index + channel]) }
    }
    return bytes
  }
}
