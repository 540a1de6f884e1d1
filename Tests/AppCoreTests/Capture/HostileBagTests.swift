import AppCore
import FileFormats
import Geometry
import Imaging
import TestSupport
import Testing

/// Recordings of ROS 2 that end early, lie about their sizes or are of kinds that are not read.
@Suite struct HostileBagTests {
  private static let bag: BagWriter = {
    var bag = BagWriter()
    bag.addCamera(at: "/a", times: [0, 100, 200], depthTimes: [0, 100, 200])
    return bag
  }()

  private static func open(_ bytes: [UInt8], _ name: String = "robot.mcap") throws -> any CaptureSource {
    let place = try TemporaryDirectory()
    return try CaptureReader.open(place.write(bytes, to: name))
  }

  @Test func aRecordingThatWasCutShortIsReadAsFarAsItGoes() throws {
    // Depth, and its camera, follow the pictures in the file.
    var bag = Self.bag
    bag.addCamera(at: "/a", times: [300], depthTimes: [300])
    let whole = bag.file()
    let source = try Self.open(Array(whole.dropLast(900)))
    #expect(source.frames.count == 3)
    #expect(source.notes.contains { $0.contains("robot.mcap was cut short") })
    // Without its last bytes alone it is whole, but for those.
    #expect(try Self.open(Array(whole.dropLast(8))).frames.count == 4)
  }

  @Test func aChunkWithAWrongChecksumIsLeftOut() throws {
    let sound = Self.bag.file(chunked: true)
    #expect(try Self.open(sound).frames.count == 3)
    // Alone it is why there is nothing.
    #expect {
      _ = try Self.open(Self.bag.file(chunked: true, checksum: 12345))
    } throws: { error in
      guard case CaptureError.malformed(let file, let reason) = error else { return false }
      return file.hasPrefix("robot.mcap, chunk at byte") && reason.contains("wrong checksum")
    }
    // Beside a sound chunk.
    let damaged = Self.bag.file(chunked: true, checksum: 12345)
    let source = try Self.open(sound.dropLast(50) + damaged.dropFirst(8 + 9 + 16))
    #expect(source.soundNames.count == 3)
    #expect(source.damaged.count == 1 && source.skipped.isEmpty)
    #expect(source.damaged[0].name.hasPrefix("robot.mcap, chunk at byte"))
    #expect(source.damaged[0].reason.contains("wrong checksum"))
  }

  @Test(arguments: [1 << 40, 1 << 62, -1])
  func sizesAreCheckedBeforeTheyAreBelieved(_ size: Int) throws {
    for compression in ["", "lz4", "zstd"] {
      #expect {
        _ = try Self.open(Self.bag.file(chunked: true, compression: compression, size: size))
      } throws: { error in
        switch error {
        case CaptureError.fileTooLarge(_, let bytes, _): bytes == size
        case CaptureError.malformed(_, let reason): size < 0 && reason.contains("is cut short")
        default: false
        }
      }
    }
  }

  @Test func chunksMayNotUnpackToMoreThanRecordingsDo() throws {
    var limits = CaptureLimits()
    limits.frameFileBytes = 1000
    let place = try TemporaryDirectory()
    let path = try place.write(Self.bag.file(chunked: true), to: "robot.mcap")
    #expect {
      _ = try CaptureReader.open(path, limits: limits)
    } throws: { error in
      guard case CaptureError.fileTooLarge(_, _, limit: 1000) = error else { return false }
      return true
    }
    limits = CaptureLimits()
    limits.frames = 2
    #expect(throws: CaptureError.tooManyFrames(path: path, limit: 2)) {
      _ = try CaptureReader.open(path, limits: limits)
    }
  }

  @Test func otherCompressionsAreNamed() throws {
    #expect(
      throws: CaptureError.foreignLayout(path: "robot.mcap", layout: .bagCompression("brotli"))
    ) { _ = try Self.open(Self.bag.file(chunked: true, compression: "brotli")) }
  }

  @Test func anImageOfFewerBytesThanItStatesIsRefused() throws {
    var bag = BagWriter()
    bag.addCamera(at: "/a", hasDepth: false)
    bag.add(
      image: [1, 2, 3, 4], "/b/image_raw", "rgb8", size: PixelSize(width: 3, height: 1),
      time: BagWriter.start, frame: "b")
    let place = try TemporaryDirectory()
    let path = try place.write(bag.file(), to: "robot.mcap")
    #expect {
      _ = try CaptureReader.open("\(path):/b").frame(at: 0)
    } throws: { error in
      guard case CaptureError.malformed(_, let reason) = error else { return false }
      return reason.hasPrefix("an image of 3x1 pixels, 4 bytes a row")
    }
  }

  @Test func otherEncodingsAreListed() throws {
    var bag = BagWriter()
    bag.add("/camera", "foxglove.CompressedImage", encoding: "protobuf", [1, 2, 3])
    do {
      _ = try Self.open(bag.file())
      Issue.record("a recording without pictures is no capture")
    } catch CaptureError.noTopic(_, _, let found) {
      #expect(found == ["/camera (foxglove.CompressedImage in protobuf)"])
    }
  }

  @Test func recordingsOfOthersAreNamed() throws {
    let sqlite = Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 100)
    let cases: [(String, [UInt8], CaptureError.ForeignLayout)] = [
      ("a.bag", Array("#ROSBAG V2.0\n".utf8), .ros1Bag), ("map.db", sqlite, .rtabMapDatabase),
    ]
    let place = try TemporaryDirectory()
    for (name, bytes, layout) in cases {
      let path = try place.write(bytes, to: name)
      #expect(throws: CaptureError.foreignLayout(path: path, layout: layout)) {
        _ = try CaptureReader.open(path)
      }
    }
    let compressed = try place.write([0x28, 0xb5, 0x2f, 0xfd], to: "packed/bag_0.db3.zstd")
    for path in [place.file("packed"), compressed] {
      #expect(throws: CaptureError.foreignLayout(path: compressed, layout: .compressedBag)) {
        _ = try CaptureReader.open(path)
      }
    }
    try place.write("{}\n", to: "sai/data.jsonl")
    try place.write("{}", to: "sai/calibration.json")
    let folder = place.file("sai")
    #expect(throws: CaptureError.foreignLayout(path: folder, layout: .spectacularAI)) {
      _ = try CaptureReader.open(folder)
    }
    #expect {
      _ = try Self.open(sqlite, "a.db3")
    } throws: { error in
      switch error {
      case CaptureError.malformed(file: "a.db3", _), CaptureError.missingLibrary(file: "a.db3", _): true
      default: false
      }
    }
    #expect(throws: CaptureError.malformed(file: "robot.mcap", reason: "does not begin as MCAP does")) {
      _ = try Self.open([1, 2, 3])
    }
  }

  /// The summary at the end declares again what the first chunk does.
  @Test(arguments: [true, false])
  func aDamagedFirstChunkLosesOnlyItsMessages(_ hasSummary: Bool) throws {
    var bag = BagWriter()
    bag.addCamera(at: "/a", times: [0], depthTimes: [0])
    let first = bag.records
    bag.addCamera(at: "/a", times: [100], depthTimes: [100])
    let data =
      BagWriter.magic + BagWriter.chunk(first, checksum: 5)
      + BagWriter.chunk(Array(bag.records.dropFirst(first.count)))
      + BagWriter.record(15, BagWriter.little(0, 4))
    let start = BagWriter.little(hasSummary ? data.count : 0, 8)
    let file =
      data + (hasSummary ? bag.declarations : []) + BagWriter.record(2, start + BagWriter.little(0, 12))
      + BagWriter.magic
    if hasSummary {
      let source = try Self.open(file)
      #expect(source.frames[0].timestamp == 1_700_000_000.1 && source.soundNames.count == 1)
      #expect(source.damaged.map(\.name) == ["robot.mcap, chunk at byte 8"])
    } else {
      #expect {
        _ = try Self.open(file)
      } throws: { error in
        guard case CaptureError.malformed(file: "robot.mcap, chunk at byte 8", let reason) = error else {
          return false
        }
        return reason.contains("wrong checksum")
      }
    }
  }

  /// Unpacking chunks for the times of messages alone has a limit, too.
  @Test(.enabled(if: BagGoldenTests.isReadable("zstd.mcap"), "libzstd1 is not installed"))
  func openingUnpacksNoMoreThanItsLimit() throws {
    var bag = BagWriter()
    bag.addCamera(at: "/a", hasDepth: false)
    // 2 MiB each, of some hundred bytes.
    let zeros = BagWriter.zstandardZeros(blocks: 16)
    for _ in 0..<4 { bag.add("/a/color/image_raw", "sensor_msgs/msg/Image", zeros) }
    #expect(try Self.open(bag.file()).frames.count == 6)
    for _ in 0..<140 { bag.add("/a/color/image_raw", "sensor_msgs/msg/Image", zeros) }
    #expect(throws: CaptureError.tooMuchUnpacking(file: "robot.mcap")) { _ = try Self.open(bag.file()) }
  }
}
