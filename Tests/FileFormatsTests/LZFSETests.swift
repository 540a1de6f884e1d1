import Archives
import FileFormats
import TestSupport
import Testing

/// Streams that Apple's library wrote (`make-lzfse-goldens.py`), and damaged ones.
@Suite struct LZFSETests {
  private static let folder = SharedData.packageRoot + "/Tests/FileFormatsTests/Goldens"
  static let names = ["stored", "lzvn", "depth", "plain", "blocks", "joined"]

  private static func stream(_ name: String) throws -> [UInt8] {
    try FileBytes.contents(of: "\(folder)/\(name).lzfse")
  }

  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    Array("bvx-".utf8) + ZipTests.u32(bytes.count) + bytes + Array("bvx$".utf8)
  }

  @Test(arguments: names)
  func givesWhatWasCompressed(name: String) throws {
    let record = try #require(try JSONValue.read(path: "\(Self.folder)/lzfse.json")[name])
    let count = try #require(record["bytes"]?.integer(in: 1...1 << 20))
    let stream = try Self.stream(name)
    #expect(String(decoding: stream.prefix(4), as: UTF8.self) == record["first"]?.string)
    let bytes = try LZFSE.decompress(stream, limit: count)
    #expect(bytes.count == count)
    #expect(Int(CRC32.checksum(of: FileBytes(bytes))) == record["crc32"]?.integer(in: 0...1 << 32))
    #expect(throws: LZFSEError.tooLarge(limit: count - 1)) { try LZFSE.decompress(stream, limit: count - 1) }
  }

  @Test(arguments: names)
  func cutAnywhere(name: String) throws {
    let stream = try Self.stream(name)
    for count in stride(from: 0, to: stream.count, by: 13) {
      #expect(throws: LZFSEError.self, "\(count)") {
        try LZFSE.decompress(Array(stream.prefix(count)), limit: 1 << 20)
      }
    }
  }

  @Test func anEmptyStreamIsItsEnd() throws {
    #expect(try LZFSE.decompress(Array("bvx$".utf8), limit: 0).isEmpty)
    #expect(throws: LZFSEError.truncated) { try LZFSE.decompress([], limit: 0) }
    #expect(try LZFSE.decompress(Self.stored([1, 2, 3]), limit: 3) == [1, 2, 3])
  }

  @Test func blocksOfUnknownKinds() {
    #expect(throws: LZFSEError.malformed("a block of an unknown kind")) {
      try LZFSE.decompress(Array("bvx3".utf8) + [0, 0, 0, 0], limit: 9)
    }
  }

  /// Each is a payload of LZVN that says it gives three bytes.
  @Test(
    arguments: [
      // A match without anything before it, one before the beginning, and one longer than the block.
      [0xf3], [0x48, 0x09, 0x61], [0xe1, 0x61, 0xf0, 0xff],
      // Literals over the block's end, an invalid opcode, and an end with bytes after it.
      [0xef, 0x61], [0x1e], [0xe3, 0x61, 0x61, 0x61, 0x06, 0, 0, 0, 0, 0, 0, 0, 0],
      // Fewer bytes than the block says.
      [0xe2, 0x61, 0x61, 0x06, 0, 0, 0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func damagedLZVN(payload: [UInt8]) {
    let block = Array("bvxn".utf8) + ZipTests.u32(3) + ZipTests.u32(payload.count) + payload
    let error = #expect(throws: LZFSEError.self) {
      try LZFSE.decompress(block + Array("bvx$".utf8), limit: 1 << 10)
    }
    guard case .malformed = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  /// Matches that overlap what they make, and one as far back as the last.
  @Test func matchesOfLZVN() throws {
    // Two literals, five bytes from two back; two bytes from as far; the end.
    let payload: [UInt8] = [0x90, 0x02, 0x61, 0x62, 0xf2, 0x06, 0, 0, 0, 0, 0, 0, 0]
    let block = Array("bvxn".utf8) + ZipTests.u32(9) + ZipTests.u32(payload.count) + payload
    let bytes = try LZFSE.decompress(block + Array("bvx$".utf8), limit: 9)
    #expect(String(decoding: bytes, as: UTF8.self) == "ababababa")
  }
}
