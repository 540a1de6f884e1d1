import FileFormats
import Geometry
import Testing

@Suite struct LetterboxTests {
  /// A pixel's round trip through two multiplications.
  static let roundTrip = 1e-9

  struct Case: Sendable {
    let image: (Int, Int)
    let network: (Int, Int)
    let content: (Int, Int)
    let left: Int, top: Int, right: Int, bottom: Int
  }

  static let cases = [
    Case(
      image: (1920, 1440), network: (640, 640), content: (640, 480), left: 0, top: 80, right: 0, bottom: 80),
    Case(
      image: (1281, 719), network: (640, 640), content: (640, 359), left: 0, top: 140, right: 0, bottom: 141),
    Case(
      image: (1440, 1920), network: (640, 640), content: (480, 640), left: 80, top: 0, right: 80, bottom: 0),
    Case(image: (810, 1080), network: (480, 640), content: (480, 640), left: 0, top: 0, right: 0, bottom: 0),
    Case(
      image: (1920, 1440), network: (480, 640), content: (480, 360), left: 0, top: 140, right: 0, bottom: 140),
    Case(image: (64, 48), network: (640, 640), content: (640, 480), left: 0, top: 80, right: 0, bottom: 80),
    // 5 * 0.5 = 2.5 rounds to the even 2, 7 * 0.5 = 3.5 to the even 4.
    Case(image: (8, 5), network: (4, 4), content: (4, 2), left: 0, top: 1, right: 0, bottom: 1),
    Case(image: (8, 7), network: (4, 4), content: (4, 4), left: 0, top: 0, right: 0, bottom: 0),
    Case(image: (10000, 1), network: (640, 640), content: (640, 1), left: 0, top: 319, right: 0, bottom: 320),
  ]

  @Test(arguments: cases.indices) func paddings(_ index: Int) {
    let c = Self.cases[index]
    let box = Letterbox(
      imageSize: PixelSize(width: c.image.0, height: c.image.1),
      networkSize: PixelSize(width: c.network.0, height: c.network.1))
    #expect(box.contentSize == PixelSize(width: c.content.0, height: c.content.1))
    #expect([box.padLeft, box.padTop, box.padRight, box.padBottom] == [c.left, c.top, c.right, c.bottom])
  }

  @Test func minimalInputOfTheReferencePictures() {
    let phone = Letterbox.minimal(imageSize: PixelSize(width: 1920, height: 1440))
    #expect(phone.networkSize == PixelSize(width: 640, height: 480))
    #expect(phone.padTop == 0 && phone.padLeft == 0)
    let odd = Letterbox.minimal(imageSize: PixelSize(width: 1281, height: 719))
    #expect(odd.networkSize == PixelSize(width: 640, height: 384))
    #expect(odd.padTop == 12 && odd.padBottom == 13)
  }

  @Test func boxesDivideByEachAxisOwnRatio() {
    let box = Letterbox(imageSize: PixelSize(width: 1281, height: 719))
    let mapped = box.fromNetwork(Rect<NetworkPixels>(minX: 64, minY: 140, maxX: 320, maxY: 319.5))
    #expect(abs(mapped.minX - 64 * 1281 / 640.0) < Self.roundTrip)
    #expect(abs(mapped.maxY - 179.5 * 719 / 359.0) < Self.roundTrip)
    #expect(mapped.minY == 0)
  }

  @Test func boxesAreClippedToThePicture() {
    let box = Letterbox(imageSize: PixelSize(width: 1920, height: 1440))
    let all = box.fromNetwork(Rect<NetworkPixels>(minX: -5, minY: 0, maxX: 700, maxY: 640))
    #expect(all == Rect(minX: 0, minY: 0, maxX: 1920, maxY: 1440))
  }

  @Test func contentCornersAreThePictureCorners() {
    var random = SplitMix64(seed: 7)
    for _ in 0..<500 {
      let size = PixelSize(
        width: Int.random(in: 1...4000, using: &random), height: Int.random(in: 1...4000, using: &random))
      let network = PixelSize(
        width: 32 * Int.random(in: 1...40, using: &random),
        height: 32 * Int.random(in: 1...40, using: &random))
      let box = Letterbox(imageSize: size, networkSize: network)
      #expect(box.padLeft >= 0 && box.padTop >= 0)
      #expect(box.padRight - box.padLeft == 0 || box.padRight - box.padLeft == 1)
      #expect(box.padBottom - box.padTop == 0 || box.padBottom - box.padTop == 1)
      #expect(box.contentSize.width == network.width || box.contentSize.height == network.height)
      let point = Point2<UprightPixels>(
        Double.random(in: 0...Double(size.width), using: &random),
        Double.random(in: 0...Double(size.height), using: &random))
      let back = box.fromNetwork(box.toNetwork(point))
      #expect((back - point).length < Self.roundTrip)
    }
  }
}
