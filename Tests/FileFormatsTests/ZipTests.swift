import Archives
import FileFormats
import TestSupport
import Testing

@Suite struct ZipTests {
  /// One stored member "a" of 4 bytes: local header at 0, data at 31, directory at 35, end at 82.
  static let single = ZipWriter.archive([(name: "a", bytes: [1, 2, 3, 4])])

  static func u16(_ value: Int) -> [UInt8] { [UInt8(value & 0xff), UInt8(value >> 8 & 0xff)] }
  static func u32(_ value: Int) -> [UInt8] { u16(value) + u16(value >> 16) }
  static func u64(_ value: Int) -> [UInt8] { u32(value) + u32(value >> 32) }

  /// The archive with some bytes replaced.
  static func patched(_ changes: [(at: Int, bytes: [UInt8])], of archive: [UInt8] = single) -> [UInt8] {
    changes.reduce(into: archive) { $0.replaceSubrange($1.at..<$1.at + $1.bytes.count, with: $1.bytes) }
  }

  /// An archive of one deflated member "a".
  static func deflated(_ data: [UInt8], crc: Int, size: Int) -> [UInt8] {
    let common = u16(20) + u16(0) + u16(8) + u32(0) + u32(crc) + u32(data.count) + u32(size) + u16(1) + u16(0)
    let local = u32(0x0403_4b50) + common + [0x61] + data
    let directory = u32(0x0201_4b50) + u16(20) + common + [UInt8](repeating: 0, count: 14) + [0x61]
    return local + directory + u32(0x0605_4b50) + u32(0) + u16(1) + u16(1) + u32(directory.count)
      + u32(local.count) + u16(0)
  }

  /// `single` with 64-bit sizes, as PyTorch writes archives: in an extra field, and in a record at the end.
  static func zip64(
    record: Int = 0x0606_4b50, at position: Int? = nil, count: Int = 1, extra: [UInt8]? = nil
  ) -> [UInt8] {
    let wide = extra ?? u16(1) + u16(24) + u64(4) + u64(4) + u64(0)
    var directory = Array(single[35..<82])
    directory.replaceSubrange(20..<28, with: [UInt8](repeating: 0xff, count: 8))
    directory.replaceSubrange(30..<32, with: u16(wide.count))
    directory.replaceSubrange(42..<46, with: [UInt8](repeating: 0xff, count: 4))
    directory += wide
    let end = 35 + directory.count
    var bytes = Array(single[0..<35]) + directory
    bytes += u32(record) + u64(44) + u16(45) + u16(45) + u32(0) + u32(0)
    bytes += u64(count) + u64(count) + u64(directory.count) + u64(35)
    bytes += u32(0x0706_4b50) + u32(0) + u64(position ?? end) + u32(1)
    return bytes + u32(0x0605_4b50) + u32(0) + u16(0xffff) + u16(0xffff) + u32(0xffff_ffff) + u32(0xffff_ffff)
      + u16(0)
  }

  @Test(arguments: [1, 2, 3, 4, 64])
  func alignedMembersStartAtMultiples(alignment: Int) throws {
    for length in 1...70 {
      let members = [
        (name: String(repeating: "n", count: length), bytes: [UInt8](repeating: 7, count: length)),
        (name: "b", bytes: [1]),
      ]
      let archive = try ZipArchive(FileBytes(ZipWriter.archive(members, alignment: alignment)))
      for (member, expected) in zip(archive.members, members) {
        #expect(member.dataRange.lowerBound % alignment == 0)
        #expect(try archive.contents(of: member).array() == expected.bytes)
      }
    }
  }

  @Test func storedMembersReadBack() throws {
    let members: [(name: String, bytes: [UInt8])] = [
      ("a/b.txt", Array("hello".utf8)), ("empty", []), ("é", [UInt8](repeating: 7, count: 1000)),
    ]
    let folder = try TemporaryDirectory()
    let archive = try ZipArchive(path: folder.write(ZipWriter.archive(members), to: "a.zip"))
    #expect(archive.members.map(\.name) == members.map(\.name))
    for (name, bytes) in members { #expect(try archive.contents(name).array() == bytes) }
    #expect(!archive.contains("b"))
    #expect(throws: ZipError.noSuchMember("b")) { try archive.contents("b") }
  }

  @Test func deflatedMembersInflate() throws {
    // "aaaaaaaaaa" in one block of fixed codes, as zlib writes it.
    let bytes = Self.deflated([0x4b, 0x4c, 0x84, 0x01, 0x00], crc: 0x4c11_cdf0, size: 10)
    #expect(try ZipArchive(FileBytes(bytes)).contents("a").array() == Array("aaaaaaaaaa".utf8))
  }

  @Test func wideSizesAreRead() throws {
    #expect(try ZipArchive(FileBytes(Self.zip64())).contents("a").array() == [1, 2, 3, 4])
  }

  @Test func commentsAreSkipped() throws {
    let bytes = Self.patched([(102, Self.u16(5))]) + Array("hello".utf8)
    #expect(try ZipArchive(FileBytes(bytes)).contents("a").array() == [1, 2, 3, 4])
  }

  @Test func arraysReadBack() throws {
    let arrays = ["x": NPYArray(shape: [2], floats: [1, 2]), "y": NPYArray(shape: [1, 1], .int64([-3]))]
    let folder = try TemporaryDirectory()
    try NPZArchive.write(arrays, path: folder.file("a.npz"), overwrite: false)
    let archive = try NPZArchive(path: folder.file("a.npz"))
    #expect(archive.names == ["x", "y"])
    for (name, array) in arrays { #expect(try archive.array(named: name) == array) }
    #expect(throws: NPYError.noSuchArray("z", available: ["x", "y"])) { try archive.array(named: "z") }
  }

  /// A damaged member shows that nothing was unpacked.
  @Test func packedArraysMustBeInProportion() throws {
    let array = NPYArray(shape: [3 << 22], floats: [Float](repeating: 0, count: 3 << 22)).encoded()
    let small = NPYArray(shape: [1000], .uint8([UInt8](repeating: 1, count: 1000))).encoded()
    let archive = try NPZArchive(
      bytes: PackedArchive.bytes(of: [("a.npy", array), ("b.npy", small)], damaged: ["a.npy"]))
    guard
      case .unpacksTooLarge("a", array.count, let limit)? = #expect(
        throws: NPYError.self, performing: { try archive.array(named: "a") })
    else {
      Issue.record("not refused by its size")
      return
    }
    #expect(limit > NPZArchive.smallBytes && limit < array.count)
    #expect(try archive.array(named: "b", atMost: 1000).count == 1000)
    #expect(throws: NPYError.unpacksTooLarge("a", bytes: array.count, limit: 10_012 + 8000)) {
      try archive.array(named: "a", atMost: 1000)
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let error: ZipError
    var testDescription: String { "\(error)" }

    init(_ error: ZipError, _ bytes: [UInt8]) {
      self.bytes = bytes
      self.error = error
    }
  }

  private static let misplaced = ZipError.malformedDirectory(
    "its declared place and size do not fit the file")

  static let cases: [Case] = [
    Case(.noDirectory, []), Case(.noDirectory, [UInt8](repeating: 0, count: 22)),
    Case(.noDirectory, single + [0]),
    Case(.noDirectory, patched([(102, u16(1))])),
    Case(.multipleDisks, patched([(86, u16(1))])),
    Case(.multipleDisks, patched([(90, u16(2))])),
    Case(misplaced, patched([(94, u32(46))])), Case(misplaced, patched([(98, u32(36))])),
    Case(misplaced, patched([(98, u32(0xffff_fff0))])),
    Case(misplaced, patched([(90, u16(2)), (92, u16(2))])),
    Case(.malformedDirectory("an entry lacks its signature"), patched([(35, [0])])),
    Case(.malformedDirectory("an entry reaches over its end"), patched([(63, u16(2))])),
    Case(.malformedDirectory("an entry reaches over its end"), patched([(65, u16(9))])),
    Case(.malformedDirectory("bytes after its last entry"), patched([(90, u16(0)), (92, u16(0))])),
    Case(.invalidName, patched([(30, [0xff]), (81, [0xff])])),
    Case(.encrypted("a"), patched([(43, u16(1))])),
    Case(.encrypted("a"), patched([(43, u16(0x40))])),
    Case(
      .unsupportedMethod(12, "a"),
      patched([(45, u16(12))])),
    Case(
      .malformedMember("a", "it is stored, but its two sizes differ"), patched([(59, u32(5))])),
    Case(
      .malformedMember("a", "its data lies outside the archive"), patched([(55, u32(5)), (59, u32(5))])),
    Case(
      .malformedMember("a", "its data lies outside the archive"),
      patched([(55, u32(0x7fff_ffff)), (59, u32(0x7fff_ffff))])),
    Case(.malformedMember("a", "its data lies outside the archive"), patched([(77, u32(34))])),
    Case(.malformedMember("a", "its data lies outside the archive"), patched([(28, u16(9))])),
    Case(.malformedMember("a", "its local header lacks the signature"), patched([(77, u32(1))])),
    Case(.malformedMember("a", "its local header has another name"), patched([(30, [0x62])])),
    Case(.malformedMember("a", "its local header has another method"), patched([(8, u16(8))])),
    Case(.malformedMember("a", "its zip64 sizes are missing"), patched([(55, u32(0xffff_ffff))])),
    Case(.malformedMember("a", "its zip64 sizes are missing"), zip64(extra: u16(1) + u16(8) + u64(4))),
    Case(.malformedMember("a", "its zip64 sizes are missing"), zip64(extra: u16(1) + u16(99) + u64(4))),
    Case(
      .tooLarge("a", bytes: 18446744073709551615), zip64(extra: wide(size: -1))),
    Case(.tooLarge("a", bytes: 4294967297), zip64(extra: wide(size: 1 << 32 + 1))),
    Case(.tooLarge("a", bytes: 10000), deflated([3, 0], crc: 0, size: 10000)),
    Case(.malformedDirectory("the zip64 record is not where its locator says"), zip64(record: 0)),
    Case(.malformedDirectory("the zip64 record is not where its locator says"), zip64(at: 1 << 40)),
    Case(.malformedDirectory("the zip64 record is not where its locator says"), zip64(at: -1)),
    Case(.tooManyMembers(count: 1099511627776, limit: 100000), zip64(count: 1 << 40)),
    Case(
      .duplicateName("a"),
      patched(
        [(30, [0x61]), (110, [0x61])],
        of: ZipWriter.archive([(name: "b", bytes: [1]), (name: "a", bytes: [2])]))),
    Case(.overlap("a", "a"), twoEntriesOneMember),
  ]

  private static func wide(size: Int) -> [UInt8] { u16(1) + u16(24) + u64(size) + u64(size) + u64(0) }

  /// Two directory entries for the one member, the trick of overlapping zip bombs.
  private static let twoEntriesOneMember: [UInt8] = {
    let entries = Array(single[0..<82]) + Array(single[35..<82])
    let counts: [UInt8] = u32(0x0605_4b50) + u32(0) + u16(2) + u16(2)
    let places: [UInt8] = u32(94) + u32(35) + u16(0)
    return entries + counts + places
  }()

  @Test(arguments: cases)
  func isRefused(file: Case) {
    #expect(throws: file.error) { try ZipArchive(FileBytes(file.bytes)) }
  }

  /// The sentence of each defect; other tests compare errors.
  static let wordings: [(ZipError, String)] = [
    (.noDirectory, "no zip directory at the end of the file: an incomplete download, or not a zip archive"),
    (
      .malformedDirectory("its declared place and size do not fit the file"),
      "malformed zip directory: its declared place and size do not fit the file"
    ),
    (.multipleDisks, "zip archive split over several files is not supported"),
    (.invalidName, "zip archive holds a name that is not UTF-8"),
    (.encrypted("a"), "zip member \"a\" is encrypted"),
    (
      .unsupportedMethod(12, "a"),
      "zip member \"a\" uses compression method 12; stored and deflate are supported"
    ),
    (
      .malformedMember("a", "it is stored, but its two sizes differ"),
      "malformed zip member \"a\": it is stored, but its two sizes differ"
    ),
    (
      .tooLarge("a", bytes: 18446744073709551615),
      "zip member \"a\" declares 18446744073709551615 bytes, over the limit"
    ),
    (
      .tooManyMembers(count: 1099511627776, limit: 100000),
      "zip archive of 1099511627776 members, over the limit of 100000"
    ),
    (.duplicateName("a"), "zip archive holds \"a\" twice"),
    (.overlap("a", "a"), "zip members \"a\" and \"a\" share bytes"),
    (.wrongChecksum("a"), "zip member \"a\" has a wrong checksum: the file is damaged"),
    (.damagedData("a"), "zip member \"a\" has damaged compressed data"),
    (.noSuchMember("a"), "zip archive has no member \"a\""),
  ]

  @Test(arguments: wordings)
  func wording(_ error: ZipError, _ sentence: String) {
    #expect("\(error)" == sentence)
  }

  @Test func damagedContentsAreRefused() throws {
    let changed = try ZipArchive(FileBytes(Self.patched([(31, [9])])))
    #expect(throws: ZipError.wrongChecksum("a")) { try changed.contents("a") }
    for data in [[0xff, 0xff], [0x4b, 0x4c, 0x84, 0x01], [0x4b, 0x4c, 0x84, 0x01, 0x00, 0x00], [3, 0]]
      as [[UInt8]]
    {
      let archive = try ZipArchive(FileBytes(Self.deflated(data, crc: 0x4c11_cdf0, size: 10)))
      #expect(throws: ZipError.damagedData("a"), "\(data)") { try archive.contents("a") }
    }
    let short = try ZipArchive(FileBytes(Self.deflated([0x4b, 0x4c, 0x84, 0x01, 0x00], crc: 0, size: 9)))
    #expect(throws: ZipError.damagedData("a")) { try short.contents("a") }
  }
}
