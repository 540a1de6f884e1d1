import AppCore
import FileFormats
import Geometry
import Imaging
import Testing

@Suite struct InstanceMaskTests {
  /// Bilinear mixing in Float.
  static let rounding = 1e-5

  /// A mask on the prototype grid of a 1920x1440 picture: a ramp along x, so that bilinear values are known.
  static let ramp: InstanceMask = {
    var grid = Plane<Float>(width: 160, height: 160, fill: 0)
    for y in 0..<160 {
      for x in 0..<160 { grid[x, y] = Float(x) / 160 }
    }
    return InstanceMask(
      probabilities: grid, letterbox: Letterbox(imageSize: PixelSize(width: 1920, height: 1440)))
  }()

  @Test func probabilityFollowsTheLetterbox() {
    // Image edge 960 -> network 320 -> prototype center position 79.5.
    #expect(abs(Self.ramp.probability(at: Point2(960, 700)) - 79.5 / 160) < Self.rounding)
    // The outermost half cell extends the border value.
    #expect(Self.ramp.probability(at: Point2(0, 700)) == 0)
    #expect(Self.ramp.probability(at: Point2(1919.9, 0)) == Double(Float(159) / 160))
  }

  @Test func paddingShiftsRows() {
    var grid = Plane<Float>(width: 160, height: 160, fill: 0)
    for x in 0..<160 { grid[x, 20] = 1 }
    let mask = InstanceMask(
      probabilities: grid, letterbox: Letterbox(imageSize: PixelSize(width: 1920, height: 1440)))
    // 80 rows of padding are 20 cells, so cell 20 covers picture rows 0 to 12 with its center at 6.
    #expect(mask.probability(at: Point2(500, 6)) == 1)
    #expect(abs(mask.probability(at: Point2(500, 12)) - 0.5) < Self.rounding)
  }

  @Test func outsideThePictureIsNothing() {
    let mask = InstanceMask(
      probabilities: Plane(width: 160, height: 160, fill: 1),
      letterbox: Letterbox(imageSize: PixelSize(width: 1920, height: 1440)))
    #expect(mask.probability(at: Point2(-0.1, 5)) == 0)
    #expect(mask.probability(at: Point2(1920, 5)) == 0)
    #expect(mask.probability(at: Point2(.nan, 5)) == 0)
    #expect(mask.probability(at: Point2(1919.99, 1439.99)) == 1)
  }

  static func square(_ rect: Rect<ImagePixels>, _ size: PixelSize) -> Plane<UInt8> {
    var pixels = [UInt8](repeating: 0, count: size.width * size.height)
    for y in Int(rect.minY)..<Int(rect.maxY) {
      for x in Int(rect.minX)..<Int(rect.maxX) { pixels[y * size.width + x] = 255 }
    }
    return Plane(width: size.width, height: size.height, elements: pixels)
  }

  @Test func binaryMasksKeepTheirPixels() {
    let size = PixelSize(width: 480, height: 360)
    let plane = Self.square(Rect(minX: 31, minY: 53, maxX: 150, maxY: 207), size)
    let mask = InstanceMask(binary: plane)
    let same = mask.binary() == plane
    #expect(same)
    #expect(mask.grid.width == 160 && mask.grid.height == 120)
    #expect(mask.probability(at: Point2(31, 53)) == 1)
    #expect(mask.probability(at: Point2(30.99, 53)) == 0)
    #expect(mask.probability(at: Point2(150, 100)) == 0)
    let none = InstanceMask(binary: Plane(width: 7, height: 5, fill: 0))
    #expect(none.binary() == Plane(width: 7, height: 5, fill: 0))
    #expect(none.probability(at: Point2(3, 3)) == 0)
  }

  @Test func coverageCountsPixels() {
    // 320x240 onto 160x120: four pixels a cell.
    var plane = Plane<UInt8>(width: 320, height: 240, fill: 0)
    plane[10, 20] = 1
    plane[11, 20] = 1
    plane[11, 21] = 1
    let grid = InstanceMask(binary: plane).grid
    #expect(grid[5, 10] == 0.75)
    #expect(grid.elements.reduce(0, +) == 0.75)
  }

  @Test(arguments: Orientation.allCases) func turningBackMovesMasksWithThePicture(_ orientation: Orientation)
  {
    let stored = PixelSize(width: 64, height: 48)
    let upright = orientation.apply(to: stored)
    var random = SplitMix64(seed: 5)
    var plane = Plane<UInt8>(width: upright.width, height: upright.height, fill: 0)
    for index in plane.elements.indices where Bool.random(using: &random) { plane.elements[index] = 255 }
    var grid = Plane<Float>(width: upright.width / 4, height: upright.height / 4, fill: 0)
    for index in grid.elements.indices { grid.elements[index] = Float.random(in: 0...1, using: &random) }
    let letterbox = Letterbox(imageSize: upright, networkSize: upright)
    let softFound = UprightDetection(
      id: 0, classId: 0, className: "cup", confidence: 1, box: Rect(minX: 3, minY: 4, maxX: 10, maxY: 30),
      mask: UprightMask(probabilities: grid, letterbox: letterbox))
    let exactFound = UprightDetection(
      id: 0, classId: 0, className: "cup", confidence: 1, box: softFound.box, mask: UprightMask(binary: plane)
    )
    let softBack = softFound.turnedBack(from: orientation, stored: stored)
    let exactBack = exactFound.turnedBack(from: orientation, stored: stored)
    // As if the upright picture were the one stored.
    let soft = softFound.turnedBack(from: .up, stored: upright)
    let exact = exactFound.turnedBack(from: .up, stored: upright)
    for _ in 0..<300 {
      let p = Point2<ImagePixels>(
        Double(Int.random(in: 0..<64, using: &random)) + 0.5,
        Double(Int.random(in: 0..<48, using: &random)) + 0.5)
      let q = orientation.upright(p, stored: stored).relabeled(as: ImagePixels.self)
      #expect(softBack.mask?.probability(at: p) == soft.mask?.probability(at: q))
      #expect(exactBack.mask?.probability(at: p) == exact.mask?.probability(at: q))
      #expect(softBack.box.contains(p) == soft.box.contains(q))
    }
    #expect(exactBack.mask?.binary() == plane.oriented(orientation.inverse))
  }

  @Test func erosionTakesARadiusFromTheBox() {
    let size = PixelSize(width: 1920, height: 1440)
    let box = Rect<ImagePixels>(minX: 480, minY: 480, maxX: 960, maxY: 960)
    let mask = InstanceMask(binary: Self.square(box, size))
    // 480 px are 40 cells; 5 % are 2 cells of 12 px.
    let eroded = mask.eroded(for: box)
    #expect(eroded.probability(at: Point2(480 + 24 + 6, 700)) == 1)
    #expect(eroded.probability(at: Point2(480 + 24 - 6, 700)) == 0)
    // At least one cell, at most three.
    let thin = mask.eroded(for: Rect(minX: 0, minY: 0, maxX: 1, maxY: 1000))
    #expect(thin.probability(at: Point2(480 + 12 + 6, 700)) == 1)
    #expect(thin.probability(at: Point2(480 + 12 - 6, 700)) == 0)
    let wide = mask.eroded(for: Rect(minX: 0, minY: 0, maxX: 1920, maxY: 1440))
    #expect(wide.probability(at: Point2(480 + 36 + 6, 700)) == 1)
    #expect(wide.probability(at: Point2(480 + 36 - 6, 700)) == 0)
    let broken = mask.eroded(for: Rect(minX: .nan, minY: 0, maxX: 1, maxY: 1))
    #expect(broken.probability(at: Point2(700, 700)) == 1)
  }

  @Test func erosionExtendsThePictureBorder() {
    let mask = InstanceMask(binary: Plane(width: 64, height: 48, fill: 1))
    let eroded = mask.eroded(for: Rect(minX: 0, minY: 0, maxX: 64, maxY: 48))
    #expect(eroded.grid.elements.allSatisfy { $0 == 1 })
  }
}
