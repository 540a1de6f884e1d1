import FileFormats
import Foundation
import Sharding
import TestSupport
import Testing

@Suite struct ManifestTests {
  private func captures(_ text: String, shard: Shard = .whole) throws -> [Manifest.Capture] {
    let place = try TemporaryDirectory()
    try Records.write(text, to: place.file("list"))
    var manifest = Manifest(try InputPipe(path: place.file("list")), shard: shard)
    var captures: [Manifest.Capture] = []
    while let capture = try manifest.next() { captures.append(capture) }
    #expect(try Manifest.count(place.file("list"), shard: shard) == captures.count)
    return captures
  }

  @Test func aLineIsAPathOrAnObject() throws {
    let text = """
      \u{FEFF}scans/a photo.jpg\r

      {"path": "b.jpg", "id": "second", "label": 7}
      {"path": "c.png", "depth": "c.npy", "confidence": "d.npy", "intrinsics": [1.5, 2, 3, 4]}
      {"path": "d.png", "depth": "d.npy", "intrinsics": "camera.json"}
      last
      """
    let captures = try captures(text)
    #expect(captures.map(\.number) == [0, 1, 2, 3, 4])
    #expect(
      try captures.map { try $0.entry.get() } == [
        ManifestEntry(path: "scans/a photo.jpg"), ManifestEntry(id: "second", path: "b.jpg"),
        ManifestEntry(path: "c.png", depth: "c.npy", confidence: "d.npy", intrinsics: "1.5,2.0,3.0,4.0"),
        ManifestEntry(path: "d.png", depth: "d.npy", intrinsics: "camera.json"), ManifestEntry(path: "last"),
      ])
  }

  @Test(arguments: [
    "{", "{}", "{\"path\": 3}", "{\"path\": \"\"}", "{\"path\": \"a\", \"id\": 1}",
    "{\"path\": \"a\", \"depth\": \"b\"}", "{\"path\": \"a\", \"confidence\": \"b\"}",
    "{\"path\": \"a\\u0000\"}",
  ])
  func aBadLineIsOneBadCapture(_ line: String) throws {
    let captures = try captures("a\n\(line)\nb\n")
    #expect(captures.count == 3)
    #expect(throws: ManifestDefect.self) { try captures[1].entry.get() }
    #expect(try captures[2].entry.get().path == "b")
  }

  @Test func shardsTakeTheirOwnLinesOnly() throws {
    let text = (0..<10).map { "photo\($0)\n\n" }.joined()
    let shares = try (1...3).map { number in
      try captures(text, shard: #require(Shard(number: number, of: 3))).map(\.number)
    }
    #expect(shares == [[0, 3, 6, 9], [1, 4, 7], [2, 5, 8]])
  }

  @Test("a capture that is given twice counts once, whatever the shard")
  func repeatedLinesCountOnce() throws {
    let text = """
      a.jpg
      b.jpg
      ./a.jpg
      {"path": "a.jpg"}
      {"path": "folder//./a.jpg", "id": "a"}
      {"id": "a", "path": "folder/a.jpg/", "label": 3}
      {"path": "c.png", "depth": "./c.npy", "intrinsics": [1, 2, 3, 4]}
      {"path": "c.png", "depth": "c.npy", "intrinsics": [1, 2, 3, 4]}
      d.jpg
      /d.jpg
      b.jpg
      """
    #expect(
      try captures(text).map { try $0.entry.get().path } == [
        "a.jpg", "b.jpg", "folder//./a.jpg", "c.png", "d.jpg", "/d.jpg",
      ])
    let shares = try (1...2).map { number in
      try captures(text, shard: #require(Shard(number: number, of: 2))).map {
        ($0.number, try $0.entry.get().path)
      }
    }
    #expect(shares[0].map(\.0) == [0, 2, 4] && shares[0].map(\.1) == ["a.jpg", "folder//./a.jpg", "d.jpg"])
    #expect(shares[1].map(\.0) == [1, 3, 5] && shares[1].map(\.1) == ["b.jpg", "c.png", "/d.jpg"])
    let place = try TemporaryDirectory()
    try Records.write(text, to: place.file("list"))
    var manifest = Manifest(try InputPipe(path: place.file("list")), shard: .whole)
    while try manifest.next() != nil {}
    #expect(manifest.count == 6 && manifest.repeats == 5 && manifest.firstRepeat == "./a.jpg")
  }

  @Test(
    "different captures never have one id",
    arguments: [
      ("{\"path\": \"a\", \"id\": \"x\"}", "{\"path\": \"b\", \"id\": \"x\"}", "x"),
      ("a", "{\"path\": \"b\", \"id\": \"a\"}", "a"),
      (
        "{\"path\": \"a\", \"intrinsics\": [1, 2, 3, 4]}", "{\"path\": \"a\", \"intrinsics\": [1, 2, 3, 5]}",
        "a"
      ),
      ("a", "{\"path\": \"a\", \"depth\": \"d\", \"intrinsics\": \"c\"}", "a"),
    ])
  func anIdIsOfOneCapture(_ first: String, _ second: String, _ id: String) throws {
    let captures = try captures("\(first)\n\(second)\nlast\n")
    #expect(captures.map(\.number) == [0, 1, 2])
    #expect(throws: ManifestDefect.idTaken(id)) { try captures[1].entry.get() }
    #expect("\(ManifestDefect.idTaken(id))".hasPrefix("\(id): another capture"))
  }

  @Test func onePictureUnderTwoIdsIsTwoCaptures() throws {
    let captures = try captures("{\"path\": \"a\", \"id\": \"x\"}\n{\"path\": \"a\", \"id\": \"y\"}\na\n")
    #expect(try captures.map { try $0.entry.get().id } == ["x", "y", "a"])
  }

  @Test func aLineWithoutEndIsRefused() throws {
    let place = try TemporaryDirectory()
    try Records.write("a\n" + String(repeating: "x", count: Manifest.longest + 1), to: place.file("list"))
    var manifest = Manifest(try InputPipe(path: place.file("list")), shard: .whole)
    _ = try manifest.next()
    #expect(
      throws: LineReader.Failure.tooLong(name: place.file("list"), line: 2, limit: Manifest.longest)
    ) { try manifest.next() }
  }

  @Test func aLineIsGivenBeforeTheNextIsWritten() throws {
    let ends = Pipe()
    let path = "/proc/self/fd/\(ends.fileHandleForReading.fileDescriptor)"
    var manifest = Manifest(try InputPipe(path: path), shard: .whole)
    let writer = ends.fileHandleForWriting
    for number in 0..<3 {
      try writer.write(contentsOf: Data("\(number).jpg\n".utf8))
      #expect(try manifest.next()?.entry.get().path == "\(number).jpg")
    }
    try writer.close()
    #expect(try manifest.next() == nil)
  }

  /// In a process of its own, as the peak is the whole process's.
  @Test func aMillionLinesAreNotHeld() async {
    await #expect(processExitsWith: .success) {
      /// The most memory that this process has had, in bytes.
      func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(separator: " ").compactMap { Int($0) }.first) << 10
      }
      let place = try TemporaryDirectory()
      let folder = String(repeating: "0123456789", count: 9)
      try Records.write((1_000_000..<2_000_000).map { "\(folder)/\($0)\n" }.joined(), to: place.file("list"))
      let before = try peak()
      var manifest = Manifest(
        try InputPipe(path: place.file("list")), shard: try #require(Shard(number: 1, of: 1000)))
      var count = 0
      while try manifest.next() != nil { count += 1 }
      try #require(count == 1000)
      // The list has 99 MB, which were in memory when it was written; of each line 20 bytes are kept, or twice that.
      try #require(peak() - before < 48 << 20)
    }
  }
}
