import FileFormats
import Foundation
import TestSupport
import Testing

/// `ardf run --track`.
@Suite struct TrackedRunTests {
  private static func run(
    _ place: borrowing TemporaryDirectory, _ arguments: [String], input: String? = nil
  ) throws -> CommandRun {
    try CommandRun(
      ["run"] + arguments + TinyNetwork.detectorOptions + ["--depth", "none", "--track", "bytetrack"],
      in: place.path, input: input.map { place.file($0) })
  }

  private static func tracks(_ objects: JSONValue?) -> [Int?] {
    (objects?.array ?? []).map { $0["track"]?.integer(in: 1...100_000) }
  }

  /// Tracks begin at a score of their own: what a threshold of the detector would show is not said.
  @Test func nothingIsSaidOfWhatCameNearest() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 2, to: place.file("scan"))
    for verb in ["detect", "run"] {
      let words = [
        verb, "scan", "--yolo", TinyNetwork.detector, "--imgsz", "64", "--conf", "0.99", "--out", verb,
      ]
      let plain = try CommandRun(words, in: place.path)
      #expect(plain.status == 0 && (plain.output + plain.error).contains("the surest is"), "\(plain.error)")
      let tracked = try CommandRun(words + ["--track", "bytetrack", "--force"], in: place.path)
      #expect(tracked.status == 0, "\(tracked.error)")
      #expect(!(tracked.output + tracked.error).contains("the surest is"), "\(tracked.output)")
    }
  }

  @Test func aSequencesFilesAgreeAboutIdentities() throws {
    let place = try TemporaryDirectory()
    for index in 0..<3 {
      // The same picture again and again.
      try SyntheticCapture.write(to: place.file("scan/f\(index)"))
    }
    let run = try Self.run(place, ["scan", "--out", "out"])
    #expect(run.status == 0, "\(run.error)")
    var first: Set<Int> = []
    for (index, name) in ["00000", "00001", "00002"].enumerated() {
      let summary = try JSONValue.read(path: place.file("out/\(name)/summary.json"))
      let ids = Self.tracks(summary["objects"])
      #expect(!ids.isEmpty && ids.allSatisfy { $0 != nil })
      #expect(Set(ids).count == ids.count, "two objects share an identity")
      for file in ["detections", "objects"] {
        let document = try JSONValue.read(path: place.file("out/\(name)/\(file).json"))
        #expect(Self.tracks(document[file]) == ids, "\(file).json")
      }
      for object in summary["objects"]?.array ?? [] {
        let track = try #require(object["track"]?.integer(in: 1...100_000))
        #expect(object["label"]?.string?.hasPrefix("#\(track) ") == true)
      }
      if index == 0 { first = Set(ids.compactMap(\.self)) }
      #expect(first.isSuperset(of: ids.compactMap(\.self)), "what does not move keeps its identity")
    }
    // The table names objects as the pictures do, and ids of a frame begin at 0.
    let rows = run.output.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(rows.contains { $0.starts(with: ["track", "object"]) } && !rows.contains { $0.first == "id" })
    #expect(Set(rows.compactMap { $0.first.flatMap { Int($0) } }) == first, "\(run.output)")
    let sequence = try JSONValue.read(path: place.file("out/sequence-objects.json"))
    let objects = try #require(sequence["objects"]?.array)
    #expect(!objects.isEmpty)
    for object in objects {
      let seen = (object["frames"]?.array ?? []).compactMap { $0["track"]?.integer(in: 1...100_000) }
      #expect(!seen.isEmpty)
      #expect(Set(object["tracks"]?.integers(in: 1...100_000) ?? []) == Set(seen))
    }
  }

  @Test func aFilmsTableHasIdentities() throws {
    let place = try TemporaryDirectory()
    let picture = try SyntheticCapture.encoded()
    try place.write(picture + picture, to: "pipe")
    let table = try Self.run(place, ["-", "--format", "csv", "--out", "-"], input: "pipe")
    #expect(table.status == 0, "\(table.error)")
    let rows = table.output.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    #expect(rows.first?.last == "track")
    #expect(rows.count > 2 && rows.dropFirst().allSatisfy { $0.last.map { !$0.isEmpty } ?? false })
    #expect(rows.allSatisfy { $0.count == rows[0].count })
  }

  /// Arguments, and words of the message.
  private static let wrong: [([String], String)] = [
    (["one.png", "--out", "out"], "give a film"), (["scan", "--resume", "--out", "out"], "--resume"),
    (["scan", "--shard", "1/2", "--out", "out"], "--shard"),
    (["scan", "--keep", "records", "--out", "out"], "--keep"),
  ]

  @Test(arguments: wrong.indices) func whatIsWrongIsTold(index: Int) throws {
    let place = try TemporaryDirectory()
    try place.write(SyntheticCapture.encoded(), to: "one.png")
    try SyntheticCapture.writeSequence(of: 2, to: place.file("scan"))
    let run = try Self.run(place, Self.wrong[index].0)
    #expect(run.status == 64 && run.error.contains(Self.wrong[index].1), "\(run.error)")
  }
}
