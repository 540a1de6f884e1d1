import Geometry
import Imaging
import Testing

@Suite struct DrawingTests {
  private static let night = Color(red: 38, green: 42, blue: 48)

  private func canvas(_ width: Int, _ height: Int, _ color: Color = .black) -> Canvas<ImagePixels> {
    Canvas(RGBImage(width: width, height: height, color: color))
  }

  /// Light added over black, in whole pixels.
  private func ink(_ image: RGBImage) -> Double { image.pixels.reduce(0) { $0 + Double($1) } / (3 * 255) }

  /// Rounding each of a few hundred edge pixels to a level.
  private static let inkTolerance = 0.5

  // MARK: - Goldens

  @Test func shapesEqualTheirGolden() throws {
    var canvas = canvas(200, 90, Self.night)
    canvas.strokeRect(
      Rect(minX: 6.5, minY: 6.5, maxX: 60, maxY: 50), StrokeStyle(color: .green.withAlpha(0.7), width: 4))
    canvas.strokeRect(
      Rect(minX: 70, minY: 7, maxX: 120, maxY: 50), StrokeStyle(color: .cyan, width: 2, dash: [8, 6]))
    canvas.strokePolyline(
      [Point2(130, 8), Point2(160, 46), Point2(190, 12)],
      StrokeStyle(color: Color(unitRed: 0.8, green: 0.6, blue: 0.1, alpha: 0.6), width: 7))
    canvas.strokeLine(from: Point2(6, 60), to: Point2(60, 84), StrokeStyle(color: .white, width: 1))
    canvas.strokeLine(
      from: Point2(66, 60), to: Point2(120, 84), StrokeStyle(color: .white, width: 3, antialiased: false))
    canvas.fillPolygon([Point2(125, 86), Point2(140, 56), Point2(155, 86)], color: .red)
    canvas.fillCircle(center: Point2(172, 72), radius: 12, color: .white.withAlpha(0.5))
    canvas.strokeCircle(center: Point2(172, 72), radius: 15, StrokeStyle(color: .white, width: 1.5))
    try Goldens.expect(canvas.image, equals: "canvas-shapes.png")
  }

  @Test func labelsEqualTheirGolden() throws {
    var canvas = canvas(250, 90, Self.night)
    let style = TextStyle(size: 20, bold: true)
    let text = "teddy bear 65%\n1.53 m"
    let metrics = TextMetrics(text, style: style)
    canvas.fillRect(
      Rect(x: 8, y: 8, width: metrics.width + 24, height: metrics.height + 12),
      color: Color(unitRed: 0, green: 0.6, blue: 0.2, alpha: 0.7), cornerRadius: 6)
    canvas.drawText(text, at: Point2(20, 14), style: style)
    canvas.drawText("cup 95%\n-- m", at: Point2(190, 14), style: TextStyle(size: 14), alignment: .center)
    try Goldens.expect(canvas.image, equals: "canvas-labels.png")
  }

  @Test func everyGlyphEqualsItsGolden() throws {
    var canvas = canvas(450, 84)
    for (row, bold) in [false, true].enumerated() {
      for half in 0..<2 {
        let codes = UInt8(33 + half * 47)..<UInt8(33 + half * 47 + 47)
        canvas.drawText(
          String(decoding: codes, as: UTF8.self), at: Point2(2, Double(row * 2 + half) * 20.5),
          style: TextStyle(size: 16, bold: bold))
      }
    }
    try Goldens.expect(canvas.image, equals: "canvas-glyphs.png")
  }

  // MARK: - Areas are exact

  @Test func aWholePixelRectangleHasHardEdges() {
    var canvas = canvas(6, 5)
    canvas.fillRect(Rect(minX: 1, minY: 2, maxX: 4, maxY: 4), color: .white)
    for y in 0..<5 {
      for x in 0..<6 {
        let inside = (1..<4).contains(x) && (2..<4).contains(y)
        #expect(canvas.image[x, y] == (inside ? .white : .black))
      }
    }
  }

  @Test func partlyCoveredPixelsAreBlendedByArea() {
    var canvas = canvas(4, 4)
    canvas.fillRect(Rect(minX: 0.5, minY: 1, maxX: 2, maxY: 2.25), color: .white)
    #expect(canvas.image[0, 1].red == 128)
    #expect(canvas.image[1, 1].red == 255)
    #expect(canvas.image[0, 2].red == 32)
    #expect(canvas.image[1, 2].red == 64)
    #expect(canvas.image[2, 1].red == 0)
  }

  @Test func areasOfShapesAreRight() {
    var triangle = canvas(40, 40)
    triangle.fillPolygon([Point2(3.3, 4.1), Point2(35.7, 11.9), Point2(17.2, 33.4)], color: .white)
    // Half the cross product of two sides.
    let doubled = (35.7 - 3.3) * (33.4 - 4.1) - (11.9 - 4.1) * (17.2 - 3.3)
    #expect(abs(ink(triangle.image) - doubled / 2) < Self.inkTolerance)

    var disc = canvas(40, 40)
    disc.fillCircle(center: Point2(20, 20), radius: 15, color: .white)
    #expect(abs(ink(disc.image) - .pi * 225) < Self.inkTolerance)

    var line = canvas(60, 60)
    line.strokeLine(from: Point2(10, 12), to: Point2(46, 39), StrokeStyle(color: .white, width: 3))
    #expect(abs(ink(line.image) - 45 * 3) < Self.inkTolerance * 4)

    var frame = canvas(40, 40)
    frame.strokeRect(Rect(minX: 5.5, minY: 6.25, maxX: 30, maxY: 31), StrokeStyle(color: .white, width: 2))
    #expect(abs(ink(frame.image) - (26.5 * 26.75 - 22.5 * 22.75)) < Self.inkTolerance)
  }

  @Test func aSlantingDashedLineIsThatOfTheWholeShape() {
    for (x, y, caps) in [(170.0, 90.0, false), (-40, 95, true), (150, 3, false)] {
      let style = StrokeStyle(
        color: Color.cyan.withAlpha(0.6), width: 3, dash: [8, 6], roundCaps: caps)
      let ends = (Point2<ImagePixels>(5, 4), Point2<ImagePixels>(x, y))
      var single = Canvas(RGBImage(width: 180, height: 100), in: ImagePixels.self)
      var whole = single
      single.strokeLine(from: ends.0, to: ends.1, style)
      whole.strokeLines([[ends.0, ends.1]], style)
      #expect(single.image == whole.image)
    }
  }

  @Test func dashesCoverTheirShare() {
    var canvas = canvas(150, 8)
    canvas.strokeLine(
      from: Point2(2, 4), to: Point2(142, 4), StrokeStyle(color: .white, width: 2, dash: [8, 6]))
    #expect(abs(ink(canvas.image) - 10 * 8 * 2) < Self.inkTolerance)
  }

  /// Lines that begin a thousand million dashes away: the time depends on the picture, and the pattern
  /// continues.
  @Test func dashesOutsideThePictureTakeNoTime() {
    for dash in [[8.0, 6], [4, 1, 3, 2]] {
      let style = StrokeStyle(color: .white, width: 2, dash: dash)
      let period = dash.reduce(0, +)
      for offset in [0, 3.0, 9] {
        var near = canvas(150, 40)
        var far = near
        near.strokeLine(from: Point2(-2 * period + offset, 9), to: Point2(400, 9), style)
        far.strokeLine(from: Point2(-1e9 * period + offset, 9), to: Point2(1e12, 9), style)
        near.strokePolyline([Point2(20, -2 * period + offset), Point2(20, 90), Point2(40, 90)], style)
        far.strokePolyline([Point2(20, -1e9 * period + offset), Point2(20, 1e9), Point2(1e9, 90)], style)
        #expect(near.image == far.image, "\(dash) from \(offset)")
      }
    }
  }

  /// The pattern of a corner outside the picture is that of the way there.
  @Test func dashesRunOnAroundCornersOutsideThePicture() {
    let style = StrokeStyle(color: .white, width: 2, dash: [8, 6])
    var turned = canvas(60, 60)
    var straight = turned
    // 14 * 10 pixels to the corner, 14 * 20 back.
    turned.strokePolyline([Point2(30, 30), Point2(30, 170), Point2(310, 170), Point2(310, 30)], style)
    straight.strokeLine(from: Point2(30, 30), to: Point2(30, 170), style)
    #expect(turned.image == straight.image)
    turned.strokePolyline([Point2(-100, 10), Point2(-100, 20), Point2(60, 20)], style)
    straight.strokeLine(from: Point2(-110, 20), to: Point2(60, 20), style)
    #expect(turned.image == straight.image)
  }

  @Test(arguments: [1e20, 1e160, 1.7e308]) func endlessShapesEnd(_ far: Double) {
    var picture = canvas(40, 40)
    let style = StrokeStyle(color: .white, width: 2, dash: [8, 6])
    var solid = style
    solid.dash = []
    for style in [style, solid] {
      picture.strokeLine(from: Point2(-far, 3), to: Point2(far, 20), style)
      picture.strokePolyline([Point2(-far, -far), Point2(far, 10), Point2(5, far)], closed: true, style)
      picture.strokeRect(Rect(minX: -far, minY: -far, maxX: far, maxY: 20), style)
    }
    picture.strokeCircle(center: Point2(20, 20), radius: far, solid)
    picture.fillCircle(center: Point2(20, 20), radius: 5, color: .white)
    #expect(picture.image.pixels[3 * (20 * 40 + 20)] == 255)
    picture.drawText(String(repeating: "x", count: 1_000_000), at: Point2(0, 30), style: TextStyle(size: 8))
  }

  @Test func translucentCornersAreLaidOnOnce() {
    var canvas = canvas(30, 30)
    canvas.strokePolyline(
      [Point2(5, 5), Point2(25, 5), Point2(25, 25), Point2(5, 5)],
      StrokeStyle(color: .white.withAlpha(0.5), width: 4))
    #expect(canvas.image.pixels.max() == 128)
  }

  @Test func hardLinesHaveNoGrays() {
    var canvas = canvas(30, 30)
    canvas.strokeLine(
      from: Point2(2, 3), to: Point2(27, 19), StrokeStyle(color: .white, width: 2, antialiased: false))
    #expect(Set(canvas.image.pixels) == [0, 255])
  }

  // MARK: - Clipping

  @Test func whateverLiesOutsideIsClipped() {
    var inside = canvas(20, 20)
    let style = StrokeStyle(color: .red, width: 3)
    for point in [-1e12, -5.0, 3, 25, 1e12] {
      inside.strokeLine(from: Point2(point, -9), to: Point2(-point, 30), style)
      inside.fillRect(Rect(minX: point, minY: -3, maxX: point + 4, maxY: 9), color: .green)
      inside.fillCircle(center: Point2(point, point), radius: 2, color: .cyan)
      inside.drawText("Ag", at: Point2(point, point), style: TextStyle(size: 12))
      inside.fillPolygon([Point2(point, 0), Point2(point + 9, 4), Point2(point, 9)], color: .white)
    }
    inside.draw(TestPictures.noise(width: 9, height: 9), x: -4, y: 15)
    inside.draw(TestPictures.noise(width: 9, height: 9), x: 400, y: 15)
    #expect(inside.image.size == PixelSize(width: 20, height: 20))
  }

  @Test func coordinatesThatAreNotFiniteDrawNothing() {
    var canvas = canvas(10, 10)
    let style = StrokeStyle(color: .white, width: 3)
    canvas.strokeLine(from: Point2(.nan, 2), to: Point2(5, 5), style)
    canvas.strokeLine(from: Point2(1, 2), to: Point2(.infinity, 5), style)
    canvas.fillPolygon([Point2(1, 1), Point2(.nan, 5), Point2(9, 9)], color: .white)
    canvas.fillCircle(center: Point2(.nan, 2), radius: 3, color: .white)
    canvas.drawText("A", at: Point2(.nan, 0), style: TextStyle(size: 9))
    #expect(canvas.image == RGBImage(width: 10, height: 10))
  }

  // MARK: - Pictures

  @Test func opaquePicturesReplaceAndClearOnesLeave() {
    let picture = TestPictures.noise(width: 5, height: 4)
    var canvas = canvas(9, 9, Self.night)
    canvas.draw(RGBAImage(width: 9, height: 9), x: 0, y: 0)
    #expect(canvas.image == RGBImage(width: 9, height: 9, color: Self.night))
    canvas.draw(picture, x: 2, y: 3)
    #expect(canvas.image.cropped(x: 2, y: 3, width: 5, height: 4) == picture)
    canvas.draw(RGBImage(width: 9, height: 9, color: .white), x: 0, y: 0, opacity: 0.5)
    #expect(canvas.image[0, 0] == Color(red: 147, green: 149, blue: 152))
  }

  @Test func stretchedPicturesFillTheirRectangle() {
    var canvas = canvas(12, 12)
    canvas.draw(
      RGBAImage(width: 3, height: 2, color: .red), in: Rect(minX: 2, minY: 4, maxX: 10, maxY: 8))
    for y in 0..<12 {
      for x in 0..<12 {
        let inside = (2..<10).contains(x) && (4..<8).contains(y)
        #expect(canvas.image[x, y] == (inside ? .red : .black))
      }
    }
  }

  @Test func tintFollowsTheMask() {
    var canvas = canvas(3, 1)
    canvas.tint(Plane(width: 3, height: 1, elements: [0, 128, 255]), color: .white.withAlpha(0.5))
    #expect(canvas.image.pixels == [0, 0, 0, 64, 64, 64, 128, 128, 128])
  }

  // MARK: - Text

  /// Masks are read in blocks: single pixels at every place of one count as they are, and the color's alpha with them.
  @Test func tintReachesEveryPixelOfAMask() {
    let (width, height) = (37, 11)
    var mask = Plane<UInt8>(width: width, height: height, fill: 0)
    for index in stride(from: 0, to: width * height, by: 33) { mask.elements[index] = 255 }
    var canvas = canvas(width, height)
    canvas.tint(mask, color: Color(red: 200, green: 100, blue: 50, alpha: 51))
    for index in 0..<width * height {
      let color = canvas.image[index % width, index / width]
      #expect(color == (index % 33 == 0 ? Color(red: 40, green: 20, blue: 10) : .black))
    }
  }

  @Test func metricsAddUp() {
    let style = TextStyle(size: 28, bold: true)
    let one = TextMetrics("cup 95%", style: style)
    let two = TextMetrics("cup 95%\n2.30 m", style: style)
    #expect(two.height == 2 * one.height)
    #expect(two.width == one.width)
    #expect(two.lineWidths.count == 2)
    let joined = TextMetrics("cup", style: style).width + TextMetrics(" 95%", style: style).width
    #expect(abs(joined - one.width) < 1e-9)
    #expect(TextMetrics("cup", style: TextStyle(size: 28)).width < TextMetrics("cup", style: style).width)
    #expect(TextMetrics("", style: style).width == 0)
  }

  /// How far snapping letters to whole pixel rows may move their edges.
  private static let snapping = 1

  @Test func inkStaysWithinTheMetrics() {
    for size in [12.0, 17, 28, 48] {
      for bold in [false, true] {
        let style = TextStyle(size: size, bold: bold)
        let text = String(decoding: UInt8(33)...UInt8(126), as: UTF8.self)
        let metrics = TextMetrics(text, style: style)
        let (width, height) = (Int(metrics.width.rounded(.up)), Int(metrics.height.rounded(.up)))
        var canvas = canvas(width + 20, height + 20)
        canvas.drawText(text, at: Point2(10, 10), style: style)
        let center = canvas.image.cropped(
          x: 10, y: 10 - Self.snapping, width: width, height: height + 2 * Self.snapping)
        #expect(ink(center) == ink(canvas.image), "size \(size)")
        #expect(ink(center) > 0)
      }
    }
  }

  @Test func everyPrintableCharacterHasItsOwnGlyph() {
    let style = TextStyle(size: 24)
    var seen = [[UInt8]: Character]()
    for code in UInt8(33)...126 {
      var canvas = canvas(40, 40)
      let character = Character(UnicodeScalar(code))
      canvas.drawText(String(character), at: Point2(5, 5), style: style)
      #expect(seen[canvas.image.pixels] == nil, "\(character) looks like another character")
      seen[canvas.image.pixels] = character
    }
    var box = canvas(40, 40)
    box.drawText("\u{3042}", at: Point2(5, 5), style: style)
    #expect(ink(box.image) > 0)
    #expect(seen[box.image.pixels] == nil)
  }
}
