import AppCore
import Archives
import FileFormats
import Geometry
import Imaging
import TestSupport
import Testing

/// A capture with one defect, and the error that must name it.
struct BadCapture: Sendable, CustomTestStringConvertible {
  let name: String
  let build: @Sendable () throws -> CaptureFixture
  let expected: CaptureError

  var testDescription: String { name }

  /// A native capture with changed fields.
  static func fields(
    _ name: String, _ changes: [String: JSONValue?], _ expected: CaptureError
  ) -> BadCapture {
    native(name, expected) { try $0.changing(changes) }
  }

  /// A native capture, spoiled.
  static func native(
    _ name: String, _ expected: CaptureError, _ spoil: @escaping @Sendable (CaptureFixture) throws -> Void
  ) -> BadCapture {
    BadCapture(
      name: name,
      build: {
        let fixture = try CaptureFixture.native()
        try spoil(fixture)
        return fixture
      }, expected: expected)
  }

  /// A capture built from nothing.
  static func fresh(
    _ name: String, _ expected: CaptureError, _ fill: @escaping @Sendable (CaptureFixture) throws -> Void
  ) -> BadCapture {
    BadCapture(
      name: name,
      build: {
        let fixture = try CaptureFixture.empty()
        try fill(fixture)
        return fixture
      }, expected: expected)
  }
}

@Suite struct BadCaptureTests {
  static let file = "frame.json"

  static let metadata: [BadCapture] = [
    .fields("no schema", ["schema": .some(nil)], .missingField(file: file, field: "schema")),
    .fields(
      "another version", ["schema": "ardf.capture/2"],
      .unsupportedSchema(file: file, found: "ardf.capture/2", expected: "ardf.capture/1")),
    .fields(
      "schema is a number", ["schema": 1], .badField(file: file, field: "schema", expected: "a string")),
    .fields("no image size", ["imageSize": .some(nil)], .missingField(file: file, field: "imageSize")),
    .fields(
      "three sides", ["imageSize": [32, 24, 3]],
      .badField(file: file, field: "imageSize", expected: "2 numbers")),
    .fields(
      "size of zero", ["imageSize": [0, 24]],
      .badField(file: file, field: "imageSize", expected: "a width and a height in whole pixels")),
    .fields(
      "broken size", ["imageSize": [32.5, 24]],
      .badField(file: file, field: "imageSize", expected: "a width and a height in whole pixels")),
    .fields(
      "huge size", ["imageSize": [1e18, 24]],
      .badField(file: file, field: "imageSize", expected: "a width and a height in whole pixels")),
    .fields("no timestamp", ["timestamp": .some(nil)], .missingField(file: file, field: "timestamp")),
    .fields(
      "timestamp in words", ["timestamp": "noon"],
      .badField(file: file, field: "timestamp", expected: "a finite number")),
    .fields("no orientation", ["orientation": .some(nil)], .missingField(file: file, field: "orientation")),
    .fields(
      "unknown orientation", ["orientation": "sideways"], .unknownOrientation(file: file, found: "sideways")),
    .native("not JSON", .malformed(file: file, reason: "JSON ends early, at byte 11: the file is truncated"))
    {
      try $0.directory.write("{\"schema\": ", to: file)
    },
    .native("an array", .malformed(file: file, reason: "the outermost value must be an object")) {
      try $0.directory.write("[1, 2]", to: file)
    },
    .native("oversized metadata", .fileTooLarge(file: file, bytes: 2_000_000, limit: 1 << 20)) {
      try $0.directory.write([UInt8](repeating: UInt8(ascii: " "), count: 2_000_000), to: file)
    },
  ]

  static let camera: [BadCapture] = [
    .fields("no intrinsics", ["intrinsics": .some(nil)], .missingField(file: file, field: "intrinsics")),
    .fields(
      "four intrinsics", ["intrinsics": [28, 28, 15, 11]],
      .badField(file: file, field: "intrinsics", expected: "9 numbers")),
    .fields(
      "intrinsics by rows", ["intrinsics": [28, 0, 15.5, 0, 28, 11.5, 0, 0, 1]],
      .badIntrinsics(file: file, reason: "are not fx 0 0, 0 fy 0, cx cy 1 read by columns")),
    .fields(
      "negative focal length", ["intrinsics": [-28, 0, 0, 0, 28, 0, 15.5, 11.5, 1]],
      .badIntrinsics(file: file, reason: "have a focal length that is not positive")),
    .fields(
      "zero focal length", ["intrinsics": [28, 0, 0, 0, 0, 0, 15.5, 11.5, 1]],
      .badIntrinsics(file: file, reason: "have a focal length that is not positive")),
    .fields(
      "principal point outside", ["intrinsics": [28, 0, 0, 0, 28, 0, 40, 11.5, 1]],
      .badIntrinsics(file: file, reason: "have their principal point outside the picture")),
    .fields("no pose", ["cameraToWorld": .some(nil)], .missingField(file: file, field: "cameraToWorld")),
    .fields(
      "pose of words", ["cameraToWorld": .array([JSONValue](repeating: "x", count: 16))],
      .badField(file: file, field: "cameraToWorld", expected: "16 numbers")),
    .fields(
      "pose by rows", ["cameraToWorld": [1, 0, 0, 0.1, 0, 1, 0, 0.2, 0, 0, 1, 0.3, 0, 0, 0, 1]],
      .badPose(file: file, reason: "has a last row other than 0 0 0 1 read by columns")),
    .fields(
      "scaled pose", ["cameraToWorld": [1.5, 0, 0, 0, 0, 1.5, 0, 0, 0, 0, 1.5, 0, 0, 0, 0, 1]],
      .badPose(file: file, reason: "is not a rotation and a translation (off by 2.375)")),
    .fields(
      "mirrored pose", ["cameraToWorld": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1]],
      .badPose(file: file, reason: "is not a rotation and a translation (off by 2.0)")),
    .fields(
      "skewed pose", ["cameraToWorld": [1, 0.02, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]],
      .badPose(file: file, reason: "is not a rotation and a translation (off by 0.02)")),
  ]

  static let names: [BadCapture] = [
    .fields("name with ..", ["image": "../image.png"], .nameEscapesCapture(file: file, name: "../image.png")),
    .fields(
      "name with .. inside", ["depth": "a/../../depth.npy"],
      .nameEscapesCapture(file: file, name: "a/../../depth.npy")),
    .fields(
      "absolute name", ["image": "/etc/hostname"], .nameEscapesCapture(file: file, name: "/etc/hostname")),
    .fields("empty name", ["image": ""], .nameEscapesCapture(file: file, name: "")),
    .native("link that leads out", .nameEscapesCapture(file: file, name: "image.png")) {
      try $0.remove("image.png")
      try $0.link("image.png", to: "/etc/hostname")
    },
    .native("metadata linked from outside", .nameEscapesCapture(file: file, name: file)) {
      try $0.remove(file)
      try $0.link(file, to: "/etc/hostname")
    },
    .fields("missing image", ["image": "other.png"], .missingFile(file: file, name: "other.png")),
    .fields("missing depth", ["depth": "other.npy"], .missingFile(file: file, name: "other.npy")),
    .native("dangling link", .missingFile(file: file, name: "depth.npy")) {
      try $0.remove("depth.npy")
      try $0.link("depth.npy", to: "nowhere.npy")
    },
    .native("a folder for a picture", .notARegularFile(file: file, name: "image.png")) {
      try $0.remove("image.png")
      try $0.makeFolder("image.png")
    },
  ]

  static let grids: [BadCapture] = [
    .native(
      "picture of another size",
      .imageSizeMismatch(
        file: file, stated: CaptureFixture.imageSize, actual: PixelSize(width: 16, height: 12))
    ) { try $0.writeImage("image.png", size: PixelSize(width: 16, height: 12)) },
    .native(
      "picture of nothing", .malformed(file: "image.png", reason: ImageDefect.unknownFormat.description)
    ) {
      try $0.directory.write("no picture", to: "image.png")
    },
    .native(
      "confidence of another size",
      .confidenceSizeMismatch(
        file: file, depth: CaptureFixture.depthSize, confidence: PixelSize(width: 4, height: 3))
    ) { try $0.writeConfidence("confidence.npy", size: PixelSize(width: 4, height: 3)) },
    .native(
      "depth of another shape",
      .depthAspectMismatch(file: file, depth: PixelSize(width: 8, height: 8), image: CaptureFixture.imageSize)
    ) { try $0.writeDepth("depth.npy", size: PixelSize(width: 8, height: 8)) },
    .native("confidence of 3", .badConfidenceValue(file: file, x: 0, y: 0, value: 3)) {
      try $0.writeConfidence("confidence.npy", value: 3)
    },
    .fields("confidence alone", ["depth": .some(nil)], .confidenceWithoutDepth(file: file)),
    .native("negative depth", .badDepthValue(file: file, x: 2, y: 1)) {
      var meters = [Float](repeating: 1, count: 48)
      meters[10] = -0.5
      try $0.directory.write(NPYArray(shape: [6, 8], floats: meters).encoded(), to: "depth.npy")
    },
    .native("infinite depth", .badDepthValue(file: file, x: 7, y: 5)) {
      var meters = [Float](repeating: .nan, count: 48)
      meters[47] = .infinity
      try $0.directory.write(NPYArray(shape: [6, 8], floats: meters).encoded(), to: "depth.npy")
    },
    .native("depth beyond what depth may be", .badDepthValue(file: file, x: 3, y: 0)) {
      var meters = [Float](repeating: 100_000, count: 48)
      meters[3] = Float(100_000).nextUp
      try $0.directory.write(NPYArray(shape: [6, 8], floats: meters).encoded(), to: "depth.npy")
    },
    .native("depth whose sums are infinite", .badDepthValue(file: file, x: 0, y: 0)) {
      let meters = [Float](repeating: 3e38, count: 48)
      try $0.directory.write(NPYArray(shape: [6, 8], floats: meters).encoded(), to: "depth.npy")
    },
    .native("depth of doubles", .badDepthFormat(file: "depth.npy", found: "<f8 of shape [6, 8]")) {
      let array = NPYArray(shape: [6, 8], .float64([Double](repeating: 1, count: 48)))
      try $0.directory.write(array.encoded(), to: "depth.npy")
    },
    .native("depth of three axes", .badDepthFormat(file: "depth.npy", found: "<f4 of shape [6, 8, 1]")) {
      try $0.directory.write(
        NPYArray(shape: [6, 8, 1], floats: [Float](repeating: 1, count: 48)).encoded(), to: "depth.npy")
    },
    .native(
      "confidence of floats", .badConfidenceFormat(file: "confidence.npy", found: "<f4 of shape [6, 8]")
    ) {
      try $0.directory.write(
        NPYArray(shape: [6, 8], floats: [Float](repeating: 1, count: 48)).encoded(), to: "confidence.npy")
    },
  ]

  @Test(arguments: metadata + camera + names + grids)
  func nativeDefectIsNamed(_ bad: BadCapture) throws {
    let fixture = try bad.build()
    #expect(throws: bad.expected) {
      try CaptureReader.open(fixture.path).frame(at: 0)
    }
  }

  static let others: [BadCapture] = [
    .fresh(
      "clip: unknown pose order",
      .badField(
        file: "00000.json", field: "pose_format", expected: "\"matrix4x4_col_major\", found \"quaternion\"")
    ) { try $0.writeClipFrame("00000", ["pose_format": "quaternion"]) },
    .fresh(
      "clip: depth size",
      .depthSizeMismatch(
        file: "00000.json", stated: PixelSize(width: 16, height: 12), actual: CaptureFixture.depthSize)
    ) { try $0.writeClipFrame("00000", ["depth_width": 16, "depth_height": 12]) },
    .fresh(
      "clip: focal length",
      .badIntrinsics(
        file: "00000.json", reason: "have a focal length that is not positive")
    ) { try $0.writeClipFrame("00000", ["fx": 0]) },
    .fresh(
      "scanner: pose by columns",
      .badPose(
        file: "frame_00000.json", reason: "has a last row other than 0 0 0 1 read by rows")
    ) {
      try $0.writeScannerFrame(
        "00000", ["cameraPoseARFrame": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.1, 0.2, 0.3, 1]])
    },
    .fresh(
      "recorded: message cut",
      .badMessage(
        file: "messages.bin", message: 0, reason: "ends beyond the file's 100 bytes")
    ) {
      try $0.writeRecordedClip([CaptureFixture.message()])
      try $0.directory.write([UInt8](repeating: 0, count: 100), to: "messages.bin")
    },
    .fresh("recorded: listed twice", .badMessage(file: "index.jsonl", message: 0, reason: "is listed twice"))
    {
      try $0.writeRecordedClip([CaptureFixture.message()])
      let line = "{\"seq\": 0, \"offset\": 0, \"length\": 8}\n"
      try $0.directory.write(line + line, to: "index.jsonl")
    },
    .fresh(
      "recorded: negative offset",
      .badField(
        file: "index.jsonl, line 1", field: "offset", expected: "a whole number from 0 upwards")
    ) {
      try $0.writeRecordedClip([CaptureFixture.message()])
      try $0.directory.write("{\"seq\": 0, \"offset\": -4, \"length\": 8}\n", to: "index.jsonl")
    },
    .fresh(
      "recorded: depth too short",
      .badMessage(
        file: "messages.bin", message: 0, reason: "holds 94 bytes of depth, its header promises 96")
    ) { try $0.writeRecordedClip([CaptureFixture.message(depthCells: 47)]) },
  ]

  @Test(arguments: others)
  func otherLayoutsDefectIsNamed(_ bad: BadCapture) throws {
    let fixture = try bad.build()
    #expect(throws: bad.expected) {
      try CaptureReader.open(fixture.path).frame(at: 0)
    }
  }

  @Test func absentPathIsMissingInput() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("nothing")
    let error = #expect(throws: CaptureError.self) { try CaptureReader.open(path) }
    #expect(error == .notFound(path: path))
    #expect(error?.fault == .missingInput)
  }

  @Test func emptyFolderIsNoCapture() throws {
    let fixture = try CaptureFixture.empty()
    #expect(throws: CaptureError.unrecognizedLayout(path: fixture.path)) {
      try CaptureReader.open(fixture.path)
    }
  }

  @Test func archiveOfNothingIsNoCapture() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(ZipWriter.archive([("index.jsonl", [])]), to: "other.zip")
    #expect(throws: CaptureError.archive(path: path, .nothing)) { try CaptureReader.open(path) }
  }

  @Test func damagedArchiveIsMalformed() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write("no archive", to: "other.zip")
    let error = #expect(throws: CaptureError.self) { try CaptureReader.open(path) }
    guard case .malformed(path, _) = error else {
      Issue.record("found \(String(describing: error))")
      return
    }
  }

  /// Whatever is changed or cut off, the answer is a frame or an error of ours.
  @Test func damagedMetadataNeverTraps() throws {
    let fixture = try CaptureFixture.native()
    let sound = try fixture.directory.read(Self.file)
    func read() { _ = try? CaptureReader.open(fixture.path).frame(at: 0) }
    for length in 0..<sound.count {
      try fixture.directory.write(Array(sound[..<length]), to: Self.file)
      #expect(throws: CaptureError.self) { try CaptureReader.open(fixture.path).frame(at: 0) }
    }
    for position in sound.indices {
      for replacement: UInt8 in [0, 0x2D, 0x39, 0x7D] {
        var bytes = sound
        bytes[position] = replacement
        try fixture.directory.write(bytes, to: Self.file)
        read()
      }
    }
  }

  @Test func damagedClipNeverTraps() throws {
    let fixture = try CaptureFixture.empty()
    try fixture.writeRecordedClip([CaptureFixture.message()])
    let sound = try fixture.directory.read("messages.bin")
    let index = "{\"seq\": 0, \"offset\": 0, \"length\": "
    for length in stride(from: 0, to: sound.count, by: 7) {
      try fixture.directory.write(Array(sound[..<length]), to: "messages.bin")
      try fixture.directory.write(index + "\(length)}\n", to: "index.jsonl")
      #expect(throws: CaptureError.self) { try CaptureReader.open(fixture.path).frame(at: 0) }
    }
    try fixture.directory.write(index + "\(sound.count)}\n", to: "index.jsonl")
    for position in sound.indices.prefix(600) {
      var bytes = sound
      bytes[position] ^= 0x91
      try fixture.directory.write(bytes, to: "messages.bin")
      _ = try? CaptureReader.open(fixture.path).frame(at: 0, decodingImage: false)
    }
  }

  @Test func sequenceBeyondTheLimitIsRefused() throws {
    let fixture = try CaptureFixture.empty()
    for number in 0..<3 { try fixture.writeClipFrame("0000\(number)") }
    var limits = CaptureLimits()
    limits.frames = 2
    #expect(throws: CaptureError.tooManyFrames(path: fixture.path, limit: 2)) {
      try CaptureReader.open(fixture.path, limits: limits)
    }
  }

  @Test func sequenceWithoutUsableFrameSaysWhy() throws {
    let fixture = try CaptureFixture.empty()
    try fixture.writeScannerFrame("00007")
    try fixture.remove("frame_00007.jpg")
    let reason = CaptureError.notRecorded(file: "frame_00007.json", name: "frame_00007.jpg").description
    #expect(throws: CaptureError.noUsableFrame(path: fixture.path, firstReason: reason)) {
      try CaptureReader.open(fixture.path)
    }
  }

  @Test func indexBeyondTheFramesIsRefused() throws {
    let fixture = try CaptureFixture.native()
    #expect(throws: CaptureError.noSuchFrame(index: 1, count: 1)) {
      try CaptureReader.open(fixture.path).frame(at: 1)
    }
  }

  @Test func everyDescriptionNamesItsFile() {
    for bad in Self.metadata + Self.camera + Self.names + Self.grids {
      #expect(
        bad.expected.description.hasPrefix(Self.file) || bad.expected.description.contains(".npy:")
          || bad.expected.description.hasPrefix("image.png"))
    }
  }
}
