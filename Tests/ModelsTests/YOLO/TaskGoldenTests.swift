import Digests
import FileFormats
import Geometry
import Imaging
import Models
import NNRuntime
import Testing

/// The results of Ultralytics' `predict` for one picture with the smallest network of each family, compared with ours.
@Suite("Objects of every task against Ultralytics")
struct TaskGoldenTests {
  private static let boxTolerance = 1e-2
  private static let scoreTolerance: Float = 1e-5

  private static let golden = Result {
    try JSONValue.read(path: Golden.path("ultralytics-8.4.190-tasks.json"))
  }

  private func picture() throws -> RGBImage {
    try ImageCodec.decode(path: Golden.path(#require(Self.golden.get()["picture"]?.string))).upright()
  }

  private func entry(_ family: String) throws -> JSONValue {
    try #require(Self.golden.get()["families"]?[family])
  }

  @Test("every object and no other", arguments: LeastNetworkTests.families.map(\.name), [false, true])
  func objects(family: String, suppressing: Bool) throws {
    let isSecond = suppressing && family.hasPrefix("yolo26")
    let entry = try entry(isSecond ? "\(family), nms" : family)
    let expected = try #require(entry["objects"]?.array)
    let model = try YOLODetector(
      weights: Golden.store("\(family)-least"), input: .fixed(height: 96, width: 96),
      suppressing: suppressing)
    let thresholds = DetectionThresholds(
      confidence: Float(try #require(entry["confidence"]?.number)),
      overlap: Float(try #require(entry["overlap"]?.number)))
    let found = try model.detect(picture(), thresholds: thresholds, masks: .retina).objects
    #expect(expected.count >= 4)
    #expect(found.map { $0.classIndex } == expected.compactMap { $0["class"]?.integer })
    for (object, reference) in zip(found, expected) {
      let score = Float(try #require(reference["score"]?.number))
      #expect(abs(object.confidence - score) <= Self.scoreTolerance)
      // The upright box around an oriented one is here clipped to the picture.
      if object.orientedBox == nil {
        expectNear([object.box.minX, object.box.minY, object.box.maxX, object.box.maxY], reference["box"])
      }
      try expectSameShapes(object, reference)
    }
  }

  private func expectSameShapes(_ object: DetectedObject, _ reference: JSONValue) throws {
    if let rotated = reference["rotated"] {
      let box = try #require(object.orientedBox)
      expectNear([box.center.x, box.center.y, box.width, box.height, box.angle], rotated)
    }
    let keypoints = reference["keypoints"]?.array ?? []
    #expect(object.keypoints.count == keypoints.count)
    for (keypoint, expected) in zip(object.keypoints, keypoints) {
      let confidence = keypoint.confidence.map { [Double($0)] } ?? []
      expectNear([keypoint.point.x, keypoint.point.y] + confidence, expected)
    }
    guard let mask = reference["mask"] else {
      #expect(object.mask == nil)
      return
    }
    let size = try #require(mask["size"]?.numbers)
    let runs = try RunLengthMask(
      height: Int(size[0]), width: Int(size[1]), counts: try #require(mask["counts"]?.string))
    let pixels = try #require(object.mask).plane().elements
    #expect(zip(pixels, runs.mask).count { $0 != $1 } <= pixels.count / 2000)
  }

  private func expectNear(_ found: [Double], _ expected: JSONValue?) {
    let numbers = expected?.numbers ?? []
    #expect(found.count == numbers.count)
    for (value, number) in zip(found, numbers) { #expect(abs(value - number) <= Self.boxTolerance) }
  }

  @Test("classes and their order", arguments: ["yolo11-cls", "yolov8-cls"])
  func classes(family: String) throws {
    let entry = try entry(family)
    let model = try YOLOClassifier(weights: Golden.store("\(family)-least"), side: 64)
    let found = try model.classify(picture()).classes
    #expect(found.map { $0.index } == entry["classes"]?.array?.compactMap(\.integer))
    #expect(found.map { $0.name } == found.map { "class \($0.index)" })
    for (entry, probability) in zip(found, try #require(entry["probabilities"]?.numbers)) {
      #expect(abs(Double(entry.probability) - probability) < 1e-5)
    }
    #expect(abs(found.reduce(0) { $0 + $1.probability } - 1) < 1e-5)
  }

  @Test(
    "the middle square is Pillow's, to the byte", arguments: ["upright", "transposed"], [32, 64, 96, 224])
  func squares(which: String, side: Int) throws {
    var picture = try picture()
    if which == "transposed" { picture = picture.oriented(.leftMirrored) }
    var input = [Float](repeating: -1, count: side * side * 3)
    var span = input.mutableSpan
    YOLOPreprocessing.fillMiddleSquare(&span, with: picture, side: side)
    let bytes = input.map { UInt8(($0 * 255).rounded()) }
    let expected = try Self.golden.get()["squares"]?[which]?["\(side)"]?.string
    #expect(sha256Hex(bytes) == expected)
  }

  @Test("the middle of a picture however long is cut out of it", arguments: [(1, 1), (20_000, 1), (3, 9999)])
  func elongated(width: Int, height: Int) throws {
    let picture = RGBImage(
      width: width, height: height,
      pixels: (0..<width * height * 3).map { UInt8(truncatingIfNeeded: $0 &* 29 &+ $0 / 53) })
    let found = try YOLOClassifier(weights: Golden.store("yolo11-cls-least"), side: 32).classify(picture)
    #expect(found.classes.count == 4)
  }
}

@Suite("Oriented boxes")
struct OrientedSuppressionTests {
  private func box(_ x: Float, _ y: Float, _ width: Float, _ height: Float, _ angle: Float) -> OrientedBox {
    OrientedBox(center: SIMD2(x, y), size: SIMD2(width, height), angle: angle)
  }

  private func candidates(_ scores: [Float], classes: [Int]? = nil) -> [Candidate] {
    scores.enumerated().map { index, score in
      Candidate(
        anchor: index, classIndex: classes?[index] ?? 0, score: score,
        box: Rect(minX: 0, minY: 0, maxX: 1, maxY: 1))
    }
  }

  @Test("a box that a better one overlaps goes, even where that one goes itself")
  func fast() {
    // Each overlaps the next, and the first not the third.
    let boxes = [box(0, 0, 20, 10, 0.3), box(6, 2, 20, 10, 0.3), box(12, 4, 20, 10, 0.3)]
    let given = candidates([0.9, 0.8, 0.7])
    #expect(OrientedSuppression.survivors(of: given, boxes, overlap: 0.5, limit: 300) == [0])
    #expect(
      OrientedSuppression.survivors(of: given, [boxes[0], boxes[2], boxes[2]], overlap: 0.5, limit: 9) == [
        0, 1,
      ])
    #expect(OrientedSuppression.survivors(of: given, boxes, overlap: 0.99, limit: 2) == [0, 1])
  }

  @Test("a turn by a half is the same box, one by a quarter of a long one is another; classes are apart")
  func turns() {
    let given = candidates([0.5, 0.6])
    let long = box(50, 50, 40, 8, 0.2)
    let half = [long, box(50, 50, 40, 8, 0.2 + .pi)]
    let quarter = [long, box(50, 50, 40, 8, 0.2 + .pi / 2)]
    #expect(OrientedSuppression.survivors(of: given, half, overlap: 0.9, limit: 300) == [1])
    #expect(OrientedSuppression.survivors(of: given, quarter, overlap: 0.5, limit: 300) == [1, 0])
    #expect(
      OrientedSuppression.survivors(
        of: candidates([0.5, 0.6], classes: [0, 1]), half, overlap: 0.1, limit: 300) == [1, 0])
  }

  @Test("the best anchors are taken first, then their classes")
  func endToEnd() {
    let rect = Rect<NetworkPixels>(minX: 0, minY: 0, maxX: 1, maxY: 1)
    // 301 anchors: the last has the least best score, though its score is not the least of all.
    var given = (0..<301).map {
      Candidate(anchor: $0, classIndex: 0, score: 0.9 - Float($0) / 1000, box: rect)
    }
    given.append(Candidate(anchor: 0, classIndex: 1, score: 0.1, box: rect))
    let found = EndToEndSelection.survivors(of: given, limit: 1000)
    #expect(found.count == 302)
    let best = EndToEndSelection.survivors(of: given, limit: 300)
    #expect(best.count == 300 && best.allSatisfy { $0.anchor < 300 && $0.classIndex == 0 })
    #expect(EndToEndSelection.survivors(of: given, limit: 2).map(\.anchor) == [0, 1])
    let twice = EndToEndSelection.survivors(of: Array(given.suffix(2)), limit: 9)
    #expect(twice.map(\.classIndex) == [0, 1])
  }
}
