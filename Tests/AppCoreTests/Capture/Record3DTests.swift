import AppCore
import Archives
import FileFormats
import Geometry
import Imaging
import TestSupport
import Testing

/// Recordings of Record3D, made by Apple's LZFSE and by hand.
@Suite struct Record3DTests {
  /// Tolerance of poses and camera numbers that went through decimal text.
  private static let tolerance = 1e-9

  private static func golden(_ name: String) -> String {
    SharedData.packageRoot + "/Tests/AppCoreTests/Goldens/\(name)"
  }

  /// A stream of LZFSE whose one block is stored.
  private static func stream(_ bytes: [UInt8]) -> [UInt8] {
    Array("bvx-".utf8) + rawBytes(of: [UInt32(bytes.count).littleEndian]) + bytes + Array("bvx$".utf8)
  }

  private static let size: NameTable<JSONValue> = [
    "w": .integer(RoomScene.pictureSize.width), "h": .integer(RoomScene.pictureSize.height),
    "dw": .integer(RoomScene.depthSize.width), "dh": .integer(RoomScene.depthSize.height),
  ]

  /// The files of a recording of the room, in whose metadata some fields are others, or with nil left out.
  private static func files(
    isHalf: Bool = false, changes: [String: JSONValue?] = [:]
  ) throws -> [(name: String, bytes: [UInt8])] {
    var fields = size
    let camera = try RoomScene.intrinsics()
    fields["K"] = .array(camera.columnMajor.map(JSONValue.number))
    fields["poses"] = .array(
      try RoomScene.poses().map { pose in
        let matrix = Matrix(pose)
        return .array(((try matrix.quaternion) + matrix.translation).map(JSONValue.number))
      })
    fields["fps"] = 10
    for (name, value) in changes { fields[name] = value }
    var files = [(name: "metadata", bytes: Array(JSONValue.object(fields).serialized().utf8))]
    for (index, pose) in try RoomScene.poses().enumerated() {
      let picture = RGBImage(width: 64, height: 48, color: Color(red: 9, green: 8, blue: 7))
      let meters = try RoomScene.depth(from: pose, size: RoomScene.depthSize).map { Float($0) * 0.001 }
      let depth =
        isHalf
        ? rawBytes(of: meters.elements.map { HalfPrecision.binary16(from: $0).littleEndian })
        : rawBytes(of: meters.elements.map(\.bitPattern.littleEndian))
      files.append(("rgbd/\(index).jpg", try ImageCodec.encodeJPEG(picture)))
      files.append(("rgbd/\(index).depth", stream(depth)))
      files.append(("rgbd/\(index).conf", stream(RoomScene.confidence(size: RoomScene.depthSize).elements)))
    }
    return files
  }

  private static func write(_ files: [(name: String, bytes: [UInt8])]) throws -> (TemporaryDirectory, String)
  {
    let place = try TemporaryDirectory()
    return (place, try place.write(ZipWriter.archive(files), to: "room.r3d"))
  }

  @Test func aRecordingOfTheAppsLibraries() throws {
    let source = try CaptureReader.open(Self.golden("lidar.r3d"))
    #expect(source.layout == .record3D && source.skipped.isEmpty)
    #expect(source.frames.map(\.name) == ["0", "1", "2"])
    for index in 0..<3 {
      let frame = try source.frame(at: index)
      #expect(frame.image?.size == PixelSize(width: 48, height: 64))
      let depth = try #require(frame.depth)
      #expect(depth.size == PixelSize(width: 24, height: 32))
      for (cell, value) in depth.elements.enumerated() {
        #expect(value == 1 + Float(cell / 24) / 16 + Float(cell % 24) / 64 + Float(index) / 4)
      }
      #expect(frame.confidence?.elements == (0..<768).map { UInt8($0 % 3) })
      #expect(frame.sensor.kind == .lidar)
      let camera = try #require(frame.intrinsics)
      #expect(camera.fx == Double(50 + index) && camera.fy == Double(51 + index))
      #expect(abs(frame.cameraToWorld.origin.x - Double(index) / 10) < Self.tolerance)
      #expect(abs(frame.timestamp - 5 - Double(index) / 10) < Self.tolerance)
      #expect(frame.isPosed && frame.orientation == .up)
      #expect(try source.encodedPicture(at: index)?.format == .jpeg)
    }
  }

  @Test func halvesOfTheAppsLibraries() throws {
    let frame = try CaptureReader.open(Self.golden("halves.r3d")).frame(at: 0)
    let depth = try #require(frame.depth)
    for (cell, value) in depth.elements.enumerated() {
      #expect(value == 1 + Float(cell / 24) / 16 + Float(cell % 24) / 64)
    }
    #expect(frame.confidence == nil)
  }

  @Test(arguments: [false, true])
  func framesAreToldAgain(isHalf: Bool) throws {
    let (place, path) = try Self.write(Self.files(isHalf: isHalf))
    let source = try CaptureReader.open(path)
    #expect(source.skipped.isEmpty)
    for (index, pose) in try RoomScene.poses().enumerated() {
      let frame = try source.frame(at: index)
      let meters = try RoomScene.depth(from: pose, size: RoomScene.depthSize).map { Double($0) / 1000 }
      let found = try #require(frame.depth)
      // Halves have eleven bits.
      let error = maximumAbsoluteDifference(found.elements.map(Double.init), meters.elements).value
      #expect(error < (isHalf ? 0.004 : 1e-6))
      #expect(frame.confidence == RoomScene.confidence(size: RoomScene.depthSize))
      #expect(frame.orientation == RoomScene.orientations[index])
      #expect(abs(frame.timestamp - Double(index) / 10) < Self.tolerance)
      let difference = maximumAbsoluteDifference(frame.cameraToWorld.columnMajor, pose.columnMajor)
      #expect(difference.value < Self.tolerance)
      let camera = try #require(frame.intrinsics)
      let stated = try RoomScene.intrinsics().columnMajor
      #expect(maximumAbsoluteDifference(camera.columnMajor, stated).value < Self.tolerance)
    }
    #expect(try CaptureSummary(of: source).warnings.isEmpty)
    withExtendedLifetime(place) {}
  }

  @Test func aFolderThatItWasUnpackedTo() throws {
    let place = try TemporaryDirectory()
    for (name, bytes) in try Self.files() { try place.write(bytes, to: name) }
    let source = try CaptureReader.open(place.path)
    #expect(source.layout == .record3D && source.frames.count == 3)
    #expect(try source.frame(at: 2).depth?.size == RoomScene.depthSize)
  }

  @Test func theSizeOfTheDepthMayBeUntold() throws {
    for isHalf in [false, true] {
      let files = try Self.files(isHalf: isHalf, changes: ["dw": nil, "dh": nil])
      let (place, path) = try Self.write(files)
      #expect(try CaptureReader.open(path).frame(at: 0).depth?.size == RoomScene.depthSize)
      withExtendedLifetime(place) {}
    }
  }

  @Test func whatLacksItsMetadataIsNamed() throws {
    let files = try Self.files().filter { $0.name != "metadata" }
    let (place, path) = try Self.write(files)
    let zip = try place.write(place.read(String(path.split(separator: "/").last ?? "")), to: "other.zip")
    for file in files { try place.write(file.bytes, to: "folder/\(file.name)") }
    for source in [path, zip, place.file("folder")] {
      #expect(throws: CaptureError.foreignLayout(path: source, layout: .record3DWithoutMetadata)) {
        try CaptureReader.open(source)
      }
    }
    withExtendedLifetime(place) {}
  }

  @Test func withoutPosesThereAreNone() throws {
    let (place, path) = try Self.write(Self.files(changes: ["poses": nil]))
    let source = try CaptureReader.open(path)
    #expect(source.frames.count == 3)
    let frame = try source.frame(at: 1)
    #expect(!frame.isPosed && frame.orientation == .up && frame.depth != nil)
    withExtendedLifetime(place) {}
  }

  @Test func whatLacksAPictureOrAPoseIsSkipped() throws {
    var files = try Self.files()
    files.removeAll { $0.name == "rgbd/1.jpg" }
    let (place, path) = try Self.write(files)
    let source = try CaptureReader.open(path)
    #expect(source.soundNames == ["0", "2"] && source.damaged.map(\.name) == ["1"])
    let poses: JSONValue = .array([[0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0]])
    let (second, other) = try Self.write(Self.files(changes: ["poses": poses]))
    let rest = try CaptureReader.open(other)
    #expect(rest.soundNames == ["0"] && rest.damaged.map(\.name) == ["1"])
    #expect(rest.skipped.map(\.name) == ["2"])
    withExtendedLifetime((place, second)) {}
  }

  @Test(
    arguments: [
      ("rgbd/0.depth", Array("bvx-".utf8) + [4, 0, 0, 0, 1, 2, 3, 4] + Array("bvx$".utf8), "depth must be"),
      ("rgbd/0.depth", Array("nonsense".utf8), "LZFSE"),
      ("rgbd/0.conf", Array("bvx$".utf8), "confidence must be"),
      ("rgbd/0.jpg", [1, 2, 3], "no picture of a known format"), ("metadata", Array("{".utf8), "metadata"),
      ("metadata", Array("{\"w\": 64, \"h\": 48}".utf8), "\"K\" is missing"),
    ] as [(String, [UInt8], String)])
  func damageIsNamed(name: String, bytes: [UInt8], words: String) throws {
    var files = try Self.files()
    let index = try #require(files.firstIndex { $0.name == name })
    files[index].bytes = bytes
    let (place, path) = try Self.write(files)
    let error = #expect(throws: CaptureError.self) { try CaptureReader.open(path).frame(at: 0) }
    #expect("\(String(describing: error))".contains(words) || error?.description.contains(words) == true)
    withExtendedLifetime(place) {}
  }

  /// More bytes than the grid has are not unpacked.
  @Test func depthBeyondItsGrid() throws {
    var files = try Self.files()
    let index = try #require(files.firstIndex { $0.name == "rgbd/0.depth" })
    files[index].bytes = Self.stream([UInt8](repeating: 0, count: 1 << 20))
    let (place, path) = try Self.write(files)
    let error = #expect(throws: CaptureError.self) { try CaptureReader.open(path).frame(at: 0) }
    #expect(error?.description.contains("more than \(32 * 24 * 4) bytes") == true)
    withExtendedLifetime(place) {}
  }

  @Test(arguments: ["float", "zip", "zips", "layers"])
  func anExportWithDepthAsEXR(kind: String) throws {
    let place = try TemporaryDirectory()
    let metadata =
      #"{"w": 48, "h": 80, "K": [50, 0, 0, 0, 51, 0, 23.5, 39.5, 1], "poses": [[0, 0, 0, 1, 3, 2, 1]]}"#
    try place.write(metadata, to: "metadata.json")
    try place.write(
      ImageCodec.encodePNG(RGBImage(width: 48, height: 80, color: .black)), to: "rgb/0.png")
    try place.write(FileBytes.contents(of: Self.golden("depth_\(kind).exr")), to: "depth/0.exr")
    let source = try CaptureReader.open(place.path)
    #expect(source.layout == .record3D)
    let frame = try source.frame(at: 0)
    let depth = try #require(frame.depth)
    #expect(depth.size == PixelSize(width: 24, height: 40))
    for (cell, value) in depth.elements.enumerated() {
      #expect(value == 1 + Float(cell / 24) / 16 + Float(cell % 24) / 64)
    }
    #expect(frame.cameraToWorld.origin.x == 3 && frame.intrinsics?.fy == 51)
  }

  @Test func otherEXRsAreNamed() throws {
    let bytes = try FileBytes.contents(of: Self.golden("depth_piz.exr"))
    #expect(throws: OpenEXR.Defect.unsupported("compression 4")) { try OpenEXR.plane(bytes, limit: 1 << 20) }
    let plain = try FileBytes.contents(of: Self.golden("depth_zip.exr"))
    #expect(throws: OpenEXR.Defect.tooManyPixels(width: 24, height: 40, limit: 959)) {
      try OpenEXR.plane(plain, limit: 959)
    }
    for count in stride(from: 0, to: plain.count, by: 11) {
      #expect(throws: OpenEXR.Defect.self, "\(count)") {
        try OpenEXR.plane(Array(plain.prefix(count)), limit: 1 << 20)
      }
    }
  }

  @Test func aFolderOfRecordings() throws {
    let place = try TemporaryDirectory()
    let archive = ZipWriter.archive(try Self.files())
    try place.write(archive, to: "a.r3d")
    #expect(try CaptureReader.open(place.path).frames.count == 3)
    try place.write(archive, to: "b.r3d")
    #expect(throws: CaptureError.severalCaptures(path: place.path, names: ["a.r3d", "b.r3d"])) {
      try CaptureReader.open(place.path)
    }
  }
}
