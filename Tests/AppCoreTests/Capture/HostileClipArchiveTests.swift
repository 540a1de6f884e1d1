import AppCore
import FileFormats
import TestSupport
import Testing

/// Archives of recorded clips that are small and promise much.
@Suite struct HostileClipArchiveTests {
  private static let message = Array(#"{"seq": 0, "offset": 0, "length": 100}"#.utf8)

  private func error(
    index: [UInt8], messages: [UInt8], name: String = "clip.zip", damaged: [String] = []
  ) throws -> CaptureError? {
    let folder = try TemporaryDirectory()
    let archive = PackedArchive.bytes(
      of: [("a/index.jsonl", index), ("a/messages.bin", messages)],
      damaged: Set(damaged.map { "a/\($0)" }))
    try folder.write(archive, to: name)
    return #expect(throws: CaptureError.self) { try CaptureReader.open(folder.file(name)) }
  }

  /// As for an index on disk; damaged members show that nothing was unpacked.
  @Test func indexesObeyTheirLimit() throws {
    let limit = CaptureLimits().indexBytes
    let index = [UInt8](repeating: UInt8(ascii: "\n"), count: limit + 1)
    #expect(
      try error(index: index, messages: [], damaged: ["index.jsonl"])
        == .fileTooLarge(file: "index.jsonl", bytes: limit + 1, limit: limit))
    let fixture = try CaptureFixture.empty()
    try fixture.writeRecordedClip([CaptureFixture.message()])
    try fixture.directory.write(index, to: "index.jsonl")
    #expect(throws: CaptureError.fileTooLarge(file: "index.jsonl", bytes: limit + 1, limit: limit)) {
      try CaptureReader.open(fixture.path)
    }
  }

  @Test func dataObeysTheSizeOfTheArchive() throws {
    let limits = CaptureLimits()
    let zeros = [UInt8](repeating: 0, count: limits.smallClipBytes * 2)
    guard
      case .fileTooLarge("messages.bin", zeros.count, let limit)? = try error(
        index: Self.message, messages: zeros, damaged: ["messages.bin"])
    else {
      Issue.record("not refused by its size")
      return
    }
    #expect(limit > limits.smallClipBytes && limit < limits.smallClipBytes * 3 / 2)
  }

  @Test func dataThatTheIndexDoesNotFitAreNotUnpacked() throws {
    #expect(
      try error(index: Self.message, messages: [1], damaged: ["messages.bin"])
        == .badMessage(file: "messages.bin", message: 0, reason: "ends beyond the file's 1 byte"))
  }

  /// A hundred thousand lines could name one message of a megabyte.
  @Test func messagesShareNoBytes() throws {
    let second = Array(#"{"seq": 1, "offset": 1, "length": 100}"#.utf8)
    #expect(
      try error(index: Self.message + [10] + second, messages: [UInt8](repeating: 0, count: 101))
        == .badMessage(file: "index.jsonl", message: 1, reason: "shares bytes with another"))
  }

  @Test func linesAreBounded() throws {
    let line = [UInt8](repeating: UInt8(ascii: "["), count: 5000)
    #expect(
      try error(index: Self.message + [13, 10, 32, 10] + line, messages: [UInt8](repeating: 0, count: 101))
        == .badLine(file: "index.jsonl", line: 2, expected: "one object of seq, offset and length"))
  }

  @Test func capitalsNameAnArchiveToo() throws {
    guard case .badMessage? = try error(index: Self.message, messages: [1], name: "CLIP.ZIP") else {
      Issue.record("not read as an archive")
      return
    }
  }
}
