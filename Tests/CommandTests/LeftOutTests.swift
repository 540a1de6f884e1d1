import FileFormats
import Foundation
import Imaging
import TestSupport
import Testing

/// One rule for all commands that take several pictures: a bad one ends none of the others, is named and recorded, and
/// makes the exit code 65.
@Suite struct LeftOutTests {
  /// A folder with two sound pictures, one that was cut off, and what is no picture.
  private static func pictures() throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    let png = try SyntheticCapture.encoded()
    let jpeg = try ImageCodec.encodeJPEG(SyntheticCapture.picture(phase: 1))
    try place.write(png, to: "p/a.png")
    try place.write(Array(jpeg.prefix(jpeg.count / 2)), to: "p/b.jpg")
    try place.write(jpeg, to: "p/c.jpg")
    try place.write("....ftypheic", to: "p/phone.heic")
    try place.write("mine", to: "p/notes.txt")
    return place
  }

  private static let arguments: [[String]] = [
    ["detect"] + TinyNetwork.detectorOptions, ["depth"] + TinyNetwork.depthOptions,
    ["run"] + TinyNetwork.detectorOptions,
  ]

  @Test(arguments: arguments, [["p"], ["p/*.*g"], ["p/a.png", "p/b.jpg", "p/c.jpg", "p/gone.jpg"]])
  func theOthersAreDone(command: [String], sources: [String]) throws {
    let place = try Self.pictures()
    let run = try CommandRun(
      [command[0]] + sources + ["--out", "out"] + command.dropFirst(), in: place.path)
    #expect(run.status == 65, "\(run.error)")
    #expect(run.error.contains("b.jpg") && run.error.contains("the others are done"), "\(run.error)")
    if sources == ["p"] {
      #expect(run.error.contains("2 of") && run.error.contains("notes.txt"), "\(run.error)")
    }
    if sources.count > 1 { #expect(run.error.contains("gone.jpg"), "\(run.error)") }
    let file = command[0] == "depth" ? "relative.npy" : "detections.json"
    for name in ["a", "c"] {
      #expect(FileManager.default.fileExists(atPath: place.file("out/\(name)/\(file)")), "\(name)")
    }
    if command[0] != "run" {
      let index = try JSONValue.read(path: place.file("out/index.json"))
      #expect(index["frames"]?.array?.count == 2)
      let skipped = index["skipped"]?.array?.compactMap { $0["name"]?.string } ?? []
      #expect(skipped.contains { $0.hasSuffix("b.jpg") }, "\(skipped)")
    }
  }

  /// No object is in results twice because its picture was named twice.
  @Test(arguments: [
    ["p", "p"], ["p", "./p/"], ["p", "link"], ["p", "p/a.png"], ["p/c.png", "p"], ["p/a.png", "p/?.png"],
    ["p/a.png", "p/c.png", "link/a.png"],
  ])
  func whatIsGivenTwiceIsDoneOnce(sources: [String]) throws {
    let place = try TemporaryDirectory()
    for (phase, name) in ["a", "c"].enumerated() {
      try place.write(SyntheticCapture.encoded(phase: phase), to: "p/\(name).png")
    }
    try FileManager.default.createSymbolicLink(atPath: place.file("link"), withDestinationPath: "p")
    for command in Self.arguments {
      let run = try CommandRun(
        [command[0]] + sources + ["--out", command[0]] + command.dropFirst(), in: place.path)
      #expect(run.status == 0 && run.error.contains("it is done once"), "\(run.error)")
      let names = try folderNames(of: place.file(command[0])).filter {
        pathKind(place.file("\(command[0])/\($0)")) == .folder
      }
      #expect(names.count == 2, "\(command[0]) \(sources): \(names)")
    }
    let table = try CommandRun(
      ["detect"] + sources + ["--format", "csv", "--out", "-"] + TinyNetwork.detectorOptions, in: place.path)
    let once = try CommandRun(
      ["detect", "p/a.png", "p/c.png", "--format", "csv", "--out", "-"] + TinyNetwork.detectorOptions,
      in: place.path)
    let lines = once.output.split(separator: "\n").count
    #expect(lines > 1 && table.output.split(separator: "\n").count == lines)
  }

  @Test func linesTellOfBadPicturesAsThoseOfRunDo() throws {
    let place = try Self.pictures()
    let run = try CommandRun(
      ["detect", "p", "--out", "-"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(run.status == 65)
    let lines = try run.lines()
    #expect(lines.count == 4 && lines[1]["name"] == "b.jpg" && lines[1]["error"]?.string != nil)
    #expect(lines[0]["detections"] != nil && lines[1]["detections"] == nil)
  }

  @Test(arguments: arguments) func nothingIsMadeOfBadPicturesAlone(command: [String]) throws {
    let place = try TemporaryDirectory()
    try place.write(Array("rubbish".utf8), to: "p/a.jpg")
    try place.write(Array("rubbish".utf8), to: "p/b.jpg")
    let run = try CommandRun([command[0], "p", "--out", "out"] + command.dropFirst(), in: place.path)
    #expect(run.status == 65 && run.error.contains("nothing was done"), "\(run.error)")
    try place.write("mine", to: "q/notes.txt")
    let none = try CommandRun([command[0], "q", "--out", "out"] + command.dropFirst(), in: place.path)
    #expect(none.status == 65 || none.status == 66, "\(none.error)")
    #expect(!FileManager.default.fileExists(atPath: place.file("out/index.json")))
  }

  @Test func captureCheckDecodesWhatItSaysIsSound() throws {
    let place = try Self.pictures()
    let run = try CommandRun(["capture", "check", "p", "--json"], in: place.path)
    #expect(run.status == 65 && run.error.contains("b.jpg"), "\(run.error)")
    #expect(try run.json()["unreadable"]?.array?.count == 2)
    for name in ["b.jpg", "phone.heic"] {
      try FileManager.default.removeItem(atPath: place.file("p/\(name)"))
    }
    #expect(try CommandRun(["capture", "check", "p"], in: place.path).status == 0)
  }

  @Test func anEmptyListIsAnError() throws {
    let place = try TemporaryDirectory()
    try place.write("\n\r\n", to: "list")
    let run = try CommandRun(
      ["run", "--from", "list", "--out", "job", "--keep", "records"] + TinyNetwork.detectorOptions,
      in: place.path)
    #expect(run.status == 65 && run.error.contains("names no capture"), "\(run.error)")
  }

  @Test func aListIsNotWaitedFor() throws {
    let place = try TemporaryDirectory()
    let made = unsafe mkfifo(place.file("list"), 0o600)
    #expect(made == 0)
    let run = try CommandRun(
      ["run", "--from", "list", "--out", "job", "--keep", "records"] + TinyNetwork.detectorOptions,
      in: place.path)
    #expect(run.status == 65 && run.error.contains("not a regular file"), "\(run.error)")
    let merged = try CommandRun(["merge", ".", "--from", "list", "--out", "-"], in: place.path)
    #expect(merged.status != 0)
  }

  /// Pictures of a kind that is not read keep none from the others, and are named; a text is no picture.
  @Test func picturesOfOtherKindsAreNamed() throws {
    let place = try TemporaryDirectory()
    try place.write(SyntheticCapture.encoded(), to: "shots/a.png")
    try place.write(SyntheticCapture.encoded(phase: 1), to: "shots/b.png")
    try place.write("a note", to: "shots/notes.txt")
    let fine = try CommandRun(
      ["detect", "shots", "--out", "fine"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(fine.status == 0, "\(fine.error)")
    try place.write("8BPS", to: "shots/SCAN.PSD")
    try place.write("GIF8", to: "shots/old.gif")
    try place.write("<svg/>", to: "shots/logo.svg")
    for command in ["detect", "run"] {
      let run = try CommandRun(
        [command, "shots", "--out", command] + TinyNetwork.detectorOptions, in: place.path)
      #expect(run.status == 10, "\(run.error)")
      #expect(run.error.contains("3 pictures are of a kind that is not read"), "\(run.error)")
      for name in ["SCAN.PSD", "old.gif", "logo.svg"] {
        #expect(run.error.contains("shots/\(name)"), "\(run.error)")
      }
      #expect(!run.error.contains("shots/notes.txt"))
      for name in ["a", "b"] {
        #expect(
          FileManager.default.fileExists(atPath: place.file("\(command)/\(name)/detections.json")), "\(name)")
      }
    }
  }

  /// A folder of two pictures with what else people keep there.
  private static func shots() throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    for (phase, name) in ["a", "b"].enumerated() {
      try place.write(SyntheticCapture.encoded(phase: phase), to: "shots/\(name).png")
    }
    try place.write("a note", to: "shots/notes.txt")
    try place.write("{}", to: "shots/meta.json")
    try place.write("", to: "shots/labels/.keep")
    return place
  }

  /// A folder, a pattern for what lies in it, and what a shell makes of the pattern.
  private static func forms(of folder: String, in place: borrowing TemporaryDirectory) throws -> [[String]] {
    [[folder], ["\(folder)/*"], try folderNames(of: place.file(folder)).map { "\(folder)/\($0)" }]
  }

  @Test(arguments: arguments) func aPatternIsReadAsItsFolder(command: [String]) throws {
    let place = try Self.shots()
    for (number, sources) in try Self.forms(of: "shots", in: place).enumerated() {
      let run = try CommandRun(
        [command[0]] + sources + ["--out", "fine\(number)"] + command.dropFirst(), in: place.path)
      #expect(run.status == 0 && run.error.contains("notes.txt"), "\(sources): \(run.error)")
    }
    let unread = ["SCAN.PSD", "old.gif", "clip.mp4"]
    for name in unread { try place.write("x", to: "shots/\(name)") }
    for (number, sources) in try Self.forms(of: "shots", in: place).enumerated() {
      let run = try CommandRun(
        [command[0]] + sources + ["--out", "out\(number)"] + command.dropFirst(), in: place.path)
      #expect(run.status == 10, "\(sources): \(run.error)")
      #expect(run.error.contains("2 pictures are of a kind that is not read"), "\(run.error)")
      #expect(
        run.error.contains("1 film is left out") && run.error.contains("a film goes alone"), "\(run.error)")
      for name in unread { #expect(run.error.contains("shots/\(name)"), "\(name): \(run.error)") }
      for name in ["a", "b"] {
        let file = command[0] == "depth" ? "relative.npy" : "detections.json"
        #expect(fileExists(place.file("out\(number)/\(name)/\(file)")), "\(sources): \(name)")
      }
      guard command[0] != "run" else { continue }
      let index = try JSONValue.read(path: place.file("out\(number)/index.json"))
      let skipped = index["skipped"]?.array?.compactMap { $0["name"]?.string } ?? []
      for name in unread + ["notes.txt"] { #expect(skipped.contains { $0.hasSuffix(name) }, "\(skipped)") }
    }
  }

  /// The film of a live photograph is part of its picture.
  @Test func aLivePhotographIsOnePicture() throws {
    let place = try Self.shots()
    try place.write("x", to: "shots/a.mov")
    let live = try CommandRun(
      ["detect", "shots", "--out", "live"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(live.status == 0, "\(live.error)")
    try place.write("x", to: "shots/c.mov")
    let film = try CommandRun(
      ["detect", "shots", "--out", "film"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(film.status == 10 && film.error.contains("shots/c.mov"), "\(film.error)")
  }

  /// Depth and metadata are parts of a frame, and not pictures of their own.
  @Test func allFilesOfACaptureAreTheCapture() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("cap"))
    var summaries: [JSONValue] = []
    for (number, sources) in try Self.forms(of: "cap", in: place).enumerated() {
      let run = try CommandRun(
        ["run"] + sources + ["--json", "--out", "out\(number)"] + TinyNetwork.detectorOptions, in: place.path)
      #expect(run.status == 0, "\(sources): \(run.error)")
      summaries.append(try run.summary()["objects"] ?? .null)
    }
    #expect(summaries[0].array?.isEmpty == false && summaries.allSatisfy { $0 == summaries[0] })
  }

  /// Frames of their own and pictures that are all that a folder holds are done as they were named.
  @Test func framesAndPicturesStayApart() throws {
    let place = try TemporaryDirectory()
    for name in ["f0", "f1"] { try SyntheticCapture.write(to: place.file("all/\(name)")) }
    for (phase, name) in ["a", "b"].enumerated() {
      try place.write(SyntheticCapture.encoded(phase: phase), to: "all/\(name).png")
    }
    for (number, sources) in try Self.forms(of: "all", in: place).dropFirst().enumerated() {
      let run = try CommandRun(
        ["detect"] + sources + ["--out", "out\(number)"] + TinyNetwork.detectorOptions, in: place.path)
      #expect(run.status == 0, "\(sources): \(run.error)")
      for name in ["a", "b", "f0", "f1"] {
        #expect(fileExists(place.file("out\(number)/\(name)/detections.json")), "\(sources): \(name)")
      }
    }
  }

  @Test func whereNothingIsReadTheKindsAreNamed() throws {
    let place = try TemporaryDirectory()
    for name in ["l.svg", "x.dng", "y.DNG", "m.dcm"] { try place.write("x", to: "only/\(name)") }
    try place.write(SyntheticCapture.encoded(), to: "deep/2025/05/a.png")
    for command in [["detect"], ["run"], ["capture", "check"], ["replay"]] {
      let writes = command == ["capture", "check"] ? [] : ["--out", "out"] + TinyNetwork.detectorOptions
      let run = try CommandRun(command + ["only"] + writes, in: place.path)
      #expect(run.status == 65 && run.error.contains("2 .dng, 1 .dcm, 1 .svg"), "\(command): \(run.error)")
      #expect(run.error.contains("convert them to JPEG or PNG"), "\(command): \(run.error)")
      let deep = try CommandRun(command + ["deep"] + writes, in: place.path)
      #expect(deep.status == 65 && deep.error.contains("give deep/2025/05"), "\(command): \(deep.error)")
    }
    // Pictures lie in results too, and were not meant.
    try SyntheticCapture.writeSequence(of: 2, to: place.file("clip"))
    let made = try CommandRun(["run", "clip", "--out", "made"] + TinyNetwork.detectorOptions, in: place.path)
    try #require(made.status == 0, "\(made.error)")
    let ours = try CommandRun(["capture", "check", "made"], in: place.path)
    #expect(
      ours.status == 65 && ours.error.contains("It holds: results of ardf; give the capture"), "\(ours.error)"
    )
    let pattern = try CommandRun(
      ["detect", "only/*", "--out", "out"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(pattern.status == 65 && pattern.error.contains("2 .dng, 1 .dcm, 1 .svg"), "\(pattern.error)")
    #expect(!fileExists(place.file("out")))
  }
}
