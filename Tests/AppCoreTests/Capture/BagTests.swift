import AppCore
import Archives
import FileFormats
import Geometry
import Imaging
import TestSupport
import Testing

/// Recordings of ROS 2 written here: what is chosen, paired and refused.
@Suite struct BagTests {
  private static func write(_ bag: BagWriter) throws -> (TemporaryDirectory, String) {
    let place = try TemporaryDirectory()
    return (place, try place.write(bag.file(), to: "robot.mcap"))
  }

  private static func bag(_ fill: (inout BagWriter) -> Void) -> BagWriter {
    var bag = BagWriter()
    fill(&bag)
    return bag
  }

  @Test func picturesWithoutPoses() throws {
    let (place, path) = try Self.write(Self.bag { $0.addCamera(at: "/a") })
    let source = try CaptureReader.open(path)
    #expect(source.layout == .rosBag && !source.hasPoses && source.frames.count == 2)
    let frame = try source.frame(at: 0)
    #expect(!frame.isPosed && frame.cameraToWorld == .identity && frame.orientation == .up)
    #expect(source.notes.contains { $0.hasPrefix("no poses") })
    #expect(try CaptureSummary(of: source).json["notes"]?.array?.isEmpty == false)
    withExtendedLifetime(place) {}
  }

  /// Each depth map goes with the picture nearest to it, within 0.05 s.
  @Test func depthGoesWithTheNearestPicture() throws {
    let bag = Self.bag { $0.addCamera(at: "/a", times: [0, 33, 67, 100, 300], depthTimes: [5, 90, 351]) }
    let (place, path) = try Self.write(bag)
    let source = try CaptureReader.open(path)
    #expect(source.frames.map(\.name) == ["000000", "000003"])
    #expect(source.skipped.map(\.name) == ["000001", "000002", "000004"])
    for (index, meters) in [Float(2), 2.001].enumerated() {
      let depth = try #require(try source.frame(at: index).depth)
      #expect(abs(depth.elements[0] - meters) < 1e-5)
    }
    withExtendedLifetime(place) {}
  }

  @Test func oneOfSeveralCamerasIsNamed() throws {
    let bag = Self.bag {
      $0.addCamera(at: "/front")
      $0.addCamera(at: "/back", depthFocal: 30)
    }
    let (place, path) = try Self.write(bag)
    #expect(
      throws: CaptureError.severalTopics(
        path: path, what: "color", names: ["/back/color/image_raw", "/front/color/image_raw"])
    ) { _ = try CaptureReader.open(path) }
    for wanted in ["/front", "/front/", "/front/color", "/front/color/image_raw,/front/depth"] {
      let source = try CaptureReader.open("\(path):\(wanted)")
      #expect(source.notes[0] == "color /front/color/image_raw, depth /front/depth/image")
    }
    #expect {
      _ = try CaptureReader.open("\(path):/fro")
    } throws: { error in
      if case CaptureError.noTopic(_, wanted: ["/fro"], _) = error { true } else { false }
    }
    #expect(throws: CaptureError.notFound(path: "\(place.path)/none.mcap:/front")) {
      _ = try CaptureReader.open("\(place.path)/none.mcap:/front")
    }
  }

  @Test(.enabled(if: BagGoldenTests.isReadable("zstd.mcap"), "libzstd1 is not installed"))
  func messagesMayBeCompressedOneByOne() throws {
    let bag = Self.bag {
      $0.compressesMessages = true
      $0.addCamera(at: "/a")
    }
    let (place, path) = try Self.write(bag)
    let source = try CaptureReader.open(path)
    #expect(source.frames.map(\.timestamp) == [1_700_000_000, 1_700_000_000.1])
    #expect(try source.frame(at: 1).image?.pixels.first == 100)
    #expect(try source.frame(at: 1).depth?.size.width == 16)
    var limits = CaptureLimits()
    limits.frameFileBytes = 500
    #expect(throws: CaptureError.fileTooLarge(file: "robot.mcap, a message", bytes: 632, limit: 500)) {
      _ = try CaptureReader.open(path, limits: limits)
    }
    withExtendedLifetime(place) {}
  }

  /// Infrared of sixteen bits is no depth where there is depth, and depth of drivers that call it brightness else.
  @Test func infraredIsNoDepth() throws {
    func add(_ bag: inout BagWriter) {
      bag.add(
        image: [UInt8](repeating: 4, count: 2 * 192), "/a/ir/image_raw", "mono16",
        size: PixelSize(width: 16, height: 12), time: BagWriter.start, frame: "/a_optical")
    }
    for hasDepth in [true, false] {
      let (place, path) = try Self.write(
        Self.bag {
          $0.addCamera(at: "/a", hasDepth: hasDepth)
          add(&$0)
        })
      let source = try CaptureReader.open(path)
      #expect(source.notes[0].hasSuffix(hasDepth ? "depth /a/depth/image" : "depth /a/ir/image_raw"))
      withExtendedLifetime(place) {}
    }
  }

  @Test func picturesAloneHaveNoCamera() throws {
    let (place, path) = try Self.write(Self.bag { $0.addCamera(at: "/a", hasDepth: false, hasInfo: false) })
    let frame = try CaptureReader.open(path).frame(at: 1)
    #expect(frame.intrinsics == nil && frame.depth == nil && frame.image?.size.width == 16)
    withExtendedLifetime(place) {}
  }

  @Test func depthNeedsACamera() throws {
    let (place, path) = try Self.write(Self.bag { $0.addCamera(at: "/a", hasInfo: false) })
    #expect(throws: CaptureError.noCameraInfo(path: path, topic: "/a/color/image_raw")) {
      _ = try CaptureReader.open(path)
    }
    withExtendedLifetime(place) {}
  }

  @Test func depthOfAnotherCameraNeedsATransform() throws {
    let bag = Self.bag { $0.addCamera(at: "/a", depthFrame: "other", depthFocal: 10) }
    let (place, path) = try Self.write(bag)
    #expect(
      throws: CaptureError.unregisteredDepth(
        path: path, depth: "/a/depth/image", lacks: "no fixed transform of tf joins other to a_optical")
    ) { _ = try CaptureReader.open(path) }
    // The same camera under another name is taken for the color camera.
    let (other, same) = try Self.write(Self.bag { $0.addCamera(at: "/a", depthFrame: "other") })
    let source = try CaptureReader.open(same)
    #expect(source.notes.contains { $0.contains("taken for registered") })
    #expect(try source.frame(at: 0).depth?.size.width == 16)
    withExtendedLifetime((place, other)) {}
  }

  @Test func fisheyesAreRefused() throws {
    let bag = Self.bag {
      $0.addCamera(at: "/a", hasDepth: false, hasInfo: false)
      $0.add(
        camera: [20, 20, 7.5, 5.5], "/a/color/camera_info", size: PixelSize(width: 16, height: 12),
        frame: "x", model: "equidistant", distortion: [0.1, 0, 0, 0])
    }
    let (place, path) = try Self.write(bag)
    #expect(throws: CaptureError.unsupportedLens(file: "/a/color/image_raw", reason: "model equidistant")) {
      _ = try CaptureReader.open(path)
    }
    withExtendedLifetime(place) {}
  }

  /// Frames before the first pose are left out.
  @Test func framesWithoutAPoseNearAreSkipped() throws {
    let bag = Self.bag {
      $0.addCamera(at: "/a", times: [0, 100, 200], depthTimes: [0, 100, 200])
      for (step, time) in [80, 220].enumerated() {
        $0.add(
          transform: [Double(step), 0, 0, 0, 0, 0, 1], "/tf", time: BagWriter.start + time * 1_000_000,
          parent: "odom", child: "/a_optical")
      }
    }
    let (place, path) = try Self.write(bag)
    // A leading slash of a frame's name counts for nothing.
    let source = try CaptureReader.open(path)
    #expect(source.frames.map(\.name) == ["000001", "000002"])
    #expect(source.hasPoses)
    // A seventh of the way from 80 ms to 220 ms.
    #expect(abs(try source.frame(at: 0).cameraToWorld.origin.x - 1 / 7) < 1e-9)
    withExtendedLifetime(place) {}
  }

  @Test func aFolderOfSplitFiles() throws {
    let place = try TemporaryDirectory()
    try place.write("rosbag2_bagfile_information: {}\n", to: "bag/metadata.yaml")
    for (index, times) in [[0, 100], [200, 300]].enumerated() {
      let part = Self.bag { $0.addCamera(at: "/a", times: times, depthTimes: times) }
      try place.write(part.file(chunked: true), to: "bag/bag_\(index).mcap")
    }
    let source = try CaptureReader.open(place.file("bag"))
    #expect(source.frames.count == 4 && source.skipped.isEmpty)
    #expect(try source.frame(at: 3).image?.pixels.first == 44)
    #expect(try CaptureReader.open("\(place.file("bag")):/a").frames.count == 4)
    // Without the metadata they are recordings of their own.
    try place.write(Self.bag { $0.addCamera(at: "/a") }.file(), to: "two/a.mcap")
    #expect(try CaptureReader.open(place.file("two")).frames.count == 2)
    try place.write(Self.bag { $0.addCamera(at: "/a") }.file(), to: "two/b.mcap")
    #expect(
      throws: CaptureError.severalCaptures(path: place.file("two"), names: ["a.mcap", "b.mcap"])
    ) { _ = try CaptureReader.open(place.file("two")) }
  }

  /// A recording and what it was converted to are one, of the kind that its metadata list, or of either.
  @Test func aConvertedRecordingBesideItsOwn() throws {
    for (listed, taken) in [("bag_0.mcap", "bag_0.mcap"), ("bag_1.mcap", "bag_1.mcap"), ("", "bag_0.mcap")] {
      let place = try TemporaryDirectory()
      let list = "  relative_file_paths:\n    - \(listed)\n  duration:\n    - bag_2.mcap\n"
      try place.write(
        "rosbag2_bagfile_information:\n" + (listed.isEmpty ? "" : list), to: "bag/metadata.yaml")
      for name in listed.isEmpty ? ["bag_0.mcap"] : ["bag_0.mcap", "bag_1.mcap"] {
        try place.write(Self.bag { $0.addCamera(at: "/a") }.file(), to: "bag/\(name)")
      }
      try place.write([1, 2, 3], to: "bag/bag_0.db3")
      let source = try CaptureReader.open(place.file("bag"))
      #expect(source.frames.count == 2)
      for name in ["bag_0.mcap", "bag_1.mcap", "bag_0.db3"] where name != taken {
        let isThere = !listed.isEmpty || name != "bag_1.mcap"
        #expect(source.notes.contains { $0.hasPrefix("\(name) is not part") } == isThere)
      }
    }
  }

  @Test func anArchiveOfARecording() throws {
    let place = try TemporaryDirectory()
    let file = Self.bag { $0.addCamera(at: "/a") }.file()
    let path = try place.write(ZipWriter.archive([("scan/robot.mcap", file)]), to: "scan.zip")
    let source = try CaptureReader.open(path)
    #expect(source.layout == .rosBag && source.frames.count == 2 && !source.hasPoses)
    #expect(!source.notes.isEmpty)
  }
}
