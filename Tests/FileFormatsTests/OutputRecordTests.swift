import Digests
import FileFormats
import Foundation
import OutputFolders
import TestSupport
import Testing

/// Nothing is replaced but what `ardf` wrote, and what it wrote is known to be as it was.
@Suite struct OutputRecordTests {
  private func write(_ files: [String: String], to path: String, force: Bool = false) throws {
    let output = try AtomicDirectory(path: path, force: force)
    for (name, text) in files { try output.write(text, to: name) }
    try output.commit()
  }

  @Test func whatOthersWroteIsNotReplaced() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("theirs")
    try folder.write("precious", to: "theirs/thesis.txt")
    #expect(throws: FileError.foreign(path: path, entry: nil)) {
      try AtomicDirectory(path: path, force: true)
    }
    #expect(try folder.read("theirs/thesis.txt") == Array("precious".utf8))

    let ours = folder.file("ours")
    try write(["a.txt": "1", "masks/000.txt": "2"], to: ours)
    try OutputRecord.checkReplaceable(ours)
    try folder.write("precious", to: "ours/masks/notes.txt")
    #expect(throws: FileError.foreign(path: ours, entry: "masks/notes.txt")) {
      try AtomicDirectory(path: ours, force: true)
    }
    try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: path)
    #expect(throws: FileError.notADirectory(path: folder.file("link"))) {
      try AtomicDirectory(path: folder.file("link"), force: true)
    }
  }

  /// Files that people have corrected by hand are theirs.
  @Test func whatWasChangedIsNotReplaced() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("out")
    try write(["a.json": "1", "masks/000.txt": "2"], to: path)
    try folder.write("3", to: "out/masks/000.txt")
    let edited = FileError.edited(path: path, entry: "masks/000.txt")
    #expect(throws: edited) { try AtomicDirectory(path: path, force: true) }
    #expect("\(edited)".contains("changed since ardf wrote it") && edited.faultOfOutput == .cannotCreate)
    try AtomicDirectory(path: path, force: true, mendsChanges: true).commit()

    // In the meantime, and in a folder of folders.
    let all = folder.file("all")
    let outer = try AtomicDirectory(path: all, force: false, foldersBeside: [])
    try write(["a.json": "1", "b.json": "2"], to: "\(outer.temporaryPath)/00000")
    try outer.commit()
    let next = try AtomicDirectory(path: all, force: true, foldersBeside: [])
    try folder.write("2", to: "all/00000/a.json")
    #expect(throws: FileError.edited(path: all, entry: "00000/a.json")) { try next.commit() }
    next.discard()
    #expect(try folder.read("all/00000/a.json") == Array("2".utf8))
    // What is gone keeps nothing from being replaced.
    try FileManager.default.removeItem(atPath: folder.file("all/00000/a.json"))
    try OutputRecord.checkReplaceable(all)
  }

  @Test func anEmptyFolderMayBeTaken() throws {
    let folder = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: folder.file("out"), withIntermediateDirectories: false)
    try write(["a.txt": "1"], to: folder.file("out"), force: true)
    #expect(try folder.read("out/a.txt") == Array("1".utf8))
  }

  /// Something of others that comes while the new folder is being built.
  @Test func whatComesInTheMeantimeStays() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("out")
    try write(["a.txt": "old"], to: path)
    let next = try AtomicDirectory(path: path, force: true)
    try next.write("new", to: "a.txt")
    try folder.write("precious", to: "out/notes.txt")
    #expect(throws: FileError.foreign(path: path, entry: "notes.txt")) { try next.commit() }
    next.discard()
    #expect(try folder.read("out/a.txt") == Array("old".utf8))
    #expect(try folder.read("out/notes.txt") == Array("precious".utf8))
    #expect(try folder.entries() == ["out"])
  }

  @Test func foldersOfFoldersAreKnownByTheirParts() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("all")
    let all = try AtomicDirectory(path: path, force: false, foldersBeside: ["results*.jsonl"])
    try write(["a.txt": "1"], to: "\(all.temporaryPath)/00000")
    try AtomicFile.write("{}", to: "\(all.temporaryPath)/results.jsonl", overwrite: false)
    try all.commit()
    #expect(OutputRecord(of: path) == .folders(beside: ["results*.jsonl"]))
    try OutputRecord.checkReplaceable(path)
    try folder.write("{}", to: "all/results-1-of-2.jsonl")
    try OutputRecord.checkReplaceable(path)
    for (entry, named) in [("notes.txt", "notes.txt"), ("00000/b.txt", "00000/b.txt"), ("mine/x", "mine")] {
      try folder.write("precious", to: "all/\(entry)")
      #expect(throws: FileError.foreign(path: path, entry: named)) { try OutputRecord.checkReplaceable(path) }
      try FileManager.default.removeItem(atPath: folder.file("all/\(named)"))
    }
    try OutputRecord.checkReplaceable(path)
  }

  @Test func changesAreSeen() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("out")
    let page = "<html>\n<script id=\"timing\">[1.5]</script>\n<p>same</p>\n"
    try write(["a.txt": "1", "masks/000.txt": "2", "report.html": page], to: path)
    let record = try #require(OutputRecord(of: path))
    #expect(record.firstChange(in: path) == nil)
    // How long the work took is no part of what is vouched for.
    try folder.write(page.replacing("1.5", with: "9.25"), to: "out/report.html")
    #expect(record.firstChange(in: path) == nil)
    try folder.write(page.replacing("same", with: "other"), to: "out/report.html")
    #expect(record.firstChange(in: path) == "report.html")
    try folder.write(page, to: "out/report.html")
    try folder.write("3", to: "out/masks/000.txt")
    #expect(record.firstChange(in: path) == "masks/000.txt")
    #expect(try record.replacing(["masks/000.txt"], in: path).firstChange(in: path) == nil)
    try FileManager.default.removeItem(atPath: folder.file("out/a.txt"))
    #expect(record.firstChange(in: path) == "a.txt")
  }

  /// Files that another program writes into the folder are in the record too.
  @Test func filesOfOtherProgramsAreRecorded() throws {
    let folder = try TemporaryDirectory()
    let output = try AtomicDirectory(path: folder.file("out"), force: false)
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: output.path("film.mp4")))
    try output.commit()
    #expect(OutputRecord(of: folder.file("out")) == .files(["film.mp4": sha256Hex([1, 2, 3])]))
  }

  @Test(arguments: [
    ("schema.json", "{\"schema\": \"ardf.simulation-trace/1\"}", true),
    ("other.json", "{\"schema\": \"theirs/1\"}", false), ("empty", "", true),
    ("thesis.txt", "ardf is fast", false),
    ("page.html", "<html><meta name=\"generator\" content=\"ardf\">", true),
    ("profile.csv", "layer,op\n1,2\n", true), ("theirs.csv", "layer,op,mine\n", false),
    // Scripts are people's own.
    ("script.json", "{\"schema\": \"ardf.simulation/1\"}", false),
  ])
  func singleFilesSayWhoseTheyAre(name: String, text: String, isOurs: Bool) throws {
    let folder = try TemporaryDirectory()
    let path = folder.file(name)
    try WrittenFile.checkReplaceable(path, force: false)
    try folder.write(text, to: name)
    #expect(throws: FileError.alreadyExists(path: path)) {
      try WrittenFile.checkReplaceable(path, force: false)
    }
    if isOurs {
      try WrittenFile.checkReplaceable(path, force: true, isOurs: { $0 == Array("layer,op".utf8) })
    } else {
      #expect(throws: FileError.foreign(path: path, entry: nil)) {
        try WrittenFile.checkReplaceable(path, force: true, isOurs: { $0 == Array("layer,op".utf8) })
      }
    }
  }

  @Test func devicesAndMissingFoldersAreToldBeforeAnyWork() throws {
    let folder = try TemporaryDirectory()
    #expect(throws: FileError.notARegularFile(path: "/dev/null")) {
      try WrittenFile.checkReplaceable("/dev/null", force: true)
    }
    #expect(throws: FileError.notARegularFile(path: "/dev/null")) {
      try AtomicFile.write("x", to: "/dev/null", overwrite: true)
    }
    #expect(throws: FileError.missing(path: folder.file("none"))) {
      try WrittenFile.checkReplaceable(folder.file("none/x"), force: true)
    }
  }
}

/// Folders of pictures and frames have names of their own.
@Suite struct ResultNameTests {
  @Test func ownNamesAndDotsAreNotHandedOut() {
    var names = ResultNames()
    let given = [
      "a", "index.json", "a", "index.json-2", ".hidden", "results.csv", "results.csv-2", "index.json",
    ]
    .enumerated().map { names.taking($1, position: "0000\($0)") }
    #expect(
      given == [
        "a", "index.json-2", "a-2", "index.json-2-2", "00004", "results.csv-2", "results.csv-2-2",
        "index.json-3",
      ])
    for name in ["Task1_ship.txt", "results-1-of-2.jsonl", "detections-2-of-2.json", ".ardf.json"] {
      #expect(ResultNames.isOwn(name), "\(name)")
    }
    for name in ["index", "results", "index.json-2", "Task1_ship", "detections.txt"] {
      #expect(!ResultNames.isOwn(name), "\(name)")
    }
  }
}

/// Outputs are distinguished from inputs by file identity, not by how their paths are spelled.
@Suite struct OutputConflictTests {
  @Test func outputsThatTouchInputsAreRefused() throws {
    let folder = try TemporaryDirectory()
    try folder.write("x", to: "scans/a/image.png")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link"), withDestinationPath: folder.file("scans/a"))
    let scans = folder.file("scans")
    func conflict(_ output: String, _ inputs: String...) -> OutputConflict? {
      do throws(OutputConflict) {
        try OutputConflict.check(output, against: inputs)
        return nil
      } catch {
        return error
      }
    }
    #expect(conflict(scans, scans) == .same(output: scans, input: scans))
    #expect(conflict("\(scans)/./a/..", scans) == .same(output: "\(scans)/./a/..", input: scans))
    #expect(conflict(folder.path, scans) == .holds(output: folder.path, input: scans))
    #expect(conflict("/", scans) == .holds(output: "/", input: scans))
    let image = "\(scans)/a/image.png"
    #expect(conflict(image, image) == .same(output: image, input: image))
    for inner in ["\(scans)/out", "\(scans)/new/er/out", folder.file("link/out")] {
      #expect(conflict(inner, scans) == .liesIn(output: inner, input: scans))
    }
    let link = folder.file("link")
    #expect(conflict(link, "\(scans)/a") == .same(output: link, input: "\(scans)/a"))
    #expect(conflict(scans, link) == .holds(output: scans, input: link))
    #expect(conflict(folder.file("out"), scans) == nil)
    #expect(conflict(folder.file("scans2"), scans) == nil)
    #expect(conflict(folder.file("out"), folder.file("none")) == nil)
  }
}

/// The folder of a killed process is removed, whatever its process number; that of a living one stays.
@Suite struct LeftoverTests {
  @Test func onlyWhatNobodyWritesIsRemoved() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("out")
    let alive = try AtomicDirectory(path: path, force: false)
    let writer = try AtomicFileWriter(path: folder.file("file"), overwrite: false)
    // What a kill leaves: no process has it locked. Process 1 is always there.
    for name in [
      ".out.1-1.partial/a", ".out.0123456789abcdef.partial/a", ".other.0123456789abcdef.partial/a",
    ] {
      try folder.write("half", to: name)
    }
    try folder.write("half", to: ".file.1-1.partial")
    try folder.write("theirs", to: ".out.backup.partial")
    AtomicOutputs.removeLeftovers(of: path)
    AtomicOutputs.removeLeftovers(of: folder.file("file"))
    var left = try folder.entries()
    #expect(left.count == 4)
    #expect(left.contains(".out.backup.partial"))
    #expect(left.contains(".other.0123456789abcdef.partial"))
    AtomicOutputs.removeLeftovers(in: folder.path)
    left = try folder.entries()
    #expect(left.count == 3)
    try alive.commit()
    try writer.commit()
    #expect(try folder.entries().sorted() == [".out.backup.partial", "file", "out"])
  }

  /// Between its making and its locking an entry looks like a leftover: whoever locks it first removes it.
  @Test func whatSomeoneElseIsAboutToRemoveIsNotUsed() throws {
    let folder = try TemporaryDirectory()
    var made: [String] = []
    var remover: Int32?
    let temporary = try AtomicOutputs.makeTemporary(for: folder.file("out")) { name throws(FileError) in
      made.append(name)
      try POSIX.makeDirectory(name)
      if remover == nil {
        let descriptor = try POSIX.openForLocking(name)
        POSIX.lock(descriptor)
        remover = descriptor
      }
      return try POSIX.openForLocking(name)
    }
    #expect(made.count == 2 && temporary.path == made.last)
    AtomicOutputs.removeLeftovers(in: folder.path)
    #expect(try folder.entries().contains { temporary.path.hasSuffix($0) })
    POSIX.closeDescriptor(temporary.descriptor)
    if let remover { POSIX.closeDescriptor(remover) }
  }

  @Test func whatIsBeingMadeStaysWhileLeftoversAreRemoved() throws {
    let folder = try TemporaryDirectory()
    let remover = Task { while !Task.isCancelled { AtomicOutputs.removeLeftovers(in: folder.path) } }
    defer { remover.cancel() }
    for number in 0..<300 {
      let output = try AtomicDirectory(path: folder.file("\(number)"), force: false)
      try output.write("whole", to: "file")
      #expect(FileManager.default.fileExists(atPath: output.path("file")))
    }
  }

  /// Where two folders cannot be exchanged, a process may die between moving the old one away and the new one in.
  @Test func aHalfDoneReplacementIsUndone() throws {
    let folder = try TemporaryDirectory()
    try folder.write("old", to: ".out.0123456789abcdef.partial.old/a")
    try folder.write("new", to: ".out.0123456789abcdef.partial/a")
    AtomicOutputs.removeLeftovers(of: folder.file("out"))
    #expect(try folder.read("out/a") == Array("old".utf8))
    #expect(try folder.entries() == ["out"])
    try folder.write("old", to: ".out.0123456789abcdef.partial.old/a")
    AtomicOutputs.removeLeftovers(of: folder.file("out"))
    #expect(try folder.entries() == ["out"])
  }
}
