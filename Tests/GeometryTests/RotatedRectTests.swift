import Geometry
import Testing

@Suite("Rotated rectangles")
struct RotatedRectTests {
  private let rect = RotatedRect<UprightPixels>(center: Point2(30, 20), width: 10, height: 4, angle: 0.5)

  @Test("corners lie at half the sides from the middle, and the bounds around them")
  func corners() {
    for corner in rect.corners {
      let (x, y) = (corner.x - 30, corner.y - 20)
      #expect(abs((x * x + y * y) - (25 + 4)) < 1e-9)
      #expect(rect.bounds.grown(1e-9).contains(corner))
    }
    let upright = RotatedRect<ImagePixels>(center: Point2(5, 6), width: 4, height: 2, angle: 0)
    #expect(upright.corners == [Point2(7, 7), Point2(7, 5), Point2(3, 5), Point2(3, 7)])
    #expect(upright.bounds == Rect(minX: 3, minY: 5, maxX: 7, maxY: 7))
  }

  @Test("it contains what lies within both sides")
  func contains() {
    #expect(rect.contains(Point2(30, 20)))
    let (x, y) = (rect.corners[0].x - 30, rect.corners[0].y - 20)
    #expect(rect.contains(Point2(30 + 0.99 * x, 20 + 0.99 * y)))
    #expect(!rect.contains(Point2(30 + 1.01 * x, 20 + 1.01 * y)))
    #expect(!rect.contains(Point2(30 - y, 20 + x)))
  }

  @Test("turned with a picture it covers the same", arguments: Orientation.allCases)
  func orientation(orientation: Orientation) {
    let stored = PixelSize(width: 64, height: 48)
    let turned = orientation.stored(rect, stored: stored)
    #expect(turned.width == 10 && turned.height == 4)
    let back = orientation.upright(turned, stored: stored)
    for corner in rect.corners {
      let mapped = orientation.stored(corner, stored: stored)
      #expect(turned.corners.contains { abs($0.x - mapped.x) < 1e-9 && abs($0.y - mapped.y) < 1e-9 })
      #expect(back.corners.contains { abs($0.x - corner.x) < 1e-9 && abs($0.y - corner.y) < 1e-9 })
    }
    let keypoint = Keypoint<UprightPixels>(Point2(3, 5), confidence: 0.5)
    let there = orientation.stored(keypoint, stored: stored)
    #expect(there.point == orientation.stored(keypoint.point, stored: stored) && there.confidence == 0.5)
    #expect(orientation.upright(there, stored: stored) == keypoint)
  }
}

extension Rect {
  fileprivate func grown(_ margin: Double) -> Rect {
    Rect(minX: minX - margin, minY: minY - margin, maxX: maxX + margin, maxY: maxY + margin)
  }
}
