import AppCore
import ArgumentParser
import FileFormats
import NNRuntime
import Reporting

/// `ardf run`: the full flow.
struct Run: AsyncParsableCommand, LimitedCommand {
  static let configuration = CommandConfiguration(
    abstract: "Detects, estimates depth, fuses, measures, places and composes in one go.",
    discussion: Help.text(
      """
      A single frame's results lie in --out. Several frames get a folder each, which appears when it is complete, and \
      in the end results.jsonl with a line for each and, for a sequence, sequence-objects.json with the objects of \
      all its frames put together; a run that was stopped goes on with --resume. Without depth \
      weights distances come from the LiDAR alone; a metric depth network gives them without LiDAR, a prompted one \
      reads the LiDAR beside the picture. Weights are those of ./weights, $ARDF_WEIGHTS, or what ardf weights get has \
      fetched.
      """,
      (
        "One frame of a capture, with an effect on the first object",
        "ardf run scan --frame 0 --effect 0=debugCube --out results"
      ),
      ("A photograph with the smallest detector", "ardf run bus.jpg --yolo yolo11n-seg --out bus"),
      (
        "Distances and sizes from a photograph alone, with a metric depth network",
        "ardf run photo.jpg --depth weights/metric-indoor.safetensors \\\n--fov 65 --out photo"
      ),
      (
        "Every capture of a folder, in two processes; then one list of all",
        "ardf run scans --shard 1/2 --out all"
      ),
      (nil, "ardf run scans --shard 2/2 --out all"),
      (nil, "ardf run scans --resume --out all"),
      ("Distances as they come", "ardf run scans --out - | jq -r '.summary.objects[].label'")))

  @Argument(help: "Pictures, captures, sequences, folders of these, or patterns such as 'scans/*'.")
  var sources: [String]

  @Option(help: "Only this frame, by name or position from 0. Repeatable.")
  var frame: [String] = []

  @OptionGroup var picture: PictureDepthOptions
  @OptionGroup var sensor: SensorOptions
  @OptionGroup var detector: DetectorOptions
  @OptionGroup var depthOptions: DepthOptions
  @OptionGroup var fusionOptions: FusionModelOptions
  @OptionGroup var effects: EffectOptions
  @OptionGroup var batch: BatchOptions
  @OptionGroup var compute: ComputeOptions
  @OptionGroup var format: FormatOptions
  @OptionGroup var sceneExport: SceneExportOptions
  @OptionGroup var depthExport: DepthExportOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions

  func validate() throws {
    try batch.validate(output)
    guard picture.depthMap == nil || sources.count == 1 else {
      throw ValidationError("--depth-map belongs to one picture; give one SOURCE")
    }
  }

  func run() async throws {
    let requests = try effects.requests()
    let inputs = try RunInputs(sources, names: frame) {
      sensor.told(try picture.open($0, limits: limits.capture))
    }
    let frames = inputs.frames[batch.shard.positions(of: inputs.frames.count)]
    let folder = try RunFolder(
      output, batch, inputs: inputs,
      files: [picture.depthMap, picture.confidenceMap, detector.yolo, depthOptions.depth]
        + compute.arithmetic.plans)
    let pool = compute.makePool()
    let flow = try makeFlow(pool: pool)
    let paths = try CameraPath.poses(of: frames)
    let job = FrameJob(
      flow: flow, requests: requests,
      digest: try RunDigest(
        options: options(requests), detector: flow.detector, depth: flow.depth, paths: paths),
      format: format.format, folder: folder, files: files, paths: paths)
    try folder?.begin()
    if inputs.isSingle, let frame = frames.first {
      let record = try await job.record(of: frame, tolerant: false)
      try show(record, of: frame)
      if let summary = record.summary, folder == nil || output.json { try Console.print(summary) }
      var speed = SpeedLog()
      speed.add(record, flow: flow)
      for line in speed.lines { Console.note(line) }
    } else {
      try await run(Array(frames), job: job, threads: pool.threads)
    }
  }

  /// Several frames, in lanes.
  private func run(_ frames: [RunFrame], job: FrameJob, threads: Int) async throws {
    let lanes = Lanes(threads: threads, frames: frames.count)
    let jobs = lanes.threads.map { job.with(job.flow.running(on: ThreadPool(threads: $0))) }
    var log = BatchLog(total: frames.count)
    var lines: [JSONValue] = []
    var coco: [JSONValue] = []
    try await lanes.inOrder(frames.count) { position, lane in
      try await jobs[lane].record(of: frames[position], tolerant: true)
    } deliver: { position, record in
      log.hide()
      let line = record.line(of: frames[position])
      if job.folder == nil || output.json { try Console.print(line.serialized()) }
      try show(record, of: frames[position])
      log.add(record, flow: job.flow)
      lines.append(line)
      coco += record.coco
    }
    log.hide()
    try job.folder?.finish(lines: lines, detections: format.format == .coco ? coco : nil)
    for line in try job.folder?.gatherSequences(of: frames) ?? [] where !output.json {
      try Console.print(line: line)
    }
    // A run that made nothing takes the place of nothing.
    if log.failed < frames.count { try job.folder?.commit() }
    for line in log.lines { Console.note(line) }
    if let abandoned = job.folder?.abandoned(by: frames), !abandoned.isEmpty {
      Console.note(
        "\(output.out): left as they are, of frames that are gone: \(abandoned.prefix(5).joined(separator: ", "))"
          + (abandoned.count > 5 ? " and \(abandoned.count - 5) more" : "")
          + "; remove what you do not need")
    }
    if log.failed > 0 {
      throw CommandError.input(
        "\(log.failed) of \(frames.count) frames could not be read; "
          + (log.failed < frames.count ? "the others are done" : "nothing was done"))
    }
  }

  private func makeFlow(pool: ThreadPool) throws -> FrameFlow {
    let network = try DetectionNetwork(detector, compute: compute, pool: pool)
    Console.note("detector \(network.name) from \(network.file)")
    try format.check(network)
    let depth = try WeightFiles.depth(depthOptions.depth).map {
      try DepthNetwork(file: $0, depthOptions, compute: compute, pool: pool)
    }
    Console.note(
      depth.map { "depth \($0.name) from \($0.file)" }
        ?? "no depth weights (--depth FILE, or ardf weights get depth_anything_v2_vits): going on with the LiDAR alone"
    )
    return FrameFlow(
      detector: network, depth: depth, fusion: fusionOptions.options, isOverlapped: pool.threads > 1)
  }

  /// The files that were asked for besides the usual ones.
  private var files: FrameFiles {
    var files = FrameFiles()
    sceneExport.add(to: &files)
    depthExport.add(to: &files)
    return files
  }

  /// Counts up when frames' folders hold something new that a run needs: those of before are then done again.
  private static let folderLayout = 3

  /// What changes results besides the networks.
  private func options(_ requests: [EffectRequest]) -> JSONValue {
    [
      "folderLayout": .integer(Self.folderLayout),
      "depthSize": depthOptions.depthSize.map(JSONValue.integer) ?? .null,
      "fusion": [.string(fusionOptions.fusion.rawValue), .string(fusionOptions.fit.rawValue)],
      "effects": .array(requests.map { .string($0.text) }), "format": .string(format.format.rawValue),
      "precision": .string(compute.arithmetic.precision.rawValue),
      "plans": .array(compute.arithmetic.plans.map(JSONValue.string)),
      "files": [.bool(files.usda), .bool(files.usdz), .bool(files.pfm), .number(files.depthScale)],
    ]
  }

  private func show(_ record: FrameRecord, of frame: RunFrame) throws {
    switch record.outcome {
    case .kept: return
    case .failed(let reason): Console.note("\(frame.reference.name): \(reason)")
    case .done(let table, let notes, _):
      if !output.json, !output.isStandardOutput {
        if !frame.folder.isEmpty {
          try Console.print(line: "frame \(frame.folder) (\(frame.reference.name))")
        }
        try Console.print(table)
      }
      for note in notes { Console.note("\(frame.reference.name): \(note)") }
    }
  }
}
