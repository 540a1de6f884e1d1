import AppCore
import Geometry
import Imaging
import Testing

@Suite struct HitTestTests {
  static let size = PixelSize(width: 1920, height: 1440)

  static func detection(_ id: Int, _ rect: Rect<ImagePixels>, masked: Rect<ImagePixels>? = nil) -> Detection {
    let mask = masked.map { masked -> InstanceMask in
      let box = Letterbox(imageSize: size)
      var grid = Plane<Float>(width: 160, height: 160, fill: 0)
      for y in 0..<160 {
        for x in 0..<160
        where masked.contains(
          box.fromNetwork(Point2((Double(x) + 0.5) * 4, (Double(y) + 0.5) * 4)).relabeled())
        {
          grid[x, y] = 1
        }
      }
      return InstanceMask(probabilities: grid, letterbox: box)
    }
    return Detection(id: id, classId: 0, className: "cup", confidence: 0.9, box: rect, mask: mask)
  }

  static let large = detection(
    0, Rect(minX: 100, minY: 100, maxX: 900, maxY: 900),
    masked: Rect(minX: 100, minY: 100, maxX: 500, maxY: 900))
  static let middle = detection(
    1, Rect(minX: 300, minY: 300, maxX: 800, maxY: 800),
    masked: Rect(minX: 600, minY: 300, maxX: 800, maxY: 800))
  static let small = detection(2, Rect(minX: 380, minY: 380, maxX: 480, maxY: 480))
  static let all = [large, middle, small]

  @Test func masksComeFirstThenTheSmallestBox() {
    func hit(_ x: Double, _ y: Double, _ rule: HitTest.Rule = .maskThenSmallest) -> Int? {
      HitTest.detection(at: Point2<ImagePixels>(x, y), among: Self.all, rule: rule)?.id
    }
    // On the large one's mask, though the small box, without a mask, is there too.
    #expect(hit(430, 430) == 0)
    #expect(hit(700, 700) == 1)
    // In two boxes, on no mask: the smaller one.
    #expect(hit(550, 500) == 1)
    #expect(hit(850, 850) == 0)
    #expect(hit(950, 950) == nil)
    #expect(hit(700, 700, .firstBox) == 0)
    #expect(hit(.nan, 0) == nil)
  }

  @Test func boxesAreHalfOpen() {
    let only = [Self.small]
    #expect(HitTest.detection(at: Point2<ImagePixels>(380, 380), among: only) != nil)
    #expect(HitTest.detection(at: Point2<ImagePixels>(480, 400), among: only) == nil)
  }

  @Test func equalBoxesGoToTheEarlier() {
    let twins = [Self.detection(7, Self.small.box), Self.detection(8, Self.small.box)]
    #expect(HitTest.detection(at: Point2<ImagePixels>(400, 400), among: twins)?.id == 7)
  }

  @Test func tapsFindWhatTheViewShows() throws {
    // A portrait view that shows the stored landscape picture upright, its sides cut.
    let view = ViewMapping<UprightPixels, ViewPoints>(
      source: Orientation.right.apply(to: Self.size), targetWidth: 390, targetHeight: 844, mode: .aspectFill)
    for (point, id) in [(Point2<ImagePixels>(430, 430), 0), (Point2(700, 700), 1)] {
      let tap = view.toTarget(Orientation.right.upright(point, stored: Self.size))
      let found = HitTest.detection(
        at: tap, view: view, orientation: .right, imageSize: Self.size, among: Self.all)
      #expect(found?.id == id)
    }
    // The view's corner shows the picture's first row, right of the cut: stored x = 0, where nothing is.
    let corner = view.fromTarget(Point2<ViewPoints>(0, 0))
    #expect(abs(corner.y) < 1e-9 && corner.x > 0)
    let nothing = HitTest.detection(
      at: Point2<ViewPoints>(0, 0), view: view, orientation: .right, imageSize: Self.size, among: Self.all)
    #expect(nothing?.id == nil)
  }
}
