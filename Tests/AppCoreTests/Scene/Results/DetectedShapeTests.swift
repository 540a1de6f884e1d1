import AppCore
import FileFormats
import Geometry
import Imaging
import Testing

/// Key points and oriented boxes in documents, pictures and the world.
@Suite struct DetectedShapeTests {
  private static let size = PixelSize(width: 100, height: 80)

  private static let detection = Detection(
    id: 0, classId: 0, className: "small vehicle", confidence: 0.75,
    box: Rect(minX: 10, minY: 20, maxX: 50, maxY: 60),
    keypoints: [
      Keypoint(Point2(12.5, 22.25), confidence: 0.5), Keypoint(Point2(32, 44), confidence: 0.25),
      Keypoint(Point2(30, 40)),
    ],
    orientedBox: RotatedRect(center: Point2(30, 40), width: 30, height: 20, angle: 0.5))

  private func document(_ detection: Detection = Self.detection) -> DetectionsFile {
    DetectionsFile(image: "P0006.png", imageSize: Self.size, model: .null, detections: [detection])
  }

  @Test func documentsAreReadBack() throws {
    let json = document().json
    let read = try DetectionsFile(json: json, expecting: Self.size)
    #expect(read.detections[0].keypoints == Self.detection.keypoints)
    #expect(read.detections[0].orientedBox == Self.detection.orientedBox)
    #expect(read.json == json)
    #expect(read.detections[0].asWritten.orientedBox == read.detections[0].orientedBox)
  }

  @Test(arguments: [
    ("keypoints", "[[1, 2]]"), ("keypoints", "[[1, 2, 1.5]]"), ("keypoints", "[[1, \"2\", 0.5]]"),
    ("keypoints", "{}"), ("keypoints", "[[1e9, 2, 0.5]]"),
    ("orientedBox", "{\"center\": [1], \"width\": 2, \"height\": 2, \"angle\": 0}"),
    ("orientedBox", "{\"center\": [1, 2], \"width\": 0, \"height\": 2, \"angle\": 0}"),
    ("orientedBox", "{\"center\": [1, 2], \"width\": 2, \"height\": 2, \"angle\": 1e300}"),
    ("orientedBox", "[]"),
  ])
  func defectsAreNamed(field: String, text: String) throws {
    var file = try #require(document().json.object)
    var entry = try #require(file["detections"]?.array?[0].object)
    entry[field] = try JSONValue.parse(text)
    file["detections"] = .array([.object(entry)])
    #expect {
      try DetectionsFile(json: .object(file), expecting: Self.size)
    } throws: { error in
      "\(error)".contains("detections[0].\(field)")
    }
  }

  @Test func resultsForCOCOAndDOTA() throws {
    let entry = try #require(try COCOResults.entries(document(), image: 1).first)
    #expect(entry["keypoints"]?.numbers == [12.5, 22.25, 0.5, 32, 44, 0.25, 30, 40, 1])
    #expect(entry["category_id"]?.integer == 1 && entry["segmentation"] == nil)
    var dota = DOTAResults()
    dota.add(document(), image: "P0006")
    dota.add(document(), image: "P0006")
    #expect(dota.files.map(\.name) == ["Task1_small-vehicle.txt"])
    let lines = dota.files[0].text.split(separator: "\n")
    #expect(lines.count == 2)
    let parts = lines[0].split(separator: " ")
    #expect(parts.count == 10 && parts[0] == "P0006" && parts[1] == "0.75")
    let corner = try #require(Self.detection.orientedBox?.corners[0])
    #expect(abs((Double(parts[2]) ?? 0) - corner.x) < 1e-3 && abs((Double(parts[3]) ?? 0) - corner.y) < 1e-3)
  }

  @Test func picturesShowThem() {
    let image = RGBImage(width: 100, height: 80, color: .black)
    var style = ResultsStyle()
    (style.backgroundExposure, style.objectGain) = (0, 1)
    func drawn(_ detection: Detection) -> RGBImage {
      let item = ResultsItem(detection: detection, label: "", source: .sensor)
      return ResultsCompositor(style: style).compose(image, orientation: .up, items: [item])
    }
    let plain = drawn(
      Detection(id: 0, classId: 0, className: "", confidence: 1, box: Self.detection.box))
    let turned = drawn(Self.detection)
    // The upright outline is gone, and a dot lies where the network is sure.
    #expect(plain.pixel(10, 40) != plain.pixel(5, 5) && turned.pixel(10, 40) == turned.pixel(5, 5))
    #expect(turned.pixel(12, 22) != turned.pixel(5, 5) && turned.pixel(32, 44) == turned.pixel(5, 5))
  }

  @Test func turnedPicturesTurnThemToo() throws {
    let upright = UprightDetection(
      id: 0, classId: 0, className: "a", confidence: 1, box: Rect(minX: 0, minY: 0, maxX: 9, maxY: 9),
      keypoints: [Keypoint(Point2(3, 4), confidence: 1)],
      orientedBox: RotatedRect(center: Point2(5, 6), width: 4, height: 2, angle: 0.25))
    let stored = upright.turnedBack(from: .right, stored: Self.size)
    #expect(stored.keypoints[0].point == Orientation.right.stored(Point2(3, 4), stored: Self.size))
    let box = try #require(stored.orientedBox)
    #expect(box.center == Orientation.right.stored(Point2(5, 6), stored: Self.size))
    #expect(abs(box.angle - (0.25 - .pi / 2)) < 1e-9)
  }

  @Test func placesInTheWorldAreThoseOfTheDepthThatIsSeen() throws {
    // A wall at two meters, and one of the cells beside the object 1.2 m before it.
    var depth = [Float](repeating: 2, count: 100 * 80)
    depth[50 * 100 + 40] = 0.8
    let intrinsics = try Intrinsics(
      fx: 100, fy: 100, cx: 49.5, cy: 39.5, imageWidth: 100, imageHeight: 80)
    let scene = DepthScene(
      imageSize: Self.size, intrinsics: intrinsics,
      readings: MetricDepth(sensor: Plane(width: 100, height: 80, elements: depth)))
    let sure = [Point2<ImagePixels>(12.5, 22.5), Point2(40.5, 50.5)].map { Keypoint($0, confidence: 0.9) }
    let extent = ExtentEstimator(scene: scene).extent(
      of: Detection(
        id: 0, classId: 0, className: "a", confidence: 1, box: Self.detection.box,
        keypoints: sure + [Keypoint(Point2(30.5, 40.5), confidence: 0.4)],
        orientedBox: Self.detection.orientedBox))
    #expect(extent.keypoints.count == 3)
    let first = try #require(extent.keypoints[0].position)
    #expect(first.distance(to: Point3(2 * (12.5 - 50) / 100, -2 * (22.5 - 40) / 100, -2)) < 1e-6)
    #expect(extent.keypoints[0].source == .sensor && extent.keypoints[0].meters == 2)
    // Another surface is seen there, and the last is a guess.
    #expect(extent.keypoints[1].position == nil && extent.keypoints[2].position == nil)
    #expect(extent.orientedCorners.count == 4)
    let sides = extent.orientedCorners[0].distance(to: extent.orientedCorners[1])
    #expect(abs(sides - 20 * 2 / 100) < 1e-6)
    let json = extent.json
    #expect(json["keypoints3D"]?.array?.count == 3 && json["orientedCorners3D"]?.array?.count == 4)
  }
}

extension RGBImage {
  fileprivate func pixel(_ x: Int, _ y: Int) -> [UInt8] {
    let first = (y * width + x) * 3
    return Array(pixels[first..<first + 3])
  }
}
