import AppCore
import Archives
import FileFormats
import Geometry
import Imaging
import TestSupport
import Testing

@Suite struct CaptureReaderTests {
  @Test func nativeFrame() throws {
    let fixture = try CaptureFixture.native()
    let source = try CaptureReader.open(fixture.path)
    #expect(source.layout == .native)
    #expect(source.frames.count == 1)
    let frame = try source.frame(at: 0)
    #expect(frame.imageSize == CaptureFixture.imageSize)
    #expect(frame.image?[0, 0] == .red)
    #expect(frame.depth?[3, 2] == 1 + Float(2 * 8 + 3) * 0.001)
    #expect(frame.confidence?.elements == [UInt8](repeating: 2, count: 48))
    #expect(frame.intrinsics?.cx == 15.5)
    #expect(frame.depthIntrinsics?.map.fx == 7)
    #expect(frame.cameraToWorld.origin == Point3(0.1, 0.2, 0.3))
    #expect(frame.orientation == .up)
    #expect(frame.timestamp == 12.5)
  }

  @Test func aFilmIsNamedAsOne() throws {
    let place = try TemporaryDirectory()
    let film: [UInt8] = [0, 0, 0, 24] + Array("ftypisom".utf8) + [UInt8](repeating: 0, count: 12)
    for name in ["clip.mp4", "clip"] {
      let path = try place.write(film, to: name)
      let error = #expect(throws: CaptureError.film(file: path)) { try CaptureReader.open(path) }
      #expect(error?.description.contains("ardf detect") == true)
    }
  }

  @Test func pictureIsDecodedOnlyOnDemand() throws {
    let fixture = try CaptureFixture.native()
    let frame = try CaptureReader.open(fixture.path).frame(at: 0, decodingImage: false)
    #expect(frame.image == nil)
    #expect(frame.imageSize == CaptureFixture.imageSize)
    #expect(frame.depth != nil)
  }

  @Test func depthInMillimeters() throws {
    let fixture = try CaptureFixture.native()
    try fixture.writeDepth("depth.png")
    try fixture.changing(["depth": "depth.png", "confidence": .some(nil)])
    let frame = try CaptureReader.open(fixture.path).frame(at: 0)
    #expect(frame.depth?[3, 2] == 1019 * Float(0.001))
    #expect(frame.confidence == nil)
  }

  @Test(arguments: [
    ("landscapeRight", Orientation.up), ("portrait", .right), ("landscapeLeft", .down),
    ("portraitUpsideDown", .left),
  ])
  func postures(_ name: String, _ orientation: Orientation) throws {
    let fixture = try CaptureFixture.native()
    try fixture.changing(["orientation": .string(name)])
    #expect(try CaptureReader.open(fixture.path).frame(at: 0).orientation == orientation)
  }

  /// A pose printed with few digits becomes exactly rigid.
  @Test func roundedPoseIsMadeOrthonormal() throws {
    let fixture = try CaptureFixture.native()
    try fixture.changing([
      "cameraToWorld": [0.87, 0, -0.5, 0, 0, 1, 0, 0, 0.5, 0, 0.87, 0, 0, 0, 0, 1]
    ])
    let pose = try CaptureReader.open(fixture.path).frame(at: 0).cameraToWorld
    let tolerance = 1e-12
    #expect(abs(pose.xAxis.length - 1) < tolerance)
    #expect(abs(pose.xAxis.dot(pose.zAxis)) < tolerance)
  }

  private func addFrame(_ name: String, to fixture: CaptureFixture) throws {
    try fixture.makeFolder(name)
    try fixture.writeImage("\(name)/image.png")
    try fixture.writeDepth("\(name)/depth.npy")
    try fixture.write(
      fields: CaptureFixture.nativeFields(["confidence": .some(nil)]), to: "\(name)/frame.json")
  }

  /// Frames beside what is no frame of theirs are no sequence.
  @Test func framesBesideOtherCapturesAreNoSequence() throws {
    let fixture = try CaptureFixture.empty()
    try addFrame("a", to: fixture)
    try fixture.makeFolder("b")
    try addFrame("b/0", to: fixture)
    #expect(throws: CaptureError.severalCaptures(path: fixture.path, names: ["a", "b"])) {
      try CaptureReader.open(fixture.path)
    }
  }

  @Test func picturesBesideCapturesAreNoSourceAlone() throws {
    let fixture = try CaptureFixture.empty()
    try fixture.writeImage("photo.jpg")
    try fixture.makeFolder("clip")
    try addFrame("clip/0", to: fixture)
    #expect(throws: CaptureError.severalCaptures(path: fixture.path, names: ["clip"])) {
      try CaptureReader.open(fixture.path)
    }
  }

  /// Thumbnails, notes and folders of pictures don't make a sequence something else.
  @Test func picturesBesideFramesAreLeftOut() throws {
    let fixture = try CaptureFixture.empty()
    for name in ["a", "b"] { try addFrame(name, to: fixture) }
    try fixture.makeFolder("thumbnails")
    for name in ["preview.png", "thumbnails/a.png"] { try fixture.writeImage(name) }
    let source = try CaptureReader.open(fixture.path)
    #expect(source.layout == .native)
    #expect(source.frames.map(\.name) == ["a", "b"])
  }

  @Test func sequenceOfFoldersInOrderOfTime() throws {
    let fixture = try CaptureFixture.empty()
    for (name, time) in [("a", 3.0), ("b", 1.0), ("c", 2.0)] {
      try fixture.makeFolder(name)
      try fixture.writeImage("\(name)/image.png")
      try fixture.writeDepth("\(name)/depth.npy")
      try fixture.write(
        fields: CaptureFixture.nativeFields(["timestamp": .number(time), "confidence": .some(nil)]),
        to: "\(name)/frame.json")
    }
    let source = try CaptureReader.open(fixture.path)
    #expect(source.layout == .native)
    #expect(source.frames.map(\.name) == ["b", "c", "a"])
    #expect(try source.frame(at: 2).timestamp == 3)
  }

  @Test func sequenceOfNumberedFiles() throws {
    let fixture = try CaptureFixture.empty()
    for number in ["000002", "000001"] {
      try fixture.writeImage("\(number)_image.png")
      try fixture.write(
        fields: CaptureFixture.nativeFields([
          "image": .string("\(number)_image.png"), "depth": .some(nil), "confidence": .some(nil),
        ]), to: "\(number).json")
    }
    try fixture.directory.write("{}", to: "000003.json")
    let source = try CaptureReader.open(fixture.path)
    #expect(source.frames.map(\.name) == ["000001", "000002", "000003"])
    #expect(
      source.damaged == [
        SkippedFrame(
          name: "000003", reason: CaptureError.missingField(file: "000003.json", field: "schema").description)
      ])
    #expect(try source.frame(at: 1).depth == nil)
  }

  @Test func clipFolder() throws {
    let fixture = try CaptureFixture.empty()
    try fixture.writeClipFrame("00005", ["timestamp_ns": 9_000_000_000])
    try fixture.writeClipFrame("00010")
    let source = try CaptureReader.open(fixture.path)
    #expect(source.layout == .clipFolder)
    #expect(source.frames.map(\.name) == ["00010", "00005"])
    let frame = try source.frame(at: 0)
    #expect(frame.orientation == .right)
    #expect(frame.timestamp == 2.5)
    #expect(frame.cameraToWorld.origin == Point3(0.5, 1.5, 0))
    #expect(frame.cameraToWorld.xAxis == Vector3(0, -1, 0))
    #expect(Orientation.right == CaptureSummary.Frame(frame).orientationByGravity)
  }

  /// The intrinsics of a clip may belong to a picture of another size.
  @Test func clipIntrinsicsAreScaled() throws {
    let fixture = try CaptureFixture.empty()
    try fixture.writeClipFrame(
      "00000", ["intrinsics_width": 64, "intrinsics_height": 48, "fx": 56, "fy": 56, "cx": 31.5, "cy": 23.5])
    let intrinsics = try #require(try CaptureReader.open(fixture.path).frame(at: 0).intrinsics)
    #expect(intrinsics.fx == 28)
    #expect(intrinsics.cx == 15.5)
    #expect(intrinsics.imageSize == CaptureFixture.imageSize)
  }

  @Test func scannerExportSkipsFramesWithoutDepthOrPicture() throws {
    let fixture = try CaptureFixture.empty()
    for number in ["00000", "00003", "00006"] { try fixture.writeScannerFrame(number) }
    try fixture.remove("depth_00003.png")
    try fixture.remove("frame_00006.jpg")
    let source = try CaptureReader.open(fixture.path)
    #expect(source.layout == .scannerApp)
    #expect(source.frames.map(\.name) == ["frame_00000"])
    #expect(source.skipped.map(\.name) == ["frame_00003", "frame_00006"])
    #expect(source.skipped.first?.reason.contains("depth_00003.png") == true)
    let frame = try source.frame(at: 0)
    #expect(frame.cameraToWorld.origin == Point3(0.1, 0.2, 0.3))
    #expect(frame.intrinsics?.cy == 11.5)
    #expect(frame.orientation == .up)
  }

  @Test func recordedClip() throws {
    let fixture = try CaptureFixture.empty()
    try fixture.writeRecordedClip([
      CaptureFixture.message(["timestamp_ns": 5_000_000_000]), CaptureFixture.message(),
    ])
    let source = try CaptureReader.open(fixture.path)
    #expect(source.layout == .recordedClip)
    #expect(source.frames.map(\.name) == ["00001", "00000"])
    let frame = try source.frame(at: 0)
    #expect(frame.imageSize == CaptureFixture.imageSize)
    #expect(frame.image != nil)
    #expect(frame.depth?[3, 2] == 1019 * Float(0.001))
    #expect(frame.confidence?[0, 0] == 2)
    #expect(try source.encodedPicture(at: 0)?.format == .jpeg)
  }

  @Test(arguments: ["clip.zip", "clip.whl"])
  func recordedClipInsideAnArchive(_ name: String) throws {
    let fixture = try CaptureFixture.empty()
    try fixture.writeRecordedClip([CaptureFixture.message(), CaptureFixture.message(["timestamp_ns": 1])])
    let members = try ["index.jsonl", "messages.bin"].map {
      (name: "package/data/\($0)", bytes: try fixture.directory.read($0))
    }
    let folder = try TemporaryDirectory()
    try folder.write(ZipWriter.archive([("package/notes.txt", [])] + members), to: name)
    let archived = try CaptureReader.open(folder.file(name))
    #expect(archived.layout == .recordedClip)
    #expect(archived.frames == (try CaptureReader.open(fixture.path)).frames)
    #expect(try archived.frame(at: 1).depth?.elements.count == 48)
  }

  @Test func pictures() throws {
    let fixture = try CaptureFixture.empty()
    try fixture.writeImage("b.jpg")
    try fixture.writeImage("a.png")
    try fixture.directory.write("notes", to: "readme.txt")
    let folder = try CaptureReader.open(fixture.path)
    #expect(folder.layout == .images)
    #expect(folder.frames.map(\.name) == ["a.png", "b.jpg"])
    let single = try CaptureReader.open(fixture.directory.file("b.jpg"))
    #expect(single.frames.map(\.name) == ["b.jpg"])
    let frame = try single.frame(at: 0)
    #expect(frame.imageSize == CaptureFixture.imageSize)
    #expect(frame.intrinsics == nil)
    #expect(frame.depth == nil)
  }

  @Test func namedPictureMayBeALink() throws {
    let fixture = try CaptureFixture.empty()
    try fixture.writeImage("a.png")
    let elsewhere = try CaptureFixture.empty()
    try elsewhere.link("b.png", to: fixture.directory.file("a.png"))
    let frame = try CaptureReader.open(elsewhere.directory.file("b.png")).frame(at: 0)
    #expect(frame.image?[0, 0] == .red)
    // In a folder of plain pictures too, as data-set splits have them.
    #expect(try CaptureReader.open(elsewhere.path).frame(at: 0).image?[0, 0] == .red)
  }

  @Test func metadataFileOpensItsFrameAlone() throws {
    let fixture = try CaptureFixture.empty()
    for stem in ["00000", "00005"] { try fixture.writeClipFrame(stem) }
    let source = try CaptureReader.open(fixture.directory.file("00005.json"))
    #expect(source.frames.map(\.name) == ["00005"])
    #expect(try source.frame(at: 0).name == "00005")
  }

  @Test func writtenCaptureReadsBack() throws {
    let folder = try TemporaryDirectory()
    let fixture = try CaptureFixture.native()
    let frame = try CaptureReader.open(fixture.path).frame(at: 0)
    try NativeCaptureWriter.write(frame, to: folder.file("copy"))
    let copy = try CaptureReader.open(folder.file("copy")).frame(at: 0)
    #expect(copy.image == frame.image)
    #expect(copy.depth == frame.depth)
    #expect(copy.confidence == frame.confidence)
    #expect(copy.intrinsics == frame.intrinsics)
    #expect(copy.cameraToWorld == frame.cameraToWorld)
    #expect(copy.orientation == frame.orientation)
    #expect(copy.timestamp == frame.timestamp)
    #expect(throws: FileError.alreadyExists(path: folder.file("copy"))) {
      try NativeCaptureWriter.write(frame, to: folder.file("copy"))
    }
    try NativeCaptureWriter.write(frame, to: folder.file("copy"), force: true)
  }

  @Test func plainPictureIsNoNativeCapture() throws {
    let folder = try TemporaryDirectory()
    let fixture = try CaptureFixture.empty()
    try fixture.writeImage("a.png")
    let source = try CaptureReader.open(fixture.path)
    #expect(throws: CaptureError.unwritable(reason: "it has no camera; give one")) {
      try NativeCaptureWriter.convert(source, to: folder.file("copy"))
    }
    #expect(try folder.entries().isEmpty)
  }

  @Test func conversionKeepsPicturesByteForByte() throws {
    let fixture = try CaptureFixture.empty()
    try fixture.writeRecordedClip([
      CaptureFixture.message(), CaptureFixture.message(["timestamp_ns": 5_000_000_000]),
    ])
    let source = try CaptureReader.open(fixture.path)
    let folder = try TemporaryDirectory()
    var reported: [Int] = []
    try NativeCaptureWriter.convert(source, to: folder.file("native")) { reported.append($0) }
    #expect(reported == [1, 2])
    let converted = try CaptureReader.open(folder.file("native"))
    #expect(converted.layout == .native)
    #expect(converted.frames.map(\.name) == ["000000", "000001"])
    for index in source.frames.indices {
      #expect(try converted.encodedPicture(at: index)?.bytes == source.encodedPicture(at: index)?.bytes)
      let (a, b) = (try source.frame(at: index), try converted.frame(at: index))
      #expect(a.depth == b.depth)
      #expect(a.intrinsics == b.intrinsics)
      #expect(a.cameraToWorld == b.cameraToWorld)
      #expect(a.orientation == b.orientation)
      #expect(a.timestamp == b.timestamp)
    }
  }
}
