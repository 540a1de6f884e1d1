import FileFormats
import Foundation
import Imaging
import OutputFolders
import TestSupport
import Testing

/// Files that commands write beside the folders of pictures keep their names, whatever pictures are called.
@Suite struct OwnNameTests {
  private static let commands: [[String]] = [
    ["detect"], ["detect", "--format", "csv"], ["depth"], ["run"], ["run", "--format", "csv"],
    ["run", "--shard", "1/2", "--format", "csv"], ["run", "--shard", "2/2"],
  ]

  /// Runs a command on a folder of pictures; the entries of its results, those that are files first.
  private func results(
    _ command: [String], of place: borrowing TemporaryDirectory
  ) throws -> (files: [String], folders: [String]) {
    let options =
      command[0] == "depth" ? TinyNetwork.depthOptions : TinyNetwork.detectorOptions
    let run = try CommandRun(
      [command[0], "p", "--out", "out"] + command.dropFirst() + options
        + (command[0] == "run" ? ["--depth", "none"] : []), in: place.path)
    #expect(run.status == 0, "\(command): \(run.error)")
    let names = try folderNames(of: place.file("out"))
    return (
      names.filter { pathKind(place.file("out/\($0)")) == .file },
      names.filter { pathKind(place.file("out/\($0)")) == .folder }
    )
  }

  @Test(arguments: commands) func everyFileBesideFoldersIsInTheList(command: [String]) throws {
    let place = try TemporaryDirectory()
    for name in ["a", "b"] { try place.write(try SyntheticCapture.encoded(), to: "p/\(name).png") }
    let (files, _) = try results(command, of: place)
    #expect(files.count > 1)
    for file in files { #expect(ResultNames.isOwn(file), "\(command): \(file)") }
  }

  @Test(arguments: commands) func picturesOfTheirNamesAreDone(command: [String]) throws {
    let place = try TemporaryDirectory()
    let names = [
      "index.json", "detections.json", "detections.csv", "results.jsonl", "results.csv", "index.html",
      "results-1-of-2.jsonl", "sequence-objects.json",
    ]
    for name in names { try place.write(try SyntheticCapture.encoded(), to: "p/\(name).png") }
    let (_, folders) = try results(command, of: place)
    let isPart = command.contains("--shard")
    #expect(folders.count == (isPart ? names.count / 2 : names.count), "\(command): \(folders)")
    #expect(folders.allSatisfy { $0.hasSuffix("-2") && !ResultNames.isOwn($0) }, "\(command): \(folders)")
  }
}
