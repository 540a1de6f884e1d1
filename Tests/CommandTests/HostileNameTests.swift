import FileFormats
import Foundation
import Imaging
import TestSupport
import Testing

/// Every command that takes folders, with names that people's files have.
@Suite struct HostileNameTests {
  private static let picture = RGBImage(width: 64, height: 48, color: Color(red: 90, green: 80, blue: 70))
  /// Each is another file's name on Linux.
  static let stems = [
    "caf\u{E9}", "cafe\u{301}", "A", "a", "a.b", "a.b.c", "a b", "a\"b", "a'b", "a\nb", "a#b", "a%41b",
    "-dash", "a\\b",
    "\u{301}mark", "$HOME", "*", String(repeating: "l", count: 251), "a_jpg.rf.0a1b", "1305031102.175304",
    "1305031102.211214", "x&<y>",
  ]

  private func write(_ place: TemporaryDirectory, _ folder: String, _ stems: [String] = stems) throws {
    let bytes = try ImageCodec.encodeJPEG(Self.picture, quality: 90)
    try FileManager.default.createDirectory(atPath: place.file(folder), withIntermediateDirectories: true)
    for stem in stems {
      try AtomicFile.write(bytes, to: "\(place.file(folder))/\(stem).jpg", overwrite: false)
    }
  }

  @Test func picturesKeepResultsOfTheirOwn() throws {
    let place = try TemporaryDirectory()
    try write(place, "p")
    let detector = TinyNetwork.detectorOptions
    let found = try CommandRun(["detect", place.file("p"), "--out", place.file("found")] + detector)
    #expect(found.status == 0, "\(found.error)")
    let frames = try #require(
      try JSONValue.read(path: place.file("found/index.json"))["frames"]?.array)
    #expect(frames.count == Self.stems.count)
    #expect(NameSet(frames.compactMap { $0["folder"]?.string }).count == Self.stems.count)
    for frame in frames {
      let folder = try #require(frame["folder"]?.string)
      #expect(fileExists(place.file("found/\(folder)/detections.json")), "\(folder)")
    }
    let run = try CommandRun(
      ["run", place.file("p"), "--out", place.file("run"), "--fov", "60"] + detector
        + TinyNetwork.depthOptions)
    #expect(run.status == 0, "\(run.error)")
    let lines = try String(contentsOfFile: place.file("run/results.jsonl"), encoding: .utf8).split(
      separator: "\n")
    #expect(lines.count == Self.stems.count)
    let again = try CommandRun(
      ["run", place.file("p"), "--out", place.file("run"), "--fov", "60", "--force"] + detector
        + TinyNetwork.depthOptions)
    #expect(again.status == 0, "\(again.error)")
  }

  @Test func pairsAreOfEqualBytes() throws {
    let place = try TemporaryDirectory()
    try write(place, "rgb")
    try FileManager.default.createDirectory(atPath: place.file("depth"), withIntermediateDirectories: true)
    for (index, stem) in Self.stems.enumerated() {
      let plane = Plane(
        width: 64, height: 48, elements: [UInt16](repeating: UInt16(1000 + index), count: 64 * 48))
      try AtomicFile.write(
        ImageCodec.encodePNG(plane), to: "\(place.file("depth"))/\(stem).png", overwrite: false)
    }
    let result = try CommandRun([
      "capture", "convert", place.file("rgb"), "--depth-map", place.file("depth"), "--intrinsics",
      "60,60,31.5,23.5", "--out", place.file("native"),
    ])
    #expect(result.status == 0, "\(result.error)")
    let check = try CommandRun(["capture", "check", place.file("native"), "--json"]).json()
    let depths = (check["frames"]?.array ?? []).compactMap { $0["depthMeters"]?[0]?.number }
    #expect(depths.count == Self.stems.count && Set(depths).count == Self.stems.count)
  }

  @Test func picturesOfSeveralFoldersKeepIdsOfTheirOwn() throws {
    let place = try TemporaryDirectory()
    for folder in ["x", "y"] { try write(place, folder, ["1", "2"]) }
    let out = try CommandRun(
      ["detect", place.file("x"), place.file("y"), "--out", place.file("found")] + TinyNetwork.detectorOptions
    )
    #expect(out.status == 0, "\(out.error)")
    let index = try JSONValue.read(path: place.file("found/index.json"))
    #expect(NameSet((index["frames"]?.array ?? []).compactMap { $0["folder"]?.string }).count == 4)
  }

  /// Swift would repair such a name and write to another.
  @Test(arguments: [
    ["detect", "PLACE/p", "--out", "NAME"], ["capture", "convert", "PLACE/p", "--out", "NAME"],
    ["capture", "check", "NAME"], ["inspect", "NAME"], ["weights", "get", "yolo11n-seg", "--out=NAME"],
  ])
  func wordsThatAreNotUTF8AreRefused(words: [String]) throws {
    let place = try TemporaryDirectory()
    try write(place, "p", ["a"])
    let script = words.map {
      "\"" + $0.replacing("PLACE", with: place.path).replacing("NAME", with: "$name") + "\""
    }.joined(separator: " ")
    let result = try CommandRun(
      ["-c", "name=\"$1/$(printf 'caf\\351')\"; exec \"$0\" \(script)", CommandRun.executable, place.path],
      program: "/bin/sh")
    #expect(result.status == 64, "\(result.error)")
    #expect(result.error.contains(#"caf\xE9"#) && result.error.contains("UTF-8"), "\(result.error)")
    #expect(try place.entries() == ["p"])
  }
}
