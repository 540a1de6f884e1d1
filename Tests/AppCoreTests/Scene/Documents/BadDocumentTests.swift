import AppCore
import FileFormats
import Geometry
import Imaging
import Testing

/// Malformed documents that one stage wrote for another, each refused with its own error.
@Suite struct BadDocumentTests {
  private static let detection: [String: JSONValue] = [
    "id": 0, "classId": 4, "className": "cup", "confidence": 0.9,
    "box": ["x": 1, "y": 2, "width": 3.5, "height": 4],
  ]

  private static func document(_ changes: [String: JSONValue] = [:]) -> JSONValue {
    let fields: [String: JSONValue] = [
      "schema": "ardf.detections/1", "image": "i.png", "imageSize": [32, 24],
      "detections": [.object(detection)],
    ]
    return .object(fields.merging(changes) { $1 })
  }

  private static func found(_ changes: [String: JSONValue]) -> JSONValue {
    document(["detections": [.object(detection.merging(changes) { $1 })]])
  }

  private static func mask(_ counts: JSONValue, size: JSONValue = [24, 32]) -> JSONValue {
    found(["mask": ["size": size, "counts": counts]])
  }

  static let detections: [(JSONValue, DocumentError)] = [
    ([], .schema(found: nil, expected: "ardf.detections/1")),
    (
      document(["schema": "ardf.detections/2"]),
      .schema(found: "ardf.detections/2", expected: "ardf.detections/1")
    ),
    (document(["imageSize": [32]]), .field("imageSize", expected: "[width, height]")),
    (document(["imageSize": [32, 24.5]]), .field("imageSize", expected: "[width, height]")),
    (
      document(["imageSize": [16384, 16384]]),
      .imageSize(found: "16384x16384", expected: "32x24")
    ),
    (document(["detections": 1]), .field("detections", expected: "an array of at most 10000 objects")),
    (found(["id": -1]), .field("detections[0].id", expected: "a whole number from 0")),
    (found(["classId": "4"]), .field("detections[0].classId", expected: "a whole number from 0")),
    (found(["className": 4]), .field("detections[0].className", expected: "a string")),
    (
      found(["className": .string(String(repeating: "x\n", count: 501))]),
      .field("detections[0].className", expected: "at most 1000 bytes long")
    ),
    (found(["confidence": 1.5]), .field("detections[0].confidence", expected: "a number from 0 to 1")),
    (
      found(["box": ["x": 1, "y": 2, "width": 0, "height": 4]]),
      .field("detections[0].box", expected: "x, y and positive width and height")
    ),
    (found(["box": .null]), .field("detections[0].box", expected: "x, y and positive width and height")),
    (
      document(["detections": [.object(detection), .object(detection)]]),
      .field("detections[1].id", expected: "unique")
    ),
    (mask("PPPP8", size: [24, 33]), .field("detections[0].mask", expected: "size [24, 32] and counts")),
    (mask(7), .field("detections[0].mask", expected: "size [24, 32] and counts")),
  ]

  @Test(arguments: detections)
  func detectionsAreRefused(_ json: JSONValue, _ error: DocumentError) {
    #expect(throws: error) { try DetectionsFile(json: json, expecting: PixelSize(width: 32, height: 24)) }
  }

  static let masks: [(String, RunLengthError)] = [
    ("\u{7f}", .malformedCounts(offset: 0)), ("1", .wrongTotal(found: 1, expected: 768)),
    ("oooooooooooooooooo", .malformedCounts(offset: 12)),
  ]

  @Test(arguments: masks)
  func masksAreRefused(_ counts: String, _ error: RunLengthError) {
    #expect(throws: error) {
      try DetectionsFile(json: Self.mask(.string(counts)), expecting: PixelSize(width: 32, height: 24))
    }
  }

  /// The sentence of each defect; other tests compare errors.
  static let wordings: [(DocumentError, String)] = [
    (.schema(found: nil, expected: "a/1"), "schema is missing, expected \"a/1\"; is it the right file?"),
    (.schema(found: "a/2", expected: "a/1"), "schema is \"a/2\", expected \"a/1\"; is it the right file?"),
    (.field("imageSize", expected: "[width, height]"), "field \"imageSize\" must be [width, height]"),
    (
      .imageSize(found: "16384x16384", expected: "32x24"),
      "speaks of a picture of 16384x16384, the capture's is 32x24; give the files of one frame"
    ),
    (
      .image(found: "00000", expected: "00003"),
      "is of 00000, the capture's frame is 00003; give the files of one frame"
    ),
  ]

  @Test(arguments: wordings)
  func wording(_ error: DocumentError, _ sentence: String) {
    #expect("\(error)" == sentence)
  }

  /// The name of a picture has its ending or not; a document without a name is of any frame.
  @Test func documentsOfOtherFramesAreRefused() throws {
    let size = PixelSize(width: 32, height: 24)
    for name in [nil, "i.png", "i", "i.JPG"] {
      _ = try DetectionsFile(json: Self.document(), expecting: size, named: name)
    }
    _ = try DetectionsFile(json: Self.document(["image": ""]), expecting: size, named: "j")
    _ = try DetectionsFile(json: Self.document(["image": .null]), expecting: size, named: "j")
    #expect(throws: DocumentError.image(found: "i.png", expected: "j.png")) {
      try DetectionsFile(json: Self.document(), expecting: size, named: "j.png")
    }
  }

  @Test func soundDetectionsAreRead() throws {
    let file = try DetectionsFile(json: Self.document(), expecting: PixelSize(width: 32, height: 24))
    #expect(file.detections.map(\.className) == ["cup"])
  }

  /// Small in the file, they would take minutes to be drawn.
  @Test func boxesBeyondTheLimitAreRefused() throws {
    let side = 1 << 13
    let box: JSONValue = ["x": -1, "y": -1, "width": .integer(side + 2), "height": 1e300]
    let entries = (0..<65).map { id in
      JSONValue.object(Self.detection.merging(["id": .integer(id), "box": box]) { $1 })
    }
    let json = Self.document(["imageSize": [.integer(side), .integer(side)], "detections": .array(entries)])
    let needed = "boxes of at most 4294967296 pixels of the picture together"
    #expect(throws: DocumentError.field("detections", expected: needed)) {
      try DetectionsFile(json: json, expecting: PixelSize(width: side, height: side))
    }
    let most = Self.document([
      "imageSize": [.integer(side), .integer(side)], "detections": .array(Array(entries.prefix(64))),
    ])
    #expect(
      try DetectionsFile(json: most, expecting: PixelSize(width: side, height: side)).detections.count == 64)
  }

  /// A document's masks are kept as the runs they are written in, and say the same as their pixels.
  @Test(arguments: [(48, 36), (640, 480), (241, 977), (7, 5)])
  func masksOfRunsAreThoseOfPixels(_ width: Int, _ height: Int) throws {
    var random = SplitMix64(seed: 7)
    for density in [0, 1, 3, 200] {
      var pixels = [UInt8](repeating: density == 3 ? 1 : 0, count: width * height)
      // Blocks, whole columns among them, and single pixels.
      for _ in 0..<density {
        let (x, y) = (Int.random(in: 0..<width, using: &random), Int.random(in: 0..<height, using: &random))
        let side = Int.random(in: 1...max(1, height / 2), using: &random)
        let rows = density == 1 ? 0..<height : y..<min(height, y + side)
        for column in x..<min(width, x + side) { for row in rows { pixels[row * width + column] ^= 1 } }
      }
      let runs = RunLengthMask(height: height, width: width, mask: pixels)
      let mask: JSONValue = ["size": [.integer(height), .integer(width)], "counts": .string(runs.counts)]
      let json = Self.document([
        "imageSize": [.integer(width), .integer(height)],
        "detections": [.object(Self.detection.merging(["mask": mask]) { $1 })],
      ])
      let size = PixelSize(width: width, height: height)
      let found = try #require(try DetectionsFile(json: json, expecting: size).detections[0].mask)
      let expected = InstanceMask(binary: Plane(width: width, height: height, elements: pixels))
      #expect(found.grid == expected.grid)
      #expect(found.binary() == expected.binary())
      for _ in 0..<1000 {
        let point = Point2<ImagePixels>(
          Double.random(in: -1...Double(width) + 1, using: &random),
          Double.random(in: -1...Double(height) + 1, using: &random))
        #expect(found.probability(at: point) == expected.probability(at: point))
      }
    }
  }

  /// Names from a file are printed on one line of bounded length.
  @Test func namesAreEscapedAndCut() {
    let long = String(repeating: "x", count: 100_000)
    let schema = DocumentError.schema(found: "a\n\u{1b}[31m" + long, expected: "b").description
    #expect(schema.hasPrefix("schema is \"a\\u{a}\\u{1b}[31mxxx") && schema.count < 1000)
    let capture = CaptureError.missingFile(file: "f", name: "a\0b").description
    #expect(capture.hasPrefix("f: names \"a\\u{0}b\", "))
  }

  private static let effect: [String: JSONValue] = [
    "type": "debugCube", "objectId": 0, "transform": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -1, 1],
    "scale": 0.5, "billboard": false,
  ]

  static let scenes: [([String: JSONValue], SceneFileError)] = [
    (["type": "teapot"], .field("effects[0].type")),
    (["objectId": "0"], .field("effects[0].objectId")),
    (
      ["transform": [1, "x"]],
      .field("effects[0].transform")
    ),
    (["scale": 0], .field("effects[0].scale")),
    (["scale": 1e300], .field("effects[0].scale")),
    (["billboard": 1], .field("effects[0].billboard")),
  ]

  @Test(arguments: scenes)
  func scenesAreRefused(_ changes: [String: JSONValue], _ error: SceneFileError) {
    let entry = JSONValue.object(Self.effect.merging(changes) { $1 })
    #expect(throws: error) { try SceneFile(json: ["schema": "ardf.scene/1", "effects": [entry]]) }
  }

  @Test func errorsOfScenesNameTheirField() {
    let error = SceneFileError.field("effects[0].scale")
    #expect(
      error.description == "scene field effects[0].scale is missing or malformed; place the effects again")
  }
}
