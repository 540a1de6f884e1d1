import Geometry
import Testing

@Suite("What places and sizes look like in print")
struct DescriptionTests {
  @Test("boxes print width and height")
  func boxes() {
    let box = Rect<UprightPixels>(minX: 10.126, minY: -0.001, maxX: 110.126, maxY: 50.5)
    #expect("\(box)" == "x 10.13, y 0.0, width 100.0, height 50.5")
    let turned = RotatedRect<UprightPixels>(center: Point2(30, 20.5), width: 10, height: 4, angle: 0.526)
    #expect("\(turned)" == "center (30.0, 20.5), width 10.0, height 4.0, angle 0.53")
    #expect("\(PixelSize(width: 640, height: 480))" == "640x480")
  }

  @Test("numbers that are none, and those beyond two decimals, print as they are")
  func extremes() {
    let box = Rect<ImagePixels>(minX: -.infinity, minY: .nan, maxX: 1e300, maxY: 1)
    #expect("\(box)" == "x -inf, y nan, width inf, height nan")
    #expect("\(Point2<ImagePixels>(1e300, -1e-300))" == "(1e+300, 0.0)")
  }
}
