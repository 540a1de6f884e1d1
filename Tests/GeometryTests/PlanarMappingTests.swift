import FileFormats
import Geometry
import Testing

@Suite struct PlanarMappingTests {
  static let rounding = 1e-9

  @Test(arguments: Orientation.allCases) func orientationsUndoThemselvesExactly(_ orientation: Orientation) {
    var random = SplitMix64(seed: 11)
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

  @Test(arguments: Orientation.allCases) func indicesAgreeWithPixelCenters(_ orientation: Orientation) {
    let stored = PixelSize(width: 5, height: 3)
    let upright = orientation.apply(to: stored)
    for y in 0..<upright.height {
      for x in 0..<upright.width {
        let index = orientation.storedIndex(uprightX: x, y, stored: stored)
        let center = orientation.upright(Point2(centerOf: index.x, index.y), stored: stored)
        #expect(center == Point2(centerOf: x, y))
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
    var random = SplitMix64(seed: 12)
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

  @Test func gridsMapCenterToCenter() {
    let up = GridMapping(from: 256, to: 518)
    #expect(abs(up(0) - (0.5 * 518 / 256 - 0.5)) < Self.rounding)
    #expect(up(127.5) == 258.5)
    #expect(up(256) == 517)
    let same = GridMapping(from: 37, to: 37)
    #expect((0..<37).allSatisfy { same($0) == Double($0) })
    #expect(GridMapping(from: 1, to: 5)(0) == 2)
    #expect(GridMapping(from: 10, to: 1)(0) == 0)
  }

  @Test func indexRatioIsHalfACellOff() {
    let map = GridMapping(from: 4, to: 8, rule: .indexRatio)
    let cells = [0, 1, 2, 3]
    #expect(cells.map(map.callAsFunction) == [0, 2, 4, 6])
    #expect(cells.map(GridMapping(from: 4, to: 8).callAsFunction) == [0.5, 2.5, 4.5, 6.5])
  }

  /// 4032 pixels over 240 cells: a ratio that no binary fraction holds.
  @Test(arguments: [(256, 1920), (240, 4032), (224, 640), (320, 320), (5, 3)])
  func cellsHoldWhatTheyCover(cells: Int, pixels: Int) {
    let forwards = GridMapping(from: cells, to: pixels)
    for cell in 0..<cells {
      let (center, width): (Int, Int) = ((2 * cell + 1) * pixels, 2 * cells)
      let held: Int = forwards.cell(holdingCenterOf: cell)
      #expect((held * width..<(held + 1) * width).contains(center))
    }
    let grid = DepthGrid(
      cells: PixelSize(width: cells, height: 1), picture: PixelSize(width: pixels, height: 7))
    for pixel in 0..<pixels {
      // Exact at the edges of cells, where a rounded ratio would be one cell off.
      let column: Int = grid.index(Point2(Double(pixel), 3)).column
      #expect(column == pixel * cells / pixels)
    }
    #expect(grid.index(Point2(Double(pixels), 7)) == (cells - 1, 0))
  }

  @Test func depthCellsCoverThePicture() {
    let grid = DepthGrid(
      cells: PixelSize(width: 256, height: 192), picture: PixelSize(width: 1920, height: 1440))
    #expect(grid.cellSize == Vector2(7.5, 7.5))
    #expect(grid.pixel(Point2(centerOf: 0, 191)) == Point2(3.75, 1436.25))
    #expect(grid.cell(Point2(1920, 0)) == Point2(256, 0))
    for (x, y) in [(0, 0), (17, 100), (255, 191)] {
      let center = Point2<DepthCells>(centerOf: x, y)
      let pixel = grid.pixel(center)
      #expect(grid.cell(pixel) == center)
      #expect(grid.index(pixel) == (x, y))
    }
  }

  /// The ray of a cell is the same by the picture's camera and by the map's own.
  @Test func raysOfCellsAgreeWithTheMapsCamera() throws {
    let camera = try Intrinsics(fx: 1400, fy: 1390, cx: 955, cy: 717, imageWidth: 1920, imageHeight: 1440)
    let cells = PixelSize(width: 256, height: 192)
    let grid = DepthGrid(cells: cells, picture: camera.imageSize)
    for place in [Point2<DepthCells>(0, 0), Point2(centerOf: 80, 30), Point2(256, 192)] {
      let ray = grid.ray(place, of: camera)
      let seen = DepthIntrinsics(camera, cells: cells).unproject(place, depth: 1)
      #expect((ray - Vector3(seen.x, seen.y, seen.z)).length < Self.rounding)
    }
    #expect(grid.pitch(of: camera) == 7.5 / 1390)
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
