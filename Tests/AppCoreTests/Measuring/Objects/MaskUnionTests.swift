import AppCore
import Geometry
import Imaging
import Testing

/// Masks of one object from several parts of a picture.
@Suite struct MaskUnionTests {
  private static let size = PixelSize(width: 90, height: 60)

  private static func mask(_ columns: Range<Int>, _ rows: Range<Int>) -> UprightMask {
    var plane = Plane<UInt8>(width: size.width, height: size.height, fill: 0)
    for row in rows { for column in columns { plane[column, row] = 1 } }
    return UprightMask(binary: plane)
  }

  @Test func theUnionHasThePixelsOfBoth() throws {
    let (one, other) = (Self.mask(10..<40, 20..<50), Self.mask(35..<70, 10..<45))
    let union = try #require(UprightMask.union([one, other]))
    #expect(union.pixelBounds == Rect(minX: 10, minY: 10, maxX: 70, maxY: 50))
    let stored = union.turnedBack(from: .up, stored: Self.size)
    let pixels = stored.binary()
    for row in 0..<Self.size.height {
      for column in 0..<Self.size.width {
        let isSet =
          (10..<40).contains(column) && (20..<50).contains(row)
          || (35..<70).contains(column) && (10..<45).contains(row)
        #expect((pixels[column, row] != 0) == isSet)
      }
    }
    // Its grid lies on the picture as its pixels do: what is left of it within the border is sure.
    let inner = stored.eroded(for: Rect(x: 10, y: 10, width: 60, height: 40))
    #expect(inner.probability(at: Point2(25, 35)) > 0.99)
    #expect(inner.probability(at: Point2(55, 25)) > 0.99)
    #expect(inner.probability(at: Point2(20, 14)) < 0.01)
  }

  @Test func ofNothingThereIsNone() {
    #expect(UprightMask.union([]) == nil)
    #expect(Self.mask(0..<0, 0..<0).pixelBounds == nil)
  }
}
