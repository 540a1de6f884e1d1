import FileFormats
import Foundation
import TestSupport
import Testing

/// Files that change under a mapping.
@Suite struct MappedFileTests {
  private func mapped() throws -> (folder: TemporaryDirectory, path: String, file: MappedFile) {
    let folder = try TemporaryDirectory()
    let path = try folder.write([UInt8](repeating: 7, count: 10_000), to: "file")
    return (folder, path, try MappedFile(path: path))
  }

  @Test func aFileLeftAloneIsUnchanged() throws {
    let (folder, _, file) = try mapped()
    try file.checkUnchanged()
    try FileBytes(file).slice(3..<5).checkUnchanged()
    try FileBytes([1]).checkUnchanged()
    withExtendedLifetime(folder) {}
  }

  @Test func writingInPlaceIsNoticed() throws {
    let (folder, path, file) = try mapped()
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data([1]))
    try handle.close()
    #expect(throws: FileError.changed(path: path)) { try file.checkUnchanged() }
    #expect(throws: FileError.changed(path: path)) { try FileBytes(file).slice(0..<1).checkUnchanged() }
    withExtendedLifetime(folder) {}
  }

  @Test func replacingByRenamingIsHarmless() throws {
    let (folder, path, file) = try mapped()
    try AtomicFile.write([1, 2, 3], to: path, overwrite: true)
    try file.checkUnchanged()
    #expect(file.withBytes { $0[9999] } == 7)
    try FileManager.default.removeItem(atPath: path)
    try file.checkUnchanged()
    withExtendedLifetime(folder) {}
  }

  /// In a process of its own, which the fault ends.
  @Test func aFileCutShortEndsTheProcessWithAWord() async throws {
    let result = await #expect(processExitsWith: .exitCode(74), observing: [\.standardErrorContent]) {
      let folder = try TemporaryDirectory()
      let path = try folder.write([UInt8](repeating: 7, count: 10_000), to: "cut.bin")
      let other = try MappedFile(path: folder.write([1], to: "other.bin"))
      let file = try MappedFile(path: path)
      MappedFileFaults.install(status: 74)
      let handle = try #require(FileHandle(forWritingAtPath: path))
      // The process ends without its objects' ends.
      try FileManager.default.removeItem(atPath: folder.path)
      try handle.truncate(atOffset: 0)
      let byte = file.withBytes { $0[9000] }
      Issue.record("read \(byte) of a file that is empty, \(other.count)")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.hasPrefix("ardf: ") && text.contains("/cut.bin: cannot be read to its end: it was cut short"))
  }

  /// A fault that is no mapped file's ends the process as it always did.
  @Test func otherFaultsKeepTheirMeaning() async {
    await #expect(processExitsWith: .signal(SIGBUS)) {
      MappedFileFaults.install(status: 74)
      raise(SIGBUS)
      // Sent by hand it is not repeated by an instruction; the handler has stepped back.
      raise(SIGBUS)
    }
  }
}
