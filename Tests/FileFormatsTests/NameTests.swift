import Archives
import FileFormats
import Foundation
import TestSupport
import Testing

/// Names of files, tensors and keys are bytes.
@Suite struct NameTests {
  /// One word in two normal forms, which `String` takes for one.
  static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

  @Test func namesThatDifferInNormalFormAreTwo() throws {
    #expect(Self.composed == Self.decomposed)
    #expect(ByteName(Self.composed) != ByteName(Self.decomposed))
    #expect(NameSet([Self.composed, Self.decomposed]).count == 2)
    var table: NameTable<Int> = [:]
    table[Self.composed] = 1
    table[Self.decomposed] = 2
    #expect(table.count == 2 && table[Self.composed] == 1 && table[Self.decomposed] == 2)
    #expect(
      [Self.composed, Self.decomposed].sortedByBytes().map { Array($0.utf8) } == [
        Array(Self.decomposed.utf8), Array(Self.composed.utf8),
      ])
    #expect(table.keys.map { $0.utf8.count } == [6, 5])
  }

  @Test func keysOfJSONAreBytes() throws {
    let text = "{\"\(Self.composed)\": 1, \"\(Self.decomposed)\": 2}"
    let value = try JSONValue.parse(text)
    #expect(value.object?.count == 2)
    #expect(value[Self.composed]?.integer == 1 && value[Self.decomposed]?.integer == 2)
    #expect(try JSONValue.parse(value.serialized()) == value)
    #expect(JSONValue.string(Self.composed) != .string(Self.decomposed))
    #expect(throws: JSONError.self) { try JSONValue.parse("{\"a\": 1, \"\\u0061\": 2}") }
  }

  @Test func membersOfArchivesAreBytes() throws {
    let archive = try ZipArchive(
      FileBytes(ZipWriter.archive([(Self.composed, [1]), (Self.decomposed, [2])])))
    #expect(try archive.contents(Self.composed).array() == [1])
    #expect(try archive.contents(Self.decomposed).array() == [2])
  }

  @Test func listingsAreInTheOrderOfTheirBytes() throws {
    let place = try TemporaryDirectory()
    for name in [Self.composed, Self.decomposed, "a b", "A", "-x", "#", "%41", "a\nb", "\"'"] {
      try place.write([1], to: name)
    }
    let names = try folderNames(of: place.path)
    #expect(names.count == 9 && NameSet(names).count == 9)
    #expect(names.map { Array($0.utf8) } == names.sortedByBytes().map { Array($0.utf8) })
  }

  @Test func numbersInNamesCount() {
    let sorted = ["10.jpg", "2.jpg", "0.jpg", "02.jpg", "a10b2", "a9b11", "a10b1", "a", "11.jpg"]
      .sortedNaturally()
    #expect(sorted == ["0.jpg", "02.jpg", "2.jpg", "10.jpg", "11.jpg", "a", "a9b11", "a10b1", "a10b2"])
    let long = String(repeating: "9", count: 60)
    #expect(naturallyPrecedes("x\(long)", "x1\(long)") && !naturallyPrecedes("x1\(long)", "x\(long)"))
    #expect(!naturallyPrecedes("a", "a"))
  }

  @Test func stemsLackTheLastEndingAlone() {
    #expect(fileStem("p/a_jpg.rf.0a1b.jpg") == "a_jpg.rf.0a1b")
    #expect(fileStem(".hidden") == ".hidden" && fileStem("a/b.c/d") == "d" && fileStem("a/") == "a")
    #expect(fileStem("1305031102.175304", endings: pictureEndings) == "1305031102.175304")
    #expect(fileStem("1305031102.175304.PNG", endings: pictureEndings) == "1305031102.175304")
    #expect(fileStem(".png", endings: pictureEndings) == ".png")
    #expect(lastComponent("a/\u{301}b") == "\u{301}b")
    #expect(AtomicOutputs.split("a/\u{301}b").folder == "a")
  }

  @Test func picturesHaveIdsOfTheirOwn() {
    #expect(
      pictureId("000000000139.jpg") == 139 && pictureId("a.b.jpg") == "a.b" && pictureId("-5.png") == "-5")
    #expect(pictureIds(["1.jpg", "2.jpg"], paths: ["1.jpg", "2.jpg"]) == [1, 2])
    #expect(pictureIds(["a.jpg", "a.png"], paths: ["a.jpg", "a.png"]) == ["a.jpg", "a.png"])
    #expect(pictureIds(["1.jpg", "01.jpg"], paths: ["1.jpg", "01.jpg"]) == ["1.jpg", "01.jpg"])
    #expect(pictureIds(["a.jpg", "a.jpg"], paths: ["x/a.jpg", "y/a.jpg"]) == ["x/a.jpg", "y/a.jpg"])
    // One picture that is given twice is one picture.
    #expect(pictureIds(["a.jpg", "a.jpg"], paths: ["x/a.jpg", "x/a.jpg"]) == ["a", "a"])
  }

  @Test func pythonsNumbersAreReadWhereTheyAreAskedFor() throws {
    let value = try JSONValue.parse(
      Array("\u{FEFF}[NaN, Infinity, -Infinity, -1]".utf8), python: true)
    #expect(
      value[0]?.number?.isNaN == true && value[1]?.number == .infinity && value[2]?.number == -.infinity)
    #expect(value[3]?.integer == -1)
    for text in ["[NaN]", "[Infinity]", "[-Infinity]"] {
      #expect(throws: JSONError.self) { try JSONValue.parse(text) }
    }
    for text in ["[Nan]", "[-NaN]", "[Infinit]", "[infinity]"] {
      #expect(throws: JSONError.self) { try JSONValue.parse(Array(text.utf8), python: true) }
    }
  }

  @Test func pointersOfGitLFSAreTold() throws {
    let place = try TemporaryDirectory()
    let path = try place.write(
      "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 137419\n", to: "a.pt")
    #expect(throws: FileError.pointer(path: path)) { try FileBytes(path: path) }
    #expect(throws: FileError.pointer(path: path)) { try FileBytes.contents(of: path) }
  }
}
