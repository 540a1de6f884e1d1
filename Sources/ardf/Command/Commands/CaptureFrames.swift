import AppCore
import ArgumentParser
import FileFormats
import OutputFolders

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Capture {
  /// `ardf capture frames`: a video's pictures as files.
  struct Frames: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Takes the pictures of a Stray Scanner recording out of its video, with ffmpeg.",
      discussion: Help.text(
        """
        Writes rgb/NNNNNN.jpg into the recording's folder, whole or not at all; every other command then reads the \
        recording. ffmpeg must be installed.
        """,
        ("The pictures of a recording, then what it holds", "ardf capture frames recording"),
        (nil, "ardf capture check recording")))

    @Argument(help: "The recording's folder, which holds rgb.mp4.")
    var recording: String

    @Flag(help: "Replace pictures taken out before.")
    var force = false

    @Flag(help: "Print what was written as JSON.")
    var json = false

    @OptionGroup(title: "Output") var quiet: QuietOption

    func run() throws {
      let video = "\(recording)/rgb.mp4"
      guard FileManager.default.fileExists(atPath: video) else {
        throw CommandError.missing("\(video): no such file; name the folder of a Stray Scanner recording")
      }
      let ffmpeg = try FFmpeg()
      AtomicOutputs.removeLeftovers(of: "\(recording)/rgb")
      let source = try InFile.naming(recording) { try CaptureReader.file("rgb.mp4", in: recording) }
      let folder = try OutputError.mapping { () throws(FileError) in
        try AtomicDirectory(path: "\(recording)/rgb", force: force)
      }
      try ffmpeg.run(
        ["-noautorotate"] + FFmpeg.input(source) + [
          "-fps_mode", "passthrough", "-start_number", "0", "-q:v", "2", "-f", "image2",
          FFmpeg.pictures("%06d.jpg", in: folder.temporaryPath),
        ], about: video)
      let count = try folderNames(of: folder.temporaryPath).count
      guard count > 0 else { throw CommandError.input("\(video): holds no picture") }
      try OutputError.mapping { () throws(FileError) in try folder.commit() }
      Console.inform("\(recording)/rgb: \(counted(count, "picture"))")
      guard json else { return }
      try Console.print([
        "schema": "ardf.written/1", "output": .string("\(recording)/rgb"), "frames": .integer(count),
      ])
    }
  }
}
