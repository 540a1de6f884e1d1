import Archives
import FileFormats
import Imaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Grids as the page carries them: what each value differs by from its left neighbor, compressed, in base64.
///
/// Steps go up and down by little: 0, -1, 1, -2, 2, ... have the codes 0, 1, 2, 3, 4, ..., a byte each. Those from 255
/// on are said by that byte, and follow after all others, two bytes each, the lower first. Nothing is lost.
enum PackedPlane {
  private static let escape: UInt16 = 255
  /// On depth of a room level 6 takes three times as long for files 9 % smaller.
  private static let level = 3

  /// Meters as whole millimeters in 16 bits, as `metric.png` has them: 0 where there is none, 65535 from 65.535 m on.
  static func millimeters(_ plane: Plane<Float>) -> JSONValue {
    packed(plane) { meters in UInt16(clamping: meters > 0 ? meters * 1000 + 0.5 : 0) }
  }

  /// Small whole numbers.
  static func bytes(_ plane: Plane<UInt8>) -> JSONValue { packed(plane) { UInt16($0) } }

  @inline(__always)
  private static func packed<Element>(_ plane: Plane<Element>, _ value: (Element) -> UInt16) -> JSONValue {
    var codes = [UInt8](repeating: 0, count: plane.elements.count)
    var large: [UInt8] = []
    fill(&codes, plane, &large, value)
    codes.append(contentsOf: large)
    return [
      "width": .integer(plane.width), "height": .integer(plane.height),
      "data": .string(Data(ZlibStream.compress(codes, level: level)).base64EncodedString()),
    ]
  }

  @inline(__always)
  private static func fill<Element>(
    _ codes: inout [UInt8], _ plane: Plane<Element>, _ large: inout [UInt8], _ value: (Element) -> UInt16
  ) {
    let elements = plane.elements.span
    var codes = codes.mutableSpan
    for y in 0..<plane.height {
      var last: UInt16 = 0
      for index in y * plane.width..<(y + 1) * plane.width {
        let current = value(elements[index])
        let step = Int16(bitPattern: current &- last)
        last = current
        let code = UInt16(bitPattern: step << 1 ^ step >> 15)
        codes[index] = UInt8(truncatingIfNeeded: min(code, escape))
        guard code >= escape else { continue }
        large.append(UInt8(truncatingIfNeeded: code))
        large.append(UInt8(truncatingIfNeeded: code >> 8))
      }
    }
  }
}
