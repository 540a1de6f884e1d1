import FileFormats
import Foundation
import OutputFolders
import TestSupport
import Testing

/// Signals leave whole results or none.
@Suite(.serialized) struct InterruptionTests {
  /// A run that was done before the signal came is tried again with twice as much to do.
  @Test(arguments: [SIGINT, SIGTERM])
  func signalLeavesNothing(signal: Int32) throws {
    var count = 200
    while true {
      let place = try TemporaryDirectory()
      count *= 2
      try SyntheticCapture.writeSequence(of: count, to: place.file("sequence"))
      let running = try RunningCommand(
        ["run", "sequence", "--out", "out"] + TinyNetwork.detectorOptions + TinyNetwork.depthOptions,
        in: place.path)
      try running.until("the first frames are there") { frames(in: place).count >= 3 }
      kill(running.process.processIdentifier, signal)
      let run = try running.finished()
      if run.status == 0 { continue }
      #expect(run.status == 128 + signal, "\(run.error)")
      let complete = frames(in: place)
      #expect((3..<count).contains(complete.count), "the command should have been at work")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: place.file("out")).sorted()
          == [OutputRecord.fileName] + complete.sorted(),
        "a frame is complete or absent")
      return
    }
  }

  /// A program that is silent, such as ffmpeg on a camera that has stalled, hears of the command's end by itself.
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGKILL])
  func noProgramOutlivesTheCommand(signal: Int32) throws {
    let place = try TemporaryDirectory()
    try place.writeProgram(
      "#!/bin/sh\necho $$ >pid\nprintf 'P6\\n4 4\\n255\\n'\nhead -c 48 /dev/zero\nexec sleep 60\n",
      to: "bin/ffmpeg")
    try place.write("a film", to: "clip.mp4")
    try FileManager.default.createDirectory(
      atPath: place.file("scratch"), withIntermediateDirectories: true)
    let running = try RunningCommand(
      ["detect", "clip.mp4", "--out", "out"] + TinyNetwork.detectorOptions, in: place.path,
      environment: ["PATH": place.file("bin") + ":/usr/bin:/bin", "TMPDIR": place.file("scratch")])
    let pid = place.file("pid")
    func number() -> Int32? {
      let text = (try? String(contentsOfFile: pid, encoding: .utf8)) ?? ""
      return text.hasSuffix("\n") ? Int32(text.dropLast()) : nil
    }
    try running.until("the program is there") { number() != nil }
    let id = try #require(number())
    kill(running.process.processIdentifier, signal)
    running.process.waitUntilExit()
    try Waiting.until("the program ends") { kill(id, 0) != 0 || Self.isDead(id) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.file("scratch")).isEmpty)
  }

  /// Whether a process has ended and its status was not read yet.
  private static func isDead(_ id: Int32) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)) ?? ""
    return status.contains(") Z ")
  }

  /// The frames that are complete.
  private func frames(in place: borrowing TemporaryDirectory) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: place.file("out"))) ?? []).filter {
      !$0.hasSuffix(".partial")
        && FileManager.default.fileExists(atPath: place.file("out/\($0)/summary.json"))
    }
  }
}
