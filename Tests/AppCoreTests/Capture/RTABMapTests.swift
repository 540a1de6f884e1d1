import AppCore
import Geometry
import TestSupport
import Testing

/// Exports of RTAB-Map in other forms than `PublishedLayout` writes.
@Suite struct RTABMapTests {
  private static let poses = "map_camera_poses.txt"

  /// An export whose file of poses holds some lines.
  private static func export(_ lines: String...) throws -> CaptureFixture {
    let fixture = try PublishedLayout.rtabMap.write()
    try fixture.directory.write(lines.joined(separator: "\n") + "\n", to: poses)
    return fixture
  }

  @Test func picturesMayBeCalledByTheirNumbers() throws {
    let fixture = try Self.export("#timestamp x y z qx qy qz qw id", "12.5 0 0 1 -0.5 0.5 -0.5 0.5 7")
    for (folder, ending) in [("rgb", "jpg"), ("depth", "png"), ("calib", "yaml")] {
      let bytes = try fixture.directory.read("map_\(folder)/1700000000.250000.\(ending)")
      try fixture.directory.write(bytes, to: "map_\(folder)/7.\(ending)")
    }
    let source = try CaptureReader.open(fixture.path)
    #expect(source.layout == .rtabMap && source.frames == [FrameReference(name: "7", timestamp: 12.5)])
    #expect(abs(try source.frame(at: 0).cameraToWorld.origin.y - 1) < 1e-9)
  }

  /// Turns as roll, pitch and yaw, and as quaternions (NumPy, of the product of three matrices).
  private static let turns: [(angles: String, quaternion: String)] = [
    ("-1.5707963267948966 0 -1.5707963267948966", "-0.5 0.5 -0.5 0.5"),
    ("-1.2 0.2 -1.3", "-0.397392099658555 0.405600982416056 -0.452111172489477 0.687868337621587"),
    ("-1.8 -0.4 0.7", "-0.678822087389897 -0.379254620618390 0.062711881663725 0.625646646526151"),
  ]

  /// Graphs tell of nodes by their numbers; edges and landmarks are no pictures.
  @Test(arguments: ["g2o", "toro", "graph"])
  func graphsAreRead(_ ending: String) throws {
    let fixture = try PublishedLayout.rtabMap.write()
    for (index, name) in PublishedLayout.rtabMap.names.enumerated() {
      for (folder, ending) in [("rgb", "jpg"), ("depth", "png"), ("calib", "yaml")] {
        let bytes = try fixture.directory.read("map_\(folder)/\(name).\(ending)")
        try fixture.directory.write(bytes, to: "map_\(folder)/\(index + 1).\(ending)")
      }
    }
    let lines = Self.turns.enumerated().map { "\($0 + 100) \($0) 2 -1 \($1.quaternion) \($0 + 1)" }
    try fixture.directory.write(lines.joined(separator: "\n") + "\n", to: Self.poses)
    let whole = try CaptureReader.open(fixture.path)
    let nodes = Self.turns.enumerated().map { index, turn in
      ending == "g2o"
        ? "VERTEX_SE3:QUAT \(index + 1) \(index) 2 -1 \(turn.quaternion)"
        : "VERTEX3 \(index + 1) \(index) 2 -1 \(turn.angles)"
    }
    let others = [
      "VERTEX_XY -4 1 2", "VERTEX_SE3:QUAT -3 0 0 0 0 0 0 1", "VERTEX3 -3 0 0 0 0 0 0",
      "EDGE_SE3:QUAT 1 2 0 0 0 0 0 0 1 1 0 0 0 0 0 1 0 0 0 0 1 0 0 0 1 0 0 1 0 1",
    ]
    try fixture.remove(Self.poses)
    let file = "map_camera_poses.\(ending)"
    try fixture.directory.write((nodes + others).joined(separator: "\n") + "\n", to: file)
    let source = try CaptureReader.open(fixture.path)
    #expect(source.layout == .rtabMap && source.skipped.isEmpty)
    #expect(source.frames.map(\.name) == ["1", "2", "3"])
    for index in source.frames.indices {
      let (found, expected) = (try source.frame(at: index), try whole.frame(at: index))
      #expect(
        maximumAbsoluteDifference(found.cameraToWorld.columnMajor, expected.cameraToWorld.columnMajor).value
          < 1e-9)
      #expect(found.orientation == expected.orientation)
    }
    // Without a number for every axis a line is damage.
    try fixture.directory.write("VERTEX3 1 0 0 0\nVERTEX_SE3:QUAT 1 0 0 0\n", to: file)
    #expect {
      _ = try CaptureReader.open(fixture.path)
    } throws: { error in
      guard case CaptureError.badLine(_, _, let expected) = error else { return false }
      return expected.hasPrefix("VERTEX")
    }
  }

  @Test func aLineThatIsRepeatedCountsOnce() throws {
    let fixture = try PublishedLayout.rtabMap.write()
    let text = String(decoding: try fixture.directory.read(Self.poses), as: UTF8.self)
    let last = try #require(text.split(separator: "\n").last)
    try fixture.directory.write(text + last + "\n", to: Self.poses)
    #expect(try CaptureReader.open(fixture.path).frames.count == 3)
    // Two numbers of one picture are damage.
    try fixture.directory.write(text + last + "0\n", to: Self.poses)
    #expect(throws: CaptureError.malformed(file: Self.poses, reason: "names a picture twice")) {
      _ = try CaptureReader.open(fixture.path)
    }
  }

  @Test func aPictureWithoutItsDepthIsADefect() throws {
    let fixture = try PublishedLayout.rtabMap.write()
    try fixture.remove("map_depth/1700000000.500000.png")
    let source = try CaptureReader.open(fixture.path)
    #expect(source.soundNames.count == 2)
    #expect(source.damaged.map(\.name) == ["1700000000.500000"])
    #expect(source.damaged[0].reason.contains("map_depth/1700000000.500000.png"))
    // An export without any is of pictures alone.
    try fixture.remove("map_depth")
    #expect(try CaptureReader.open(fixture.path).frames.count == 3)
  }

  /// Those of `--poses_format 1` have as many columns as those of 10, and other axes.
  @Test func posesWithoutNumbersAreRefused() throws {
    let fixture = try Self.export("1700000000.250000 0 0 1 -0.5 0.5 -0.5 0.5")
    #expect(
      throws: CaptureError.badLine(
        file: Self.poses, line: 1, expected: "timestamp x y z qx qy qz qw id, of --poses_format 11")
    ) { _ = try CaptureReader.open(fixture.path) }
  }

  @Test func aPictureWithoutItsCameraIsADefect() throws {
    let fixture = try PublishedLayout.rtabMap.write()
    try fixture.remove("map_calib/1700000000.500000.yaml")
    let source = try CaptureReader.open(fixture.path)
    #expect(source.soundNames.count == 2)
    #expect(source.damaged.map(\.name) == ["1700000000.500000"])
    #expect(source.damaged[0].reason.contains("map_calib/1700000000.500000.yaml"))
  }

  @Test func aLensWithDistortionIsADefect() throws {
    let fixture = try PublishedLayout.rtabMap.write()
    let name = "map_calib/1700000000.500000.yaml"
    let text = String(decoding: try fixture.directory.read(name), as: UTF8.self)
    try fixture.directory.write(
      text + "distortion_coefficients:\n   rows: 1\n   cols: 5\n   data: [ 0.1, 0., 0., 0., 0. ]\n", to: name)
    let source = try CaptureReader.open(fixture.path)
    #expect(source.damaged.count == 1 && source.damaged[0].reason.contains("distortion"))
  }
}
