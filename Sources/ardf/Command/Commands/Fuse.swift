import AppCore
import ArgumentParser
import FileFormats
import OutputFolders

/// `ardf fuse`: relative depth and a sensor's depth to meters.
struct Fuse: ParsableCommand, LimitedCommand {
  static let configuration = CommandConfiguration(
    abstract: "Fuses relative depth and a capture's sensor depth into meters.",
    discussion: Help.text(
      """
      Writes fusion.json, and where a fit is possible metric.npy (float32 meters), metric.png (u16 millimeters) and \
      metric-source.png (0 none, 1 sensor, 2 guided by readings nearby, 3 the fit alone, 4 the fit beyond the range \
      of its readings). If no fit is possible, fusion.json says why, and the exit code is 1.
      """,
      (
        "Meters from ardf depth and the sensor depth of the same frame",
        "ardf fuse --relative relative/relative.npy --capture scan --frame 0 \\\n--out fused"
      )))

  @Option(help: "Relative depth as ardf depth writes it: .npy, (height, width).")
  var relative: String

  @Option(
    help:
      "What has the sensor depth that it is fitted to: \(InputKinds.one); a picture's depth is given with --depth-map."
  )
  var capture: String

  @Option(help: "Which frame of the capture, by name or position from 0.")
  var frame: String?

  @OptionGroup(title: "Input") var picture: PictureDepthOptions
  @OptionGroup(title: "Input") var sensor: SensorOptions

  /// A former option for guided depth, which is the default now.
  @Flag(help: .hidden)
  var follow = false

  @OptionGroup(title: "Depth") var model: FusionModelOptions
  @OptionGroup(title: "Output") var export: DepthExportOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions

  func run() throws {
    let captured = try FrameSelection(capture, frames: frame.map { [$0] } ?? []) {
      sensor.told(try picture.open($0, limits: limits.capture))
    }.onlyFrame()
    try Documents.refuseFolder(self.relative, "relative.npy")
    try MistakenInput.refusePicture(self.relative, give: "relative.npy, as ardf depth writes it")
    let relative = RelativeDepth(try Documents.map(relative, of: captured))
    var options = model.options
    if follow { options.method = .guided }
    guard let fused = DepthFusion.fuse(relative: relative, frame: captured, options: options) else {
      throw CommandError.input("\(capture): frame \(captured.name) has no sensor depth to fit to")
    }
    let folder = try output.folder(inputs: [self.relative, capture, picture.depthMap, picture.confidenceMap])
    let report = fused.report
    if let folder {
      var files = FrameFiles()
      export.add(to: &files)
      try FrameWriter(folder: folder, files: files).write(report, metric: fused.metric)
      try folder.commit()
    }
    if let note = captured.rangeNote { Console.note(note) }
    if folder == nil || output.json { try Console.print(report.json) }
    output.tell("metric.npy", "fusion.json")
    guard report.alignment != nil else {
      throw CommandError.checkFailed(
        report.line + (Self.remedy(for: report.status).map { "; \($0)" } ?? ""))
    }
    Console.inform(report.line)
  }

  /// The remedy where no fit is possible; nil where one is.
  private static func remedy(for status: FusionStatus) -> String? {
    switch status {
    case .ok: nil
    case .tooFewPairs:
      "the sensor has too few readings in this frame: choose another --frame, or raise --sensor-range"
    case .negativeSlope:
      "larger must be nearer: give relative.npy of this frame, as ardf depth writes it; metric.npy holds meters"
    case .degenerate, .poorFit: "give relative.npy of this frame, as ardf depth writes it"
    }
  }
}
