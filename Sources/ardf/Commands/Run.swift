import AppCore
import ArgumentParser
import FileFormats
import Geometry
import Reporting

/// `ardf run`: the full flow.
struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Detects, estimates depth, fuses, measures, places and composes in one go.",
    discussion: """
      SOURCE is a picture, a folder of pictures, a capture or a sequence of captures. A single frame's results lie \
      in --out; those of several frames in a folder each, with an index.json. Without depth weights distances come \
      from the LiDAR alone. Weights are looked for in ./weights, then in $ARDF_WEIGHTS.
      """)

  @Argument(help: "A picture, a folder of pictures, a capture or a sequence.")
  var source: String

  @Option(help: "Only this frame, by name or position from 0. Repeatable.")
  var frame: [String] = []

  @OptionGroup var detector: DetectorOptions
  @OptionGroup var depthOptions: DepthOptions
  @OptionGroup var fusionOptions: FusionModelOptions
  @OptionGroup var effects: EffectOptions
  @OptionGroup var compute: ComputeOptions
  @OptionGroup var format: FormatOptions
  @OptionGroup var sceneExport: SceneExportOptions
  @OptionGroup var depthExport: DepthExportOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let requests = try effects.requests()
    let selection = try FrameSelection(source, frames: frame)
    let folder = try ResultsFolder(output, selection: selection)
    let pool = compute.makePool()
    let network = try DetectionNetwork(detector, compute: compute, pool: pool)
    Console.note("detector \(network.name) from \(network.file)")
    let depth = try WeightFiles.depth(depthOptions.depth).map {
      try DepthNetwork(file: $0, depthOptions, compute: compute, pool: pool)
    }
    Console.note(
      depth.map { "depth \($0.name) from \($0.file)" }
        ?? "no depth weights (--depth FILE, ./weights, $ARDF_WEIGHTS): going on with the LiDAR alone")
    let flow = FrameFlow(detector: network, depth: depth, fusion: fusionOptions.fusion)
    let networks: JSONValue = [
      "detector": network.description,
      "depth": depth.map { ["name": .string($0.name)] } ?? .null,
    ]
    var files = FrameFiles()
    sceneExport.add(to: &files)
    depthExport.add(to: &files)
    let path = CameraPath.poses(of: selection.source)
    var detections = try DetectionsSink(format, network: network)
    var speed = SpeedLog()
    var progress = Progress("frame", of: selection.indices.count)

    for (done, index) in selection.indices.enumerated() {
      let outcome = try await flow.run(try selection.source.frame(at: index), requests: requests)
      let summary = outcome.summary(networks: networks)
      if let frameFolder = folder.folder(of: index) {
        let writer = FrameWriter(folder: frameFolder, files: files)
        try write(outcome, to: writer, &detections)
        try writer.write(FrameReport(outcome, flow: flow, capture: source, path: path))
        try frameFolder.write(summary, to: "summary.json")
      }
      folder.add(index, summary)
      progress.update(done + 1)
      speed.add(outcome, flow: flow)
      if !output.json, !output.isStandardOutput {
        if !selection.isSingle { try Console.print("frame \(outcome.frame.name)") }
        try Console.print(outcome.scene.table)
      }
      if let report = outcome.fusion { Console.note("\(outcome.frame.name): fusion: \(report.line)") }
      for note in outcome.notes { Console.note("\(outcome.frame.name): \(note)") }
    }
    progress.finish()
    try folder.finish(&detections, json: output.json)
    for line in speed.lines { Console.note(line) }
  }

  private func write(
    _ outcome: FrameFlow.Outcome, to writer: FrameWriter, _ detections: inout DetectionsSink
  ) throws {
    let frame = outcome.frame
    try detections.write(outcome.detections, frame: frame, to: writer)
    if let relative = outcome.relative { try writer.write(relative, orientation: frame.orientation) }
    if let report = outcome.fusion { try writer.write(report, metric: outcome.metric) }
    try writer.write(outcome.scene, frame: frame)
    let items = outcome.scene.items(outcome.detections.detections)
    if let picture = ResultsCompositor().compose(frame, items: items) {
      try writer.folder.write(Pictures.png(picture), to: "results.png")
    }
  }
}

extension SpeedLog {
  mutating func add(_ outcome: FrameFlow.Outcome, flow: FrameFlow) {
    add(outcome.detectorTimings, network: "\(flow.detector.name), \(flow.detector.inputText)")
    if let depth = flow.depth, let timings = outcome.depthTimings {
      add(timings.stages, network: "\(depth.name), \(timings.input.width)x\(timings.input.height)")
    }
    if let time = outcome.fusionTime { add(time, stage: "fusion") }
    add(outcome.placementTime, stage: "placement")
  }
}
