import Archives
import FileFormats
import Imaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Grids as the page carries them: what each value differs by from the one above it, compressed, in base64.
///
/// Above the first row lies 0. Steps go up and down by little: 0, -1, 1, -2, 2, ... have the codes 0, 1, 2, 3, 4, ..., a
/// byte each. Those from 255 on are said by that byte, and follow after all others, two bytes each, the lower first.
/// Nothing is lost.
enum PackedPlane {
  private static let escape: UInt16 = 255
  /// Levels of compression of depth, of which the next takes 1.4 times as long for 3 % less, and of a few numbers, whose long
  /// runs take level 1 twice as long as 2.
  private static let levels = (depth: 1, few: 2)

  /// Meters as whole millimeters in 16 bits, as `metric.png` has them: 0 where there is none, 65535 from 65.535 m on.
  static func millimeters(_ plane: Plane<Float>) -> JSONValue {
    packed(plane.wholeNumbers(scale: 1000), level: levels.depth)
  }

  /// Small whole numbers.
  static func bytes(_ plane: Plane<UInt8>) -> JSONValue { packed(plane, level: levels.few) }

  private static func packed<Element: FixedWidthInteger & UnsignedInteger & Sendable>(
    _ plane: Plane<Element>, level: Int
  ) -> JSONValue {
    let width = plane.width
    var codes = [UInt8](repeating: 0, count: plane.elements.count)
    var large: [UInt8] = []
    let zeros = [Element](repeating: 0, count: width)
    for y in 0..<plane.height {
      let start = y * width
      let own = plane.elements.span.extracting(start..<start + width)
      if y == 0 {
        fill(&codes, start, own, above: zeros.span, &large)
      } else {
        fill(&codes, start, own, above: plane.elements.span.extracting(start - width..<start), &large)
      }
    }
    codes.append(contentsOf: large)
    return [
      "width": .integer(plane.width), "height": .integer(plane.height),
      "data": .string(Data(ZlibStream.compress(codes, level: level)).base64EncodedString()),
    ]
  }

  /// The codes of a row, from `start` on, and those that no byte holds.
  @inline(__always)
  private static func fill<Element: FixedWidthInteger & UnsignedInteger>(
    _ codes: inout [UInt8], _ start: Int, _ own: Span<Element>, above: Span<Element>, _ large: inout [UInt8]
  ) {
    var codes = codes.mutableSpan
    precondition(start >= 0 && own.count <= codes.count - start && own.count == above.count)
    var most: UInt16 = 0
    for x in 0..<own.count {
      let code = code(own[x], above[x])
      most = max(most, code)
      codes[start &+ x] = UInt8(truncatingIfNeeded: min(code, escape))
    }
    guard most >= escape else { return }
    for x in 0..<own.count {
      let code = code(own[x], above[x])
      guard code >= escape else { continue }
      large.append(UInt8(truncatingIfNeeded: code))
      large.append(UInt8(truncatingIfNeeded: code >> 8))
    }
  }

  @inline(__always)
  private static func code<Element: FixedWidthInteger & UnsignedInteger>(
    _ own: Element, _ above: Element
  ) -> UInt16 {
    let step = Int16(
      bitPattern: UInt16(truncatingIfNeeded: own) &- UInt16(truncatingIfNeeded: above))
    return UInt16(bitPattern: step << 1 ^ step >> 15)
  }
}
