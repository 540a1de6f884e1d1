import AppCore
import FoundationEssentials
import Geometry
import Imaging
import TestSupport
import Testing

/// A small picture, stored sideways, with objects whose results picture is known.
enum ResultsFixture {
  static let stored = PixelSize(width: 240, height: 180)
  static let upright = PixelSize(width: 180, height: 240)

  /// A ramp from left to right in the upright picture, a little bluer downwards.
  static func picture() -> RGBImage {
    var image = RGBImage(width: upright.width, height: upright.height)
    for y in 0..<upright.height {
      for x in 0..<upright.width {
        let level = UInt8(40 + x)
        image[x, y] = Color(red: level, green: level, blue: UInt8(min(255, Int(level) + y / 8)))
      }
    }
    return image.oriented(Orientation.right.inverse)
  }

  /// A detection on the upright picture, turned back; its mask is a disc in the box.
  static func detection(_ id: Int, _ box: Rect<UprightPixels>, masked: Bool = true) -> Detection {
    let letterbox = Letterbox(imageSize: upright, networkSize: PixelSize(width: 640, height: 640))
    let network = letterbox.toNetwork(box)
    var grid = Plane<Float>(width: 160, height: 160, fill: 0)
    let radius = min(network.width, network.height) / 8
    for y in 0..<160 {
      for x in 0..<160 {
        let dx = Double(x) + 0.5 - network.center.x / 4
        let dy = Double(y) + 0.5 - network.center.y / 4
        grid[x, y] = dx * dx + dy * dy < radius * radius ? 1 : 0
      }
    }
    let names = ["cup", "teddy bear", "bed", "chair"]
    let found = UprightDetection(
      id: id, classId: id, className: names[id % names.count], confidence: 0.95, box: box,
      mask: masked ? UprightMask(probabilities: grid, letterbox: letterbox) : nil)
    return found.turnedBack(from: .right, stored: stored)
  }

  static func intrinsics() throws -> Intrinsics {
    try Intrinsics(fx: 200, fy: 200, cx: 119.5, cy: 89.5, imageWidth: 240, imageHeight: 180)
  }
}

@Suite struct ResultsTests {
  /// The difference that rounding in trigonometry may make on another machine, in levels.
  static let goldenTolerance = 1

  private func compose(_ items: [ResultsItem], style: ResultsStyle = ResultsStyle()) throws -> RGBImage {
    ResultsCompositor(style: style).compose(
      ResultsFixture.picture(), orientation: .right, items: items, intrinsics: try ResultsFixture.intrinsics()
    )
  }

  /// Values of the design: 255 becomes 149, 128 becomes 72, 64 becomes 33; within an object 128 becomes 139.
  @Test func tonesAreMixedInLinearLight() {
    let tones = ToneTable(backgroundGain: ResultsStyle().backgroundGain, objectGain: 1.2)
    #expect(tones[255, alpha: 0] == 149)
    #expect(tones[128, alpha: 0] == 72)
    #expect(tones[64, alpha: 0] == 33)
    #expect(tones[128, alpha: 255] == 139)
    #expect(tones[255, alpha: 255] == 255)
    #expect(tones[128, alpha: 128] == 112)
    #expect(tones[0, alpha: 77] == 0)
  }

  @Test func unchangedObjectsOnRequest() throws {
    let tones = ToneTable(backgroundGain: 1, objectGain: 1)
    for value in 0..<256 {
      for alpha: UInt8 in [0, 1, 128, 255] { #expect(tones[UInt8(value), alpha: alpha] == UInt8(value)) }
    }
    #expect(tones.changesNothing)
    #expect(!ToneTable(backgroundGain: 1, objectGain: 1.01).changesNothing)
  }

  /// A style of tones that change nothing leaves objects out of the tones, and draws the rest.
  @Test func tonesThatChangeNothingKeepThePicture() throws {
    var style = ResultsStyle()
    (style.backgroundExposure, style.objectGain) = (0, 1)
    let picture = ResultsFixture.picture()
    let compositor = ResultsCompositor(style: style)
    let plain = compositor.compose(picture, orientation: .right, items: [])
    #expect(plain == picture.oriented(.right))
  }

  @Test func withoutObjectsThePictureIsUprightAndDark() throws {
    let picture = try compose([])
    let original = ResultsFixture.picture().oriented(.right)
    #expect(picture.size == ResultsFixture.upright)
    let tones = ToneTable(backgroundGain: ResultsStyle().backgroundGain, objectGain: 1.2)
    #expect(picture.pixels == original.pixels.map { tones[$0, alpha: 0] })
  }

  @Test(arguments: Orientation.allCases)
  func everyOrientationTurnsAlike(_ orientation: Orientation) throws {
    let picture = ResultsFixture.picture()
    let composed = ResultsCompositor().compose(picture, orientation: orientation, items: [])
    let tones = ToneTable(backgroundGain: ResultsStyle().backgroundGain, objectGain: 1.2)
    #expect(composed.pixels == picture.oriented(orientation).pixels.map { tones[$0, alpha: 0] })
  }

  @Test func masksAreBrightInsideAndMergeByMaximum() {
    var alpha = AlphaPlane(size: ResultsFixture.upright)
    let boxes = [
      Rect<UprightPixels>(x: 40, y: 60, width: 60, height: 60), Rect(x: 70, y: 60, width: 60, height: 60),
    ]
    for (id, box) in boxes.enumerated() {
      alpha.merge(ResultsFixture.detection(id, box), stored: ResultsFixture.stored, orientation: .right)
    }
    func at(_ x: Int, _ y: Int) -> UInt8 { alpha.alphas[y * ResultsFixture.upright.width + x] }
    #expect(at(70, 90) == 255)
    #expect(at(100, 90) == 255)
    #expect(at(41, 61) == 0)
    #expect(at(10, 10) == 0)
    // The two discs meet in the middle of their common part.
    #expect(at(85, 90) == 255)
  }

  /// A mask found on the picture as stored lies at the same place as one found on the upright picture.
  @Test func maskOfTheStoredPictureIsTurned() {
    var grid = Plane<Float>(width: 160, height: 160, fill: 0)
    for y in 40..<80 { for x in 20..<100 { grid[x, y] = 1 } }
    let letterbox = Letterbox(imageSize: ResultsFixture.stored)
    let box = letterbox.fromNetwork(Rect<NetworkPixels>(minX: 80, minY: 160, maxX: 400, maxY: 320))
    let stored = UprightDetection(
      id: 0, classId: 0, className: "cup", confidence: 1, box: box,
      mask: UprightMask(probabilities: grid, letterbox: letterbox)
    ).turnedBack(from: .up, stored: ResultsFixture.stored)
    var direct = AlphaPlane(size: ResultsFixture.stored)
    direct.merge(stored, stored: ResultsFixture.stored, orientation: .up)
    var turned = AlphaPlane(size: ResultsFixture.upright)
    turned.merge(stored, stored: ResultsFixture.stored, orientation: .right)
    let plane = Plane(width: 240, height: 180, elements: direct.alphas)
    #expect(turned.alphas == plane.oriented(.right).elements)
    #expect(turned.alphas.contains(255))
  }

  @Test func boxWithoutMaskIsAllObject() {
    var alpha = AlphaPlane(size: ResultsFixture.upright)
    let box = Rect<UprightPixels>(x: 40, y: 60, width: 20, height: 10)
    alpha.merge(
      ResultsFixture.detection(0, box, masked: false), stored: ResultsFixture.stored, orientation: .right)
    #expect(alpha.alphas.count { $0 == 255 } == 200)
    #expect(alpha.alphas.count { $0 != 0 } == 200)
  }

  @Test(arguments: [
    Rect<UprightPixels>(minX: -50, minY: -50, maxX: -10, maxY: -10),
    Rect(minX: 10, minY: 10, maxX: 10, maxY: 50), Rect(minX: .nan, minY: 0, maxX: 10, maxY: 10),
    Rect(minX: -1e12, minY: -1e12, maxX: 1e12, maxY: 1e12),
  ])
  func unusableBoxesDrawWithoutHarm(_ box: Rect<UprightPixels>) throws {
    let item = ResultsItem(
      detection: ResultsFixture.detection(0, box, masked: false), label: "cup 95%\n-- m", source: .none)
    #expect(try compose([item]).size == ResultsFixture.upright)
  }

  @Test func colorsTellTheSource() {
    let style = ResultsStyle()
    let detection = ResultsFixture.detection(0, Rect(x: 0, y: 0, width: 9, height: 9))
    func color(_ source: ObjectDistance.Source) -> Color {
      style.color(of: ResultsItem(detection: detection, label: "", source: source))
    }
    #expect(color(.fusion) == Color(red: 204, green: 153, blue: 26))
    #expect(Set([color(.sensor), color(.fusion), color(.none)]).count == 3)
  }

  @Test func goldenPicture() throws {
    let box = Box3D(
      center: Point3(0, 0, -1.2), dimensions: BoxDimensions(x: 0.3, y: 0.2, z: 0.25), yaw: 0.5,
      method: .minimumArea)
    let boxes = [
      Rect<UprightPixels>(x: 50, y: 80, width: 80, height: 90), Rect(x: 30, y: 150, width: 40, height: 40),
      Rect(x: 130, y: 5, width: 48, height: 40),
    ]
    let sources: [ObjectDistance.Source] = [.sensor, .fusion, .none]
    let items = boxes.indices.map { id in
      let detection = ResultsFixture.detection(id, boxes[id], masked: id != 2)
      return ResultsItem(
        detection: detection, label: "\(detection.className) 95%\n\(id == 2 ? "--" : "1.20") m",
        source: sources[id], wireframe: id == 0 ? box : nil)
    }
    try Golden.expect(try compose(items), "results.png", tolerance: Self.goldenTolerance)
  }

  @Test func goldenDebugView() throws {
    let depth = Plane<Float>(
      width: 24, height: 18, elements: (0..<24 * 18).map { $0 < 24 ? 0 : 0.5 + Float($0 % 24) * 0.1 })
    let detection = ResultsFixture.detection(0, Rect(x: 50, y: 60, width: 90, height: 110))
    let view = DebugView.render(
      depth: depth, detections: [detection], imageSize: ResultsFixture.stored, orientation: .right,
      cellSide: 8)
    #expect(view.size == PixelSize(width: 144, height: 192))
    // The first stored row has no depth: after a clockwise turn it is the last column.
    #expect(view[143, 5] == .black)
    try Golden.expect(view, "debug-view.png", tolerance: Self.goldenTolerance)
  }
}

/// Pictures kept next to the tests; `ARDF_RECORD_GOLDENS=1` writes them again, to be inspected before a
/// commit.
enum Golden {
  static func expect(_ image: RGBImage, _ name: String, tolerance: Int) throws {
    let path = "\(SharedData.packageRoot)/Tests/AppCoreTests/Goldens/\(name)"
    if ProcessInfo.processInfo.environment["ARDF_RECORD_GOLDENS"] != nil {
      try Data(ImageCodec.encodePNG(image)).write(to: URL(fileURLWithPath: path))
    }
    let golden = try ImageCodec.decode(path: path).image
    try #require(golden.size == image.size)
    let worst = zip(golden.pixels, image.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 0
    #expect(worst <= tolerance, "\(name) differs by up to \(worst) levels")
  }
}
