import AppCore
import ArgumentParser

/// The output of a replay besides its figures.
struct ReplayOutputOptions: ParsableArguments {
  @Option(help: "Format of the frames' pictures: jpeg, png or none. By default jpeg, with --video none.")
  var frames: ReplayOutput.Pictures?

  @Flag(help: "Write replay.mp4 with your ffmpeg.")
  var video = false

  @Option(help: ArgumentHelp("The ffmpeg to use; by default the first in $PATH.", valueName: "file"))
  var ffmpeg: String?

  /// The same as a plain value.
  var output: ReplayOutput {
    ReplayOutput(pictures: frames ?? (video ? .none : .jpeg), hasVideo: video, ffmpeg: ffmpeg)
  }
}
