import FileFormats
import FoundationEssentials
import OutputFolders
import Synchronization
import TestSupport
import Testing

@Suite struct AtomicOutputTests {
  @Test func fileAppearsWholeAndOnlyOnce() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("a.txt")
    try AtomicFile.write("one", to: path, overwrite: false)
    #expect(try folder.read("a.txt") == Array("one".utf8))
    #expect(throws: FileError.alreadyExists(path: path)) {
      try AtomicFile.write("two", to: path, overwrite: false)
    }
    try AtomicFile.write("two", to: path, overwrite: true)
    #expect(try folder.read("a.txt") == Array("two".utf8))
    #expect(try folder.entries() == ["a.txt"])
  }

  @Test func abandonedWriterLeavesNothing() throws {
    let folder = try TemporaryDirectory()
    do {
      let writer = try AtomicFileWriter(path: folder.file("a"), overwrite: false)
      try writer.append([1, 2, 3])
      #expect(try folder.entries().count == 1)
      #expect(writer.count == 3)
    }
    #expect(try folder.entries() == [])
  }

  @Test func refusals() throws {
    let folder = try TemporaryDirectory()
    try folder.write("x", to: "file")
    #expect(throws: FileError.isDirectory(path: folder.path)) {
      try AtomicFile.write("x", to: folder.path, overwrite: true)
    }
    #expect(throws: FileError.missing(path: folder.file("none"))) {
      try AtomicFile.write("x", to: folder.file("none/a"), overwrite: true)
    }
    #expect(throws: FileError.notADirectory(path: folder.file("file"))) {
      try AtomicFile.write("x", to: folder.file("file/a"), overwrite: true)
    }
    #expect(throws: FileError.alreadyExists(path: folder.file("file"))) {
      try AtomicDirectory(path: folder.file("file"), force: false)
    }
    #expect(throws: FileError.notADirectory(path: folder.file("file"))) {
      try AtomicDirectory(path: folder.file("file"), force: true)
    }
    #expect(try folder.entries() == ["file"])
  }

  @Test func directoryAppearsWhole() throws {
    let folder = try TemporaryDirectory()
    let output = try AtomicDirectory(path: folder.file("out"), force: false)
    try output.write("1", to: "a.txt")
    try output.write("2", to: "masks/000.txt")
    #expect(try !folder.entries().contains("out"))
    try output.commit()
    #expect(try folder.entries() == ["out"])
    #expect(try folder.read("out/masks/000.txt") == Array("2".utf8))
  }

  /// An array's elements are written and recorded without a copy of them: as the file of all its bytes is.
  @Test func arraysAreWrittenAndRecordedAsTheirBytes() throws {
    let folder = try TemporaryDirectory()
    let arrays = [
      NPYArray(shape: [2, 3], floats: [1, 2, 3, 4, 5, .infinity]), NPYArray(shape: [0, 4], .int64([])),
      NPYArray(shape: [2], .bool([true, false])),
    ]
    let output = try AtomicDirectory(path: folder.file("out"), force: false)
    for (index, array) in arrays.enumerated() {
      try output.write(array, to: "arrays/\(index).npy")
      try output.write(array.encoded(), to: "bytes/\(index).npy")
    }
    try output.commit()
    guard case .files(let digests) = try #require(OutputRecord(of: folder.file("out"))) else {
      Issue.record("a record of files is written")
      return
    }
    for (index, array) in arrays.enumerated() {
      #expect(try folder.read("out/arrays/\(index).npy") == array.encoded())
      let digest = try #require(digests["arrays/\(index).npy"])
      #expect(digest == digests["bytes/\(index).npy"])
    }
  }

  @Test func discardedDirectoryLeavesNothing() throws {
    let folder = try TemporaryDirectory()
    do {
      let output = try AtomicDirectory(path: folder.file("out"), force: false)
      try output.write("1", to: "deep/er/a.txt")
    }
    #expect(try folder.entries() == [])
  }

  @Test func forceReplacesTheWholeDirectory() throws {
    let folder = try TemporaryDirectory()
    let first = try AtomicDirectory(path: folder.file("out"), force: false)
    try first.write("1", to: "old.txt")
    try first.commit()
    #expect(throws: FileError.alreadyExists(path: folder.file("out"))) {
      try AtomicDirectory(path: folder.file("out"), force: false)
    }
    let second = try AtomicDirectory(path: folder.file("out"), force: true)
    try second.write("2", to: "new.txt")
    try second.commit()
    #expect(try folder.entries() == ["out"])
    #expect(try folder.read("out/new.txt") == Array("2".utf8))
    #expect(throws: (any Error).self) { try folder.read("out/old.txt") }
  }

  /// Whoever looks, at any moment, finds one whole folder: the old one or the new one.
  @Test func aFolderIsReplacedInOneStep() async throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("out")
    let first = try AtomicDirectory(path: path, force: false)
    try first.write("0", to: "number.txt")
    try first.commit()
    let isDone = Atomic(false)
    let writer = Task {
      for number in 1...200 {
        let next = try AtomicDirectory(path: path, force: true)
        try next.write("\(number)", to: "number.txt")
        try next.commit()
      }
      isDone.store(true, ordering: .releasing)
    }
    var last = 0
    while !isDone.load(ordering: .acquiring) {
      // A folder may be replaced between opening it and opening the file: then the old one is being removed.
      guard FileManager.default.fileExists(atPath: path) else {
        Issue.record("for a moment nothing had the name")
        break
      }
      if let number = (try? folder.read("out/number.txt")).flatMap({
        Int(String(decoding: $0, as: UTF8.self))
      }) {
        #expect(number >= last)
        last = number
      }
    }
    try await writer.value
    #expect(try folder.entries() == ["out"])
  }

  @Test func anExistingFolderIsNotReplacedWithoutForce() throws {
    let folder = try TemporaryDirectory()
    let first = try AtomicDirectory(path: folder.file("out"), force: false)
    let second = try AtomicDirectory(path: folder.file("out"), force: false)
    try first.write("1", to: "a")
    try first.commit()
    #expect(throws: FileError.alreadyExists(path: folder.file("out"))) { try second.commit() }
    second.discard()
    #expect(try folder.entries() == ["out"])
  }

  /// In a process of its own, as the clean-up is the whole process's.
  @Test func interruptedRunsLeaveNothing() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryDirectory()
      let writer = try AtomicFileWriter(path: folder.file("a"), overwrite: false)
      try writer.append([1, 2, 3])
      let directory = try AtomicDirectory(path: folder.file("d"), force: false)
      try directory.write("x", to: "sub/y")
      try #require(folder.entries().count == 2)
      AtomicOutputs.removeTemporaries()
      try #require(folder.entries().isEmpty)
      withExtendedLifetime((writer, directory)) {}
    }
  }

  @Test func filesInsideAnOutputAreWrittenOnce() throws {
    let folder = try TemporaryDirectory()
    let output = try AtomicDirectory(path: folder.file("out"), force: false)
    try output.write("1", to: "a.txt")
    #expect(throws: FileError.alreadyExists(path: folder.file("out/a.txt"))) {
      try output.write("2", to: "a.txt")
    }
    #expect(throws: FileError.notADirectory(path: output.path("a.txt"))) {
      try output.write("2", to: "a.txt/b.txt")
    }
  }

  @Test func mappedFileNamesWhatItRefuses() throws {
    let folder = try TemporaryDirectory()
    try folder.write("", to: "empty")
    try folder.write("abc", to: "abc")
    #expect(throws: FileError.empty(path: folder.file("empty"))) {
      try MappedFile(path: folder.file("empty"))
    }
    #expect(throws: FileError.missing(path: folder.file("no"))) { try MappedFile(path: folder.file("no")) }
    #expect(throws: FileError.isDirectory(path: folder.path)) { try MappedFile(path: folder.path) }
    #expect(throws: FileError.notARegularFile(path: "/dev/null")) { try MappedFile(path: "/dev/null") }
    #expect(throws: FileError.notADirectory(path: folder.file("abc/d"))) {
      try MappedFile(path: folder.file("abc/d"))
    }
    let file = try MappedFile(path: folder.file("abc"))
    #expect(file.withBytes { ($0.count, $0[2]) } == (3, UInt8(ascii: "c")))
    #expect(FileBytes(file).slice(1..<3).array() == Array("bc".utf8))
  }
}
