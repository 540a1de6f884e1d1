import FileFormats
import Sharding
import TestSupport
import Testing

/// The refusals of folders of runs and jobs, made before any work.
@Suite struct JobFolderTests {
  private static func parts(_ path: String, resume: Bool) throws -> PartFolder {
    try PartFolder(path, shard: .whole, stage: nil, resume: resume, keepsFiles: false)
  }

  private static func run(_ path: String, resume: Bool, isSingle: Bool = false) throws -> RunFolder {
    try RunFolder(
      path, force: false, resume: resume, shard: .whole, frames: [], isSingle: isSingle, inputs: [],
      picture: "results.jpg")
  }

  @Test func aPartIsContinuedOnRequestAlone() throws {
    let place = try TemporaryDirectory()
    let path = place.file("job")
    let opened = try Self.parts(path, resume: false).open()
    #expect(opened.part.count == 0 && opened.notes.isEmpty)
    let taken = JobFolderError.partExists(path: "\(path)/part-00001-of-00001.jsonl")
    #expect(throws: taken) { try Self.parts(path, resume: false) }
    #expect(taken.fault == .cannotCreate)
    #expect(try Self.parts(path, resume: true).open().part.count == 0)
  }

  @Test func aFolderOfOtherFilesIsNoJobs() throws {
    let place = try TemporaryDirectory()
    try place.write("of another program", to: "notes.txt")
    let path = place.path
    #expect(throws: JobFolderError.foreign(folder: path)) { try Self.parts(path, resume: true) }
  }

  @Test func aRunIsContinuedOnRequestAloneAndAsWhatItWas() throws {
    let place = try TemporaryDirectory()
    let path = place.file("out")
    try Self.run(path, resume: false).begin()
    #expect(throws: JobFolderError.resultsExist(path: path)) { try Self.run(path, resume: false) }
    #expect(throws: JobFolderError.holdsOtherResults(folder: path, ofSeveral: true)) {
      try Self.run(path, resume: true, isSingle: true)
    }
    _ = try Self.run(path, resume: true)
  }
}
