import AppCore
import FileFormats
import Foundation
import Geometry
import TestSupport
import Testing

/// The second of three frames damaged in one way, in one layout.
struct BadFrame: Sendable, CustomTestStringConvertible {
  let published: PublishedLayout
  let name: String
  let spoil: @Sendable (CaptureFixture) throws -> Void

  var testDescription: String { "\(published.rawValue): \(name)" }

  init(
    _ published: PublishedLayout, _ name: String, _ spoil: @escaping @Sendable (CaptureFixture) throws -> Void
  ) {
    (self.published, self.name, self.spoil) = (published, name, spoil)
  }

  /// A field of a line of a text file, both counted from 0 and comments left out, replaced.
  static func field(
    _ published: PublishedLayout, _ file: String, line: Int, fields: [Int], separator: Character = " ",
    _ text: String
  ) -> BadFrame {
    BadFrame(published, "\(file): fields \(fields) are \(text)") { fixture in
      var lines = String(decoding: try fixture.directory.read(file), as: UTF8.self).split(
        separator: "\n"
      ).filter { !$0.hasPrefix("#") }.map(String.init)
      var parts = lines[line].split(separator: separator).map(String.init)
      for field in fields { parts[field] = text }
      lines[line] = parts.joined(separator: String(separator))
      try fixture.directory.write(lines.joined(separator: "\n") + "\n", to: file)
    }
  }

  /// A file that is not there.
  static func gone(_ published: PublishedLayout, _ file: String) -> BadFrame {
    BadFrame(published, "\(file) is gone") { try $0.remove(file) }
  }

  /// `transform_matrix` of the second frame, by its elements.
  static func matrix(_ name: String, _ change: @escaping @Sendable (inout [[Double]]) -> Void) -> BadFrame {
    BadFrame(.transforms, name) { fixture in
      var fields = try #require(try JSONValue.parse(fixture.directory.read("transforms.json")).object)
      var frames = try #require(fields["frames"]?.array)
      var frame = try #require(frames[1].object)
      var rows = try #require(frame["transform_matrix"]?.array).compactMap { $0.numbers }
      change(&rows)
      frame["transform_matrix"] = .array(rows.map { .array($0.map(JSONValue.number)) })
      frames[1] = .object(frame)
      fields["frames"] = .array(frames)
      try fixture.directory.write(JSONValue.object(fields).serialized(), to: "transforms.json")
    }
  }
}

/// One bad frame of several: it stays in its place and says why it cannot be read, and the others are read.
@Suite struct OneBadFrameTests {
  static let cases: [BadFrame] = [
    .field(.strayScanner, "odometry.csv", line: 2, fields: [2], separator: ",", " nan"),
    .field(.strayScanner, "odometry.csv", line: 2, fields: [5, 6, 7, 8], separator: ",", " 0"),
    .field(.strayScanner, "odometry.csv", line: 2, fields: [1], separator: ",", " nan"),
    .gone(.strayScanner, "rgb/000001.png"),
    .field(.tumRGBD, "rgb.txt", line: 1, fields: [1], "rgb/none.png"),
    .field(.redwood, "trajectory.log", line: 6, fields: [0, 1, 2, 3], "nan"),
    .field(.redwood, "trajectory.log", line: 6, fields: [0, 1, 2], "0"),
    .gone(.redwood, "color/00001.png"),
    .gone(.rtabMap, "map_rgb/1700000000.500000.jpg"),
    .gone(.polycam, "keyframes/depth/5510300000.png"),
    .gone(.ca1m, "3308723000000.wide/depth.png"),
    .matrix("mirrored") { rows in for row in 0..<3 { rows[row][0] *= -1 } },
    .matrix("scaled") { rows in
      for row in 0..<3 { rows[row] = rows[row].enumerated().map { $0 < 3 ? 2 * $1 : $1 } }
    },
    .gone(.transforms, "images/image_1.png"),
  ]

  @Test(arguments: cases)
  func theOthersAreRead(_ bad: BadFrame) throws {
    let fixture = try bad.published.write()
    try bad.spoil(fixture)
    let source = try CaptureReader.open(fixture.path)
    #expect(source.frames.count == 3 && source.skipped.isEmpty, "\(source.skipped)")
    #expect(Array(source.defects.keys) == [1], "\(source.defects)")
    #expect(source.soundNames == [bad.published.names[0], bad.published.names[2]])
    let stamps = source.frames.map(\.timestamp)
    #expect(stamps == [stamps[0], stamps[0], bad.published.timestamps[2]])
    for index in [0, 2] { #expect(try source.frame(at: index).depth != nil) }
    let defect = try #require(source.defects[1])
    #expect(throws: defect) { try source.frame(at: 1) }
    #expect(throws: defect) { try source.encodedPicture(at: 1) }
    let summary = try CaptureSummary(of: source)
    #expect(summary.unreadable == source.damaged && summary.frames.count == 2)
  }

  /// Poses come more often than pictures: that nearest to a picture is its.
  @Test(arguments: [
    (PublishedLayout.tumRGBD, "groundtruth.txt", [1, 4], "nan"),
    (.tumRGBD, "groundtruth.txt", [4, 5, 6, 7], "0"), (.arkitScenes, "lowres_wide.traj", [1, 4], "nan"),
  ])
  func aLostPoseIsThatOfOneFrame(
    _ published: PublishedLayout, _ file: String, _ fields: [Int], _ text: String
  ) throws {
    let rows = String(decoding: try published.write().directory.read(file), as: UTF8.self).split(
      separator: "\n"
    ).filter { !$0.hasPrefix("#") }
    let time = published.timestamps[1]
    let line = try #require(
      rows.indices.min { a, b in
        func distance(_ row: Int) -> Double {
          abs((rows[row].split(separator: " ").first.flatMap { Double($0) } ?? .infinity) - time)
        }
        return distance(a) < distance(b)
      })
    let fixture = try published.write()
    try BadFrame.field(published, file, line: line, fields: fields, text).spoil(fixture)
    let source = try CaptureReader.open(fixture.path)
    #expect(source.frames.count == 3 && Array(source.defects.keys) == [1], "\(source.defects)")
    guard case .badPose(let place, _) = source.defects[1] else {
      Issue.record("\(source.defects)")
      return
    }
    #expect(place.hasPrefix("\(file), line "))
    for index in [0, 2] { #expect(try source.frame(at: index).isPosed) }
  }

  /// The first frame stands before the first sound one, and has its time.
  @Test func theFirstFrameMayBeTheBadOne() throws {
    let fixture = try PublishedLayout.redwood.write()
    try BadFrame.field(.redwood, "trajectory.log", line: 1, fields: [0], "nan").spoil(fixture)
    let source = try CaptureReader.open(fixture.path)
    #expect(source.frames.map(\.name) == PublishedLayout.redwood.names)
    #expect(Array(source.defects.keys) == [0] && source.frames[0].timestamp == source.frames[1].timestamp)
    #expect(try source.frame(at: 1).isPosed)
  }

  @Test func nativeAndClipFramesLikewise() throws {
    let fixture = try CaptureFixture.empty()
    for number in ["00000", "00005", "00010"] { try fixture.writeClipFrame(number) }
    try fixture.directory.write("{", to: "00005.json")
    let source = try CaptureReader.open(fixture.path)
    #expect(source.layout == .clipFolder && source.soundNames == ["00000", "00010"])
    #expect(source.damaged.map(\.name) == ["00005"] && source.skipped.isEmpty)
    try fixture.remove("00010_depth.png")
    let rest = try CaptureReader.open(fixture.path)
    #expect(rest.soundNames == ["00000"] && rest.damaged.map(\.name) == ["00005", "00010"])
    #expect(rest.damaged[1].reason.contains("00010_depth.png"))
    // By itself it is refused when it is opened.
    #expect(throws: CaptureError.self) { try CaptureReader.open(fixture.directory.file("00005.json")) }
  }

  // MARK: Text files

  /// Endings of the files that are text.
  private static let texts = [".txt", ".csv", ".log", ".match", ".traj", ".pincam", ".json", ".yaml"]

  /// Editors of Windows put a byte-order mark before what they save.
  @Test(arguments: PublishedLayout.allCases)
  func aByteOrderMarkLeads(_ published: PublishedLayout) throws {
    let fixture = try published.write()
    let sound = try CaptureReader.open(fixture.path)
    let frames = try sound.frames.indices.map { try sound.frame(at: $0, decodingImage: false) }
    let files = FileManager.default.enumerator(atPath: fixture.path)?.compactMap { $0 as? String } ?? []
    for file in files where Self.texts.contains(where: file.hasSuffix) {
      try fixture.directory.write([0xEF, 0xBB, 0xBF] + (try fixture.directory.read(file)), to: file)
    }
    let source = try CaptureReader.open(fixture.path)
    #expect(source.frames == sound.frames && source.defects.isEmpty, "\(source.defects)")
    for (index, frame) in frames.enumerated() {
      let marked = try source.frame(at: index, decodingImage: false)
      #expect(marked.intrinsics == frame.intrinsics && marked.cameraToWorld == frame.cameraToWorld)
    }
  }

  @Test(arguments: [
    "50 51 31.5 23.5", "fx: 50\nfy: 51\ncx: 31.5\ncy: 23.5\n",
    "{\"fx\": 50, \"fy\": 51, \"cx\": 31.5, \"cy\": 23.5}",
  ])
  func aByteOrderMarkLeadsACamera(text: String) throws {
    let place = try TemporaryDirectory()
    let plain = try StatedCamera(textOrFile: place.write(text, to: "plain"))
    #expect(plain.fx == 50)
    #expect(try StatedCamera(textOrFile: place.write("\u{FEFF}" + text, to: "marked")) == plain)
  }

  // MARK: What is unread

  @Test func picturesWithoutALineAreCounted() throws {
    let fixture = try PublishedLayout.strayScanner.write()
    #expect(try CaptureReader.open(fixture.path).notes.isEmpty)
    try fixture.writeImage("rgb/000003.png", size: RoomScene.pictureSize)
    try fixture.writeImage("rgb/000004.png", size: RoomScene.pictureSize)
    let source = try CaptureReader.open(fixture.path)
    #expect(source.frames.count == 3)
    #expect(source.notes == ["odometry.csv has no line of 2 pictures in rgb, left out"])
  }

  @Test func positionsAreDividedByTheirScale() throws {
    let fixture = try PublishedLayout.transforms.write()
    let sound = try CaptureReader.open(fixture.path)
    #expect(sound.notes.isEmpty)
    var fields = try #require(try JSONValue.parse(fixture.directory.read("transforms.json")).object)
    fields["applied_scale"] = 0.5
    (fields["up"], fields["rolling_shutter"]) = ([0, 0, 1], [0, 0, 0, 0])
    try fixture.directory.write(JSONValue.object(fields).serialized(), to: "transforms.json")
    let source = try CaptureReader.open(fixture.path)
    #expect(
      source.notes == [
        "transforms.json: applied_scale is 0.5, positions are divided by it",
        "transforms.json: up is not used",
      ])
    for index in source.frames.indices {
      let (first, second) = (try sound.frame(at: index), try source.frame(at: index))
      let (place, scaled) = (first.cameraToWorld.origin, second.cameraToWorld.origin)
      #expect(abs(scaled.x - 2 * place.x) < 1e-9 && abs(scaled.y - 2 * place.y) < 1e-9)
      #expect(abs(scaled.z - 2 * place.z) < 1e-9 && first.depth == second.depth)
    }
  }
}
