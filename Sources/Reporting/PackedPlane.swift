import FileFormats
import Foundation
import Imaging

/// Grids as the page carries them: row by row the difference to the left neighbour, compressed, in base64.
///
/// Nothing is lost. Smooth grids shrink to a third.
enum PackedPlane {
  /// Metres as whole millimetres in 16 bits, as `metric.png` has them: 0 where there is none, 65535 from 65.535 m on.
  static func millimetres(_ plane: Plane<Float>) -> JSONValue {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(plane.elements.count * 2)
    for y in 0..<plane.height {
      var last: UInt16 = 0
      for metres in plane.elements[y * plane.width..<(y + 1) * plane.width] {
        let value = metres > 0 ? UInt16(min((metres * 1000).rounded(), 65_535)) : 0
        let step = value &- last
        bytes.append(UInt8(truncatingIfNeeded: step))
        bytes.append(UInt8(truncatingIfNeeded: step >> 8))
        last = value
      }
    }
    return packed(bytes, width: plane.width, plane.height)
  }

  /// Small whole numbers.
  static func bytes(_ plane: Plane<UInt8>) -> JSONValue {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(plane.elements.count)
    for y in 0..<plane.height {
      var last: UInt8 = 0
      for value in plane.elements[y * plane.width..<(y + 1) * plane.width] {
        bytes.append(value &- last)
        last = value
      }
    }
    return packed(bytes, width: plane.width, plane.height)
  }

  private static func packed(_ bytes: [UInt8], width: Int, _ height: Int) -> JSONValue {
    [
      "width": .integer(width), "height": .integer(height),
      "data": .string(Data(ZlibStream.compress(bytes)).base64EncodedString()),
    ]
  }
}
