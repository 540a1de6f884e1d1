import FileFormats
import Foundation
import OutputFolders
import TestSupport
import Testing

/// `ardf capture` with what lies outside a capture: the user's ffmpeg, a plain picture's depth and camera.
@Suite struct CaptureCommandTests {
  /// A stand-in for ffmpeg: two empty pictures where the last argument says.
  private static let script = #"""
    #!/bin/sh
    for last; do :; done
    [ -z "$NOTE" ] || printf '%s\n' "$@" > "$NOTE"
    last=${last#file:}
    printf x > "${last%\%06d.jpg}000000.jpg"
    printf x > "${last%\%06d.jpg}000001.jpg"
    exit ${STATUS:-0}
    """#

  private func place(withProgram: Bool = true) throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    for folder in ["bin", "scan"] {
      try FileManager.default.createDirectory(
        atPath: place.file(folder), withIntermediateDirectories: true)
    }
    try place.write("video", to: "scan/rgb.mp4")
    if withProgram {
      try place.writeProgram(Self.script, to: "bin/ffmpeg")
    }
    return place
  }

  @Test func framesComeWholeOrNotAtAll() throws {
    let place = try place()
    let path = ["PATH": place.file("bin")]
    let failed = try CommandRun(
      ["capture", "frames", place.file("scan")], environment: path.merging(["STATUS": "3"]) { $1 })
    #expect(failed.status == 65)
    #expect(failed.error.contains("status 3"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.file("scan")) == ["rgb.mp4"])

    let done = try CommandRun(["capture", "frames", place.file("scan")], environment: path)
    #expect(done.status == 0, "\(done.error)")
    #expect(done.error.contains("2 pictures"))
    let names = try FileManager.default.contentsOfDirectory(atPath: place.file("scan/rgb")).sorted()
    #expect(names == [OutputRecord.fileName, "000000.jpg", "000001.jpg"])
    #expect(try CommandRun(["capture", "frames", place.file("scan")], environment: path).status == 73)
  }

  /// A recording says nothing about what ffmpeg opens: not by a link, a name that looks like an address, or a playlist.
  @Test func onlyTheRecordingsOwnFilmIsOpened() throws {
    let place = try place()
    let environment = ["PATH": place.file("bin"), "NOTE": place.file("note")]
    try FileManager.default.moveItem(atPath: place.file("scan"), toPath: place.file("http:scan"))
    let done = try CommandRun(["capture", "frames", "http:scan"], in: place.path, environment: environment)
    #expect(done.status == 0, "\(done.error)")
    let arguments = String(decoding: try place.read("note"), as: UTF8.self).split(separator: "\n").map(
      String.init)
    let input = try #require(arguments.firstIndex(of: "-i"))
    #expect(arguments[input + 1].hasPrefix("file:/") && arguments[input + 1].hasSuffix("/http:scan/rgb.mp4"))
    #expect(arguments[..<input].suffix(4) == ["-protocol_whitelist", "file", "-f", "mov"])
    #expect(arguments.last?.hasPrefix("file:") == true)

    try FileManager.default.createDirectory(atPath: place.file("linked"), withIntermediateDirectories: false)
    try FileManager.default.removeItem(atPath: place.file("note"))
    try FileManager.default.createSymbolicLink(
      atPath: place.file("linked/rgb.mp4"), withDestinationPath: place.file("http:scan/rgb.mp4"))
    try FileManager.default.createDirectory(
      atPath: place.file("folder/rgb.mp4"), withIntermediateDirectories: true)
    for recording in ["linked", "folder"] {
      let run = try CommandRun(["capture", "frames", recording], in: place.path, environment: environment)
      #expect(run.status == 65, "\(run.error)")
      #expect(run.error.hasPrefix("ardf: \(recording): rgb.mp4"), "\(run.error)")
      #expect(!FileManager.default.fileExists(atPath: place.file("note")))
    }
  }

  @Test func saysWhatIsMissing() throws {
    let place = try place(withProgram: false)
    let path = ["PATH": place.file("bin")]
    let run = try CommandRun(["capture", "frames", place.file("scan")], environment: path)
    #expect(run.status == 66)
    #expect(run.error.contains("apt-get install ffmpeg"))
    let none = try CommandRun(["capture", "frames", place.file("bin")], environment: path)
    #expect(none.status == 66)
    #expect(none.error.contains("rgb.mp4"))
  }

  @Test func aPictureWithItsDepthConverts() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let picture = [
      place.file("capture/image.png"), "--depth-map", place.file("capture/depth.npy"), "--confidence-map",
      place.file("capture/confidence.npy"), "--intrinsics", "50,50,31.5,23.5,64,48",
    ]
    let check = try CommandRun(["capture", "check"] + picture + ["--json"])
    #expect(check.status == 0, "\(check.error)")
    #expect(try check.json()["layout"]?.string == "imageWithDepth")
    let convert = try CommandRun(["capture", "convert"] + picture + ["--out", place.file("native")])
    #expect(convert.status == 0, "\(convert.error)")
    let frame = try JSONValue.read(path: place.file("native/000000.json"))
    // Twice the stated size: 2 (31.5 + 0.5) - 0.5.
    #expect(frame["intrinsics"]?.array?.compactMap(\.number) == [100, 0, 0, 0, 100, 0, 63.5, 47.5, 1])
    #expect(try CommandRun(["capture", "check", place.file("native")]).status == 0)
  }
}
