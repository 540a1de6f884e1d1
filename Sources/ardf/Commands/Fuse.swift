import AppCore
import ArgumentParser
import FileFormats

/// `ardf fuse`: relative depth and LiDAR to metres.
struct Fuse: ParsableCommand, LimitedCommand {
  static let configuration = CommandConfiguration(
    abstract: "Fits relative depth to a capture's LiDAR.",
    discussion: Help.text(
      """
      Writes fusion.json, and where a fit is possible metric.npy (float32 metres) and metric.png (u16 \
      millimetres). Without one fusion.json says why, and the command ends with 1.
      """,
      (
        "Metres from ardf depth and the LiDAR of the same frame",
        "ardf fuse --relative relative/relative.npy --capture scan --frame 0 \\\n--out fused"
      )))

  @Option(help: "Relative depth as ardf depth writes it: .npy, (height, width).")
  var relative: String

  @Option(help: "The capture whose LiDAR it is fitted to.")
  var capture: String

  @Option(help: "Which frame of the capture, by name or position from 0.")
  var frame: String?

  @OptionGroup var picture: PictureDepthOptions

  @Flag(help: "Let metric depth follow the LiDAR cell by cell, with the edges of relative depth.")
  var follow = false

  @OptionGroup var model: FusionModelOptions
  @OptionGroup var export: DepthExportOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions

  func run() throws {
    let captured = try FrameSelection.one(capture, frame: frame, picture: picture, limits: limits)
    let relative = RelativeDepth(try Documents.map(relative, of: captured))
    guard let readings = captured.depth else {
      throw CommandError.input("\(capture): frame \(captured.name) has no LiDAR depth to fit to")
    }
    let folder = try output.folder(inputs: [self.relative, capture, picture.depthMap, picture.confidenceMap])
    let sensor = MetricDepth(sensor: readings, confidence: captured.confidence)
    let report = DepthFusion.fit(
      relative: relative, sensor: sensor, options: FusionOptions(model: model.fusion))
    if let folder {
      var files = FrameFiles()
      export.add(to: &files)
      let metric = report.alignment.map {
        follow ? $0.metric(relative, following: sensor) : $0.metric(relative)
      }
      try FrameWriter(folder: folder, files: files).write(report, metric: metric)
      try folder.commit()
    }
    if folder == nil || output.json { try Console.print(report.json) }
    guard report.alignment != nil else { throw CommandError.checkFailed(report.line) }
    Console.note(report.line)
  }
}
