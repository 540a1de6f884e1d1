import Geometry
import Testing

@Suite struct PlanarMappingTests {
  static let rounding = 1e-9

  @Test(arguments: Orientation.allCases) func orientationsUndoThemselvesExactly(_ orientation: Orientation) {
    var random = SplitMix(state: 11)
    let stored = PixelSize(width: 1920, height: 1440)
    for _ in 0..<200 {
      let rect = Rect<ImagePixels>(
        Point2(
          Double(Int.random(in: 0...7680, using: &random)) / 4,
          Double(Int.random(in: 0...5760, using: &random)) / 4),
        Point2(
          Double(Int.random(in: 0...7680, using: &random)) / 4,
          Double(Int.random(in: 0...5760, using: &random)) / 4))
      let upright = orientation.upright(rect, stored: stored)
      #expect(orientation.stored(upright, stored: stored) == rect)
      #expect(upright.area == rect.area)
      #expect(upright.intersection(orientation.apply(to: stored).bounds()) == upright)
    }
    #expect(orientation.inverse.inverse == orientation)
    #expect(orientation.inverse.apply(to: orientation.apply(to: stored)) == stored)
  }

  @Test(arguments: Orientation.allCases) func indicesAgreeWithPixelCentres(_ orientation: Orientation) {
    let stored = PixelSize(width: 5, height: 3)
    let upright = orientation.apply(to: stored)
    for y in 0..<upright.height {
      for x in 0..<upright.width {
        let index = orientation.storedIndex(uprightX: x, y, stored: stored)
        let centre = orientation.upright(Point2(Double(index.x) + 0.5, Double(index.y) + 0.5), stored: stored)
        #expect(centre == Point2(Double(x) + 0.5, Double(y) + 0.5))
      }
    }
  }

  @Test func portraitIsAClockwiseTurn() {
    let stored = PixelSize(width: 1920, height: 1440)
    #expect(Orientation.right.upright(Point2(100, 200), stored: stored) == Point2(1440 - 200, 100))
    let box = Orientation.right.upright(Rect(minX: 10, minY: 20, maxX: 110, maxY: 70), stored: stored)
    // (H - maxY, minX, h, w)
    #expect(box == Rect(x: 1440 - 70, y: 10, width: 50, height: 100))
  }

  @Test func unknownOrientationsAreRefused() {
    #expect(throws: GeometryError.badOrientation(9)) { try Orientation(exif: 9) }
    #expect(throws: GeometryError.badOrientation(0)) { try Orientation(exif: 0) }
  }

  @Test func previewNumbers() {
    let buffer = PixelSize(width: 1080, height: 1920)
    let fill = ViewMapping<UprightPixels, ViewPoints>(
      source: buffer, targetWidth: 390, targetHeight: 844, mode: .aspectFill)
    #expect(abs(fill.scaleX - 0.439583) < 5e-7)
    #expect(abs(fill.cropX - 42.375) < Self.rounding)
    #expect(abs(fill.cropY) < Self.rounding)
    let fit = ViewMapping<UprightPixels, ViewPoints>(
      source: buffer, targetWidth: 390, targetHeight: 844, mode: .aspectFit)
    #expect(abs(fit.scaleX - 0.361111) < 5e-7)
    #expect(fit.cropY < 0)
  }

  @Test(arguments: ScaleMode.allCases) func viewsUndoThemselves(_ mode: ScaleMode) {
    var random = SplitMix(state: 12)
    for _ in 0..<200 {
      let map = ViewMapping<UprightPixels, ViewPoints>(
        source: PixelSize(
          width: Int.random(in: 1...3000, using: &random), height: Int.random(in: 1...3000, using: &random)),
        targetWidth: Double.random(in: 1...2000, using: &random),
        targetHeight: Double.random(in: 1...2000, using: &random), mode: mode)
      let p = Point2<UprightPixels>(
        Double.random(in: 0...3000, using: &random), Double.random(in: 0...3000, using: &random))
      #expect((map.fromTarget(map.toTarget(p)) - p).length < Self.rounding)
    }
  }

  @Test func stretchingFillsTheTarget() {
    let map = ViewMapping<ImagePixels, NetworkPixels>(
      source: PixelSize(width: 100, height: 50), targetWidth: 640, targetHeight: 640, mode: .scaleFill)
    #expect(
      map.toTarget(PixelSize(width: 100, height: 50).bounds())
        == Rect(minX: 0, minY: 0, maxX: 640, maxY: 640))
  }

  @Test func normalizedRectanglesCountFromBelow() {
    let size = PixelSize(width: 200, height: 100)
    let rect = Rect<NormalizedBottomLeft>(x: 0.25, y: 0.5, width: 0.5, height: 0.25)
    let pixels = rect.pixels(of: size, in: ImagePixels.self)
    #expect(pixels == Rect(minX: 50, minY: 25, maxX: 150, maxY: 50))
    #expect(Rect<NormalizedBottomLeft>(pixels, of: size) == rect)
    let corner = Point2<NormalizedBottomLeft>(0, 0).pixels(of: size, in: ImagePixels.self)
    #expect(corner == Point2(0, 100))
    #expect(Point2<NormalizedBottomLeft>(corner, of: size) == Point2(0, 0))
  }

  @Test func gridsMapCentreToCentre() {
    let up = GridMapping(from: 256, to: 518)
    #expect(abs(up(0) - (0.5 * 518 / 256 - 0.5)) < Self.rounding)
    #expect(up(127.5) == 258.5)
    #expect(up(256) == 517)
    let same = GridMapping(from: 37, to: 37)
    #expect((0..<37).allSatisfy { same($0) == Double($0) })
    #expect(GridMapping(from: 1, to: 5)(0) == 2)
    #expect(GridMapping(from: 10, to: 1)(0) == 0)
  }

  @Test func containmentIsHalfOpen() {
    let rect = Rect<ImagePixels>(minX: 1, minY: 2, maxX: 3, maxY: 4)
    #expect(rect.contains(Point2(1, 2)))
    #expect(!rect.contains(Point2(3, 3)) && !rect.contains(Point2(2, 4)))
    #expect(!Rect<ImagePixels>(minX: .nan, minY: 0, maxX: 1, maxY: 1).contains(Point2(0.5, 0.5)))
  }

  @Test func overlapIsIntersectionOverUnion() {
    let a = Rect<ImagePixels>(minX: 0, minY: 0, maxX: 2, maxY: 2)
    let b = Rect<ImagePixels>(minX: 1, minY: 0, maxX: 3, maxY: 2)
    #expect(a.intersectionOverUnion(b) == 2.0 / 6)
    #expect(a.intersectionOverUnion(a) == 1)
    let empty = Rect<ImagePixels>(minX: 1, minY: 1, maxX: 1, maxY: 5)
    #expect(empty.isEmpty && empty.intersectionOverUnion(empty) == 0)
  }
}
