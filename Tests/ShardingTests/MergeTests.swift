import FileFormats
import Foundation
import Sharding
import TestSupport
import Testing

@Suite struct MergeTests {
  private func merged(_ folder: String, settings: String? = nil) throws -> String {
    var bytes: [UInt8] = []
    try MergedParts(of: folder, settings: settings).write { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func part(_ number: Int, of count: Int, _ records: [PartRecord], in place: TemporaryDirectory)
    throws
  {
    let shard = try #require(Shard(number: number, of: count))
    try Records.write(Records.text(records), to: place.file("\(PartName(.part, of: shard))"))
  }

  @Test func partsInWhateverOrderAreTheWhole() throws {
    let place = try TemporaryDirectory()
    try part(1, of: 2, [4, 0, 2].map { Records.record($0) }, in: place)
    try part(2, of: 2, [3, 1].map { Records.record($0) }, in: place)
    #expect(try merged(place.path) == Records.text((0..<5).map { Records.record($0) }))
    #expect(try MergedParts(of: place.path).gaps(manifest: nil).isEmpty)
  }

  /// Sorting records as lines gives the order of frames, as docs/guides/scale.md says of `cat` and `sort`.
  @Test func lineOrderIsFrameOrder() throws {
    let records = [(0, 0), (0, 10), (2, 0), (10, 0), (100_000, 3)].map { Records.record($0.0, frame: $0.1) }
    let lines = records.map { String(decoding: $0.line, as: UTF8.self) }
    #expect(lines == lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
  }

  @Test func theLastRecordInAFileCounts() throws {
    let place = try TemporaryDirectory()
    let other = String(repeating: "b", count: 64)
    try part(
      1, of: 1,
      [
        Records.record(0), Records.record(1), Records.record(1, digest: "e", settings: other),
        Records.record(0, digest: "e", settings: other),
      ], in: place)
    #expect(
      try merged(place.path)
        == Records.text([0, 1].map { Records.record($0, digest: "e", settings: other) }))
    #expect(try merged(place.path, settings: "aaaa") == Records.text([0, 1].map { Records.record($0) }))
  }

  @Test func recordsOfTwoOptionsMakeNoWhole() throws {
    let place = try TemporaryDirectory()
    let other = String(repeating: "b", count: 64)
    try part(1, of: 1, [Records.record(0), Records.record(1, settings: other)], in: place)
    #expect(throws: MergeError.severalSettings(["aaaaaaaaaaaa", "bbbbbbbbbbbb"])) {
      try MergedParts(of: place.path)
    }
  }

  @Test("settings that no record has are refused, with those that there are")
  func settingsOfNoRecord() throws {
    let place = try TemporaryDirectory()
    let other = String(repeating: "b", count: 64)
    try part(1, of: 1, [Records.record(0), Records.record(1, settings: other)], in: place)
    #expect(throws: MergeError.otherSettings(chosen: "cc", ["aaaaaaaaaaaa", "bbbbbbbbbbbb"])) {
      try MergedParts(of: place.path, settings: "cc")
    }
    let empty = try TemporaryDirectory()
    try part(1, of: 1, [], in: empty)
    #expect(try MergedParts(of: empty.path, settings: "cc").count == 0)
  }

  @Test func filesThatAgreeAreOneAndOthersAreRefused() throws {
    let place = try TemporaryDirectory()
    try part(1, of: 1, [Records.record(0), Records.record(1)], in: place)
    try part(1, of: 2, [Records.record(0)], in: place)
    #expect(try merged(place.path) == Records.text([0, 1].map { Records.record($0) }))
    #expect(try MergedParts(of: place.path).gaps(manifest: nil).isEmpty)
    // What one process could not read, another could.
    try part(
      1, of: 1,
      [
        Records.record(0, failure: PartRecord.Failure(kind: "unreadable", reason: "stale")),
        Records.record(1),
      ],
      in: place)
    #expect(try merged(place.path) == Records.text([0, 1].map { Records.record($0) }))
    try part(1, of: 2, [Records.record(0, digest: "other")], in: place)
    #expect(throws: MergeError.self) { try MergedParts(of: place.path) }
  }

  @Test func whatIsMissingIsFound() throws {
    let place = try TemporaryDirectory()
    try part(
      1, of: 3, [Records.record(0), Records.record(3, frames: 2), Records.record(6)], in: place)
    try part(3, of: 3, [Records.record(2)], in: place)
    var gaps = try MergedParts(of: place.path).gaps(manifest: nil)
    #expect(gaps.shards.map(\.description) == ["2/3"])
    #expect(gaps.captures == 4)
    #expect(gaps.first == [1, 3, 4, 5])

    let list = (0..<8).map { $0 == 2 ? "renamed\n" : "photo \($0)\n" }.joined()
    try Records.write(list, to: place.file("list"))
    gaps = try MergedParts(of: place.path).gaps(manifest: try InputPipe(path: place.file("list")))
    #expect(gaps.captures == 5)
    #expect(gaps.renamed == 1)
    #expect(gaps.beyond == 0)
    try Records.write("photo 0\nphoto 1\nphoto 2\n", to: place.file("list"))
    gaps = try MergedParts(of: place.path).gaps(manifest: try InputPipe(path: place.file("list")))
    #expect(gaps.captures == 1)
    #expect(gaps.beyond == 2)
  }

  @Test func aFolderWithoutPartsSaysSo() throws {
    let place = try TemporaryDirectory()
    #expect(throws: MergeError.noParts(folder: place.path)) { try MergedParts(of: place.path) }
    #expect(throws: MergeError.noParts(folder: place.path)) { try JobStatus(of: place.path) }
  }

  @Test func statusCountsRecordsAndEvents() throws {
    let place = try TemporaryDirectory()
    let bad = PartRecord.Failure(kind: "malformed", reason: "bad")
    try part(1, of: 2, [Records.record(0), Records.record(2, failure: bad)], in: place)
    try part(2, of: 2, [], in: place)
    let log = try EventLog(path: place.file("events-00001-of-00002.jsonl"))
    let at: (Int) -> [String: JSONValue] = { ["at": .string("\(FramePosition(capture: $0, frame: 0))")] }
    log.write(.began, time: 0, ["captures": 3])
    log.write(.started, time: 1, at(0))
    log.write(.began, time: 2, ["captures": 3])
    log.write(.started, time: 3, at(0))
    log.write(.done, time: 5, at(0).merging(["seconds": 2.0, "id": "photo 0"]) { $1 })
    log.write(.failed, time: 7, at(2))
    var status = try JobStatus(of: place.path)
    #expect(status.done == 1 && status.failed == 1)
    #expect(status.kinds == ["malformed": 1])
    #expect(status.repeated == 1)
    #expect(status.rate == 0.5)
    #expect(status.slowest.map(\.id) == ["photo 0"])
    #expect(status.shards.map(\.attempts) == [2, 0])
    #expect(status.progress == nil)
    let second = try EventLog(path: place.file("events-00002-of-00002.jsonl"))
    second.write(.began, time: 8, ["captures": 0])
    second.write(.ended, time: 9, ["status": 0])
    status = try JobStatus(of: place.path)
    #expect(status.progress.map { [$0.done, $0.total] } == [2, 3])
    #expect(status.secondsLeft == 2)
    #expect(status.shards.map(\.status) == [nil, 0])
  }
}
