import FileFormats
import Foundation
import Geometry
import Imaging
import TestSupport
import Testing

/// `--on-change` and the time of day of streams.
@Suite struct ChangeTests {
  /// Pictures of which some repeat, so that of these nothing comes or goes.
  private static func pictures() throws -> [RGBImage] {
    let size = PixelSize(width: SyntheticCapture.width, height: SyntheticCapture.height)
    let plain = RGBImage(width: size.width, height: size.height, color: .black)
    let (first, second) = (SyntheticCapture.picture(phase: 0), SyntheticCapture.picture(phase: 9))
    return [plain, plain, first, first, first, plain, second, second, first, plain]
  }

  private static func place() throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    try place.write(pictures().flatMap { try ImageCodec.encodePNG($0) }, to: "pipe")
    return place
  }

  private static func run(_ words: [String], _ place: TemporaryDirectory) throws -> CommandRun {
    try CommandRun(
      [words[0], "-"] + TinyNetwork.detectorOptions + words.dropFirst(), in: place.path,
      input: place.file("pipe"))
  }

  /// The lines of which `key` differs from that of the last one before, beginning with nothing.
  private static func changes<Key: Equatable>(
    of lines: [JSONValue], from nothing: Key, _ key: (JSONValue) -> Key
  ) -> [JSONValue] {
    var last = nothing
    return lines.filter { line in
      defer { last = key(line) }
      return key(line) != last
    }
  }

  private static func counts(_ objects: JSONValue?) -> [String: Int] {
    (objects?.array ?? []).reduce(into: [:]) { $0[$1["className"]?.string ?? "", default: 0] += 1 }
  }

  @Test func detectKeepsPicturesInWhichClassesCameOrWent() throws {
    let place = try Self.place()
    let all = try Self.run(["detect", "--out", "-"], place).lines()
    let expected = Self.changes(of: all, from: [:]) { Self.counts($0["detections"]) }
    try #require(expected.count > 1 && expected.count < all.count - 3)
    let run = try Self.run(["detect", "--on-change", "--out", "-"], place)
    #expect(run.status == 0, "\(run.error)")
    #expect(try run.lines() == expected)
    #expect(
      run.error.contains("\(all.count - expected.count) in which nothing came or went"), "\(run.error)")
    // In a folder the same pictures, and no others.
    let kept = try Self.run(["detect", "--on-change", "--out", "kept"], place)
    #expect(kept.status == 0, "\(kept.error)")
    let folders = try FileManager.default.contentsOfDirectory(atPath: place.file("kept"))
      .filter { $0.hasPrefix("0") }.sorted()
    #expect(folders == expected.compactMap { $0["image"]?.string })
  }

  @Test func runKeepsThemToo() throws {
    let place = try Self.place()
    let all = try Self.run(["run", "--out", "-"], place).lines()
    let expected = Self.changes(of: all, from: [:]) { Self.counts($0["summary"]?["objects"]) }
    try #require(expected.count > 1 && expected.count < all.count)
    let run = try Self.run(["run", "--on-change", "--out", "-"], place)
    #expect(run.status == 0, "\(run.error)")
    #expect(try run.lines().map { $0["name"] } == expected.map { $0["name"] })
    let kept = try Self.run(["run", "--on-change", "--out", "kept"], place)
    #expect(kept.status == 0, "\(kept.error)")
    let lines = String(decoding: try place.read("kept/results.jsonl"), as: UTF8.self)
    #expect(lines.split(separator: "\n").count == expected.count)
  }

  @Test func identitiesCountWhereTheyAreGiven() throws {
    let place = try Self.place()
    let track = ["--track", "bytetrack", "--out", "-"]
    let all = try Self.run(["detect"] + track, place).lines()
    let expected = Self.changes(of: all, from: []) { line in
      Set((line["detections"]?.array ?? []).compactMap { $0["track"]?.integer })
    }
    let run = try Self.run(["detect", "--on-change"] + track, place)
    #expect(run.status == 0, "\(run.error)")
    #expect(try run.lines() == expected)
  }

  /// A table has a row of a picture from which all have gone, and the time of day of what is live.
  @Test(arguments: ["detect", "run"]) func tablesTellDepartures(command: String) throws {
    let place = try Self.place()
    // Of the plain pictures nothing is left.
    let sure = ["--conf", "0.2"]
    let all = try Self.run([command, "--on-change", "--out", "-"] + sure, place).lines()
    let names = all.map { $0["name"]?.string ?? $0["image"]?.string ?? "" }
    let run = try Self.run([command, "--on-change", "--format", "csv", "--out", "-"] + sure, place)
    #expect(run.status == 0, "\(run.error)")
    let rows = run.output.split(separator: "\n").dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    var seen: [String] = []
    for row in rows where row[1] != seen.last { seen.append(row[1]) }
    #expect(seen == names)
    let gone = rows.filter { $0[5].isEmpty }
    #expect(!gone.isEmpty && gone.allSatisfy { $0.count == rows[0].count && $0[3].isEmpty }, "\(rows)")
    // Without the option there is nothing to tell.
    let plain = try Self.run([command, "--format", "csv", "--out", "-"], place)
    #expect(plain.output.split(separator: "\n").allSatisfy { !$0.contains(",,,,,,,,") || command == "run" })
    #expect(
      !plain.output.hasPrefix("source,name,timestamp,id,class_id,class,confidence,x,y,width,height,time"))
    let live = try Self.run([command, "--live", "--on-change", "--format", "csv", "--out", "-"], place)
    let lines = live.output.split(separator: "\n")
    #expect(lines.count > 1 && lines[0].hasSuffix(",time"), "\(live.output)\(live.error)")
    #expect(
      lines.dropFirst().allSatisfy { $0.firstMatch(of: /,\d{4}-\d\d-\d\dT[\d:.]+Z$/) != nil }, "\(lines)")
  }

  /// `--max-frames` bounds what piles up in a folder, not what a network sees.
  @Test func picturesThatAreLeftOutTakeNoRoom() throws {
    let place = try Self.place()
    let all = try Self.run(["detect", "--on-change", "--out", "-"], place).lines().count
    let run = try Self.run(
      ["detect", "--on-change", "--max-frames", "\(all)", "--out", "kept"], place)
    #expect(run.status == 0 && !run.error.contains("stopped after"), "\(run.error)")
  }

  @Test func depthFindsNoObjects() throws {
    let place = try Self.place()
    let run = try CommandRun(
      ["depth", "-", "--on-change", "--out", "-"] + TinyNetwork.depthOptions, in: place.path,
      input: place.file("pipe"))
    #expect(run.status == 64 && run.error.contains("--on-change"), "\(run.error)")
  }

  @Test(arguments: ["detect", "run"]) func livePicturesHaveTheTimeOfDay(command: String) throws {
    let place = try Self.place()
    let run = try Self.run([command, "--live", "--out", "-"], place)
    #expect(run.status == 0, "\(run.error)")
    let lines = try run.lines()
    #expect(!lines.isEmpty)
    for line in lines {
      let text = try #require(line["time"]?.string)
      #expect(text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(text)")
      #expect(text >= "2026-01-01", "\(text)")
      #expect(line["timestamp"]?.number != nil)
    }
    // What a pipe holds may be old: the same bytes give the same lines.
    let stored = try Self.run([command, "--out", "-"], place).lines()
    #expect(stored.allSatisfy { $0["time"] == nil })
  }
}
