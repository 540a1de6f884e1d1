import FileFormats
import Foundation
import Sharding
import TestSupport
import Testing

@Suite struct PartFileTests {
  private static let name = "part-00001-of-00001.jsonl"

  @Test func aRecordIsReadAsItWasWritten() throws {
    let record = Records.record(
      3, frame: 2, frames: 5, failure: PartRecord.Failure(kind: "malformed", reason: "a \"b\"\n"))
    let line = record.line
    #expect(String(decoding: line, as: UTF8.self).hasPrefix("{\"at\":\"000000003.0000002\",\"digest\":"))
    #expect(line.last == UInt8(ascii: "\n"))
    #expect(line.count { $0 == UInt8(ascii: "\n") } == 1)
    let read = try #require(PartRecord(line: line.dropLast()))
    #expect(read.line == line)
    #expect(read.failure == record.failure)
    #expect(read.frames == 5)
    #expect(read.mark == record.mark)
  }

  @Test func aMarkTellsInputsOptionsAndNamesApart() {
    let marks = [("a", "1"), ("a", "2"), ("b", "1")].map { PartRecord.mark(id: $0.0, digest: $0.1) }
    #expect(Set(marks).count == 3)
  }

  /// Whatever a killed process leaves of its last record: every prefix of it.
  @Test func aTornLastLineIsCutAndTheRecordDoneAgain() throws {
    let place = try TemporaryDirectory()
    let path = place.file(Self.name)
    let whole = Records.text([Records.record(0), Records.record(1)])
    let last = Records.record(2)
    for length in 0..<last.line.count {
      try Records.write(whole + String(decoding: last.line.prefix(length), as: UTF8.self), to: path)
      let part = try PartFile(path: path)
      #expect(part.damage.torn == length)
      #expect(part.count == 2)
      #expect(part.holds(FramePosition(capture: 1, frame: 0), mark: Records.record(1).mark))
      #expect(!part.holds(FramePosition(capture: 2, frame: 0), mark: last.mark))
      try part.append(last)
      #expect(try Records.read(path) == whole + Records.text([last]))
    }
  }

  /// Power that failed leaves zeros; two writers on a file system without order leave anything.
  @Test func linesThatAreNoRecordsArePassedOver() throws {
    let place = try TemporaryDirectory()
    let path = place.file(Self.name)
    let (first, second) = (Records.text([Records.record(0)]), Records.text([Records.record(1)]))
    try Records.write(first + String(first.dropLast(9)) + second + "{}\n\n" + second + "\0\0\0\0", to: path)
    let part = try PartFile(path: path)
    #expect(part.count == 2)
    #expect(part.damage.lines == 3)
    #expect(part.damage.torn == 4)
  }

  @Test func theNewestRecordOfAPositionCounts() throws {
    let place = try TemporaryDirectory()
    let bad = Records.record(0, failure: PartRecord.Failure(kind: "missing", reason: "gone"))
    do {
      let part = try PartFile(path: place.file(Self.name))
      try part.append(bad)
      #expect(part.failureKind(at: bad.position) == "missing")
      try part.append(Records.record(0, digest: "e"))
    }
    let part = try PartFile(path: place.file(Self.name))
    #expect(part.count == 1)
    #expect(part.failureKind(at: bad.position) == nil)
    #expect(part.holds(bad.position, mark: Records.record(0, digest: "e").mark))
    #expect(!part.holds(bad.position, mark: bad.mark))
  }

  /// Without locks: of two processes with one shard, that which was first stops.
  @Test func aSecondWriterIsNoticed() throws {
    let place = try TemporaryDirectory()
    let first = try PartFile(path: place.file(Self.name))
    try first.append(Records.record(0))
    let second = try PartFile(path: place.file(Self.name))
    try second.append(Records.record(1))
    #expect(throws: PartError.otherWriter(path: place.file(Self.name))) {
      try first.append(Records.record(2))
    }
    try second.append(Records.record(2))
    #expect(try PartFile(path: place.file(Self.name)).count == 3)
  }

  @Test func aPartIsPublishedOnceAndWhole() throws {
    let place = try TemporaryDirectory()
    let (staged, out) = (place.file(Self.name), place.file("out"))
    try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
    let text = Records.text([Records.record(0), Records.record(1)])
    try Records.write(text, to: staged)
    let name = try StagedPart.publish(staged, of: .whole, to: out)
    #expect(name.digest?.count == 16)
    #expect(try Records.read("\(out)/\(name)") == text)
    #expect(try StagedPart.publish(staged, of: .whole, to: out) == name)

    // A copy that was cut short is noticed by whoever reads it, and made anew.
    try Records.write(String(text.dropLast(3)), to: "\(out)/\(name)")
    #expect(throws: TornObject(path: "\(out)/\(name)")) { try MergedParts(of: out) }
    #expect(throws: TornObject(path: "\(out)/\(name)")) { try JobStatus(of: out) }
    #expect(try StagedPart.publish(staged, of: .whole, to: out) == name)
    #expect(try Records.read("\(out)/\(name)") == text)

    // The next process continues from it.
    let next = try PartFile(path: place.file("part-00001-of-00002.jsonl"))
    try StagedPart.gather([name], from: out, into: next)
    #expect(next.count == 2)
  }

  @Test func theBudgetIsANumberOrAShare() throws {
    var three = try #require(ErrorBudget("3"))
    for _ in 0..<3 { three.add(isFailure: true) }
    #expect(!three.isSpent && !three.isExceeded)
    three.add(isFailure: true)
    #expect(three.isSpent && three.isExceeded)

    // The first of two frames may be bad: a share is judged from the hundredth on, and in the end.
    var share = try #require(ErrorBudget("10%"))
    share.add(isFailure: true)
    share.add(isFailure: false)
    #expect(!share.isSpent && share.isExceeded)
    for _ in 0..<18 { share.add(isFailure: false) }
    #expect(!share.isExceeded)
    for _ in 0..<80 { share.add(isFailure: true) }
    #expect(share.isSpent)
    #expect(try #require(ErrorBudget("0")).isExceeded == false)
    for text in ["", "-1", "x", "101%", "%", "1.5"] { #expect(ErrorBudget(text) == nil, "\(text)") }
  }
}
