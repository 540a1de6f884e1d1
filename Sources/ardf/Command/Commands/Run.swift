import AppCore
import ArgumentParser
import FileFormats
import Models
import NNRuntime
import OutputFolders
import Perception
import Reporting
import Sharding

/// `ardf run`: the full flow.
struct Run: AsyncParsableCommand, LimitedCommand {
  static let configuration = CommandConfiguration(
    abstract: "Detects, estimates depth, fuses, measures, places and composes in one go.",
    discussion: Help.text(
      """
      A single frame's results lie in --out. Several frames get a folder each, which appears when it is complete, and \
      in the end results.jsonl with a line for each and, for a sequence, sequence-objects.json with the objects of \
      all its frames put together; --resume continues a run that was stopped. --out - (or --json) prints the \
      lines, one per frame, as soon as it is done. With --keep or --from there is one record per frame instead, \
      for jobs on many machines: ardf merge puts the parts together, ardf status tells how far they \
      are. Films, cameras and addresses are read with ffmpeg. \
      Without depth \
      weights distances come from the depth sensor alone; a metric depth network gives them without a sensor, a prompted \
      one reads the sensor's depth beside the picture. Weights are those of ./weights, $ARDF_WEIGHTS, or what ardf weights get has \
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
      (
        "Pictures and depth of a camera (RealSense, Kinect, ROS), 0.001 m a unit",
        "ardf run color --depth-map depth --intrinsics camera.json \\\n--depth-unit 0.001 --out measured"
      ),
      (
        "One of a hundred shards of a list, in a Slurm or Kubernetes array",
        "ardf run --from photos.txt --keep records --shard auto/100 \\\n--resume --max-errors 1% --out job"
      ),
      ("Distances as they come", "ardf run scans --out - | jq -r '.summary.objects[].label'"),
      (
        "A film, its objects as a table",
        "ardf run clip.mp4 --fov 65 --track bytetrack --format csv --out -"
      )))

  @Argument(
    help:
      "\(InputKinds.many), sequences, folders of these, or patterns such as 'scans/*'. \(InputKinds.streams)")
  var sources: [String] = []

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Output") var table: TableOptions
  @OptionGroup(title: "Detector") var detector: DetectorOptions
  @OptionGroup(title: "Detector") var tiles: TileOptions
  @OptionGroup(title: "Depth") var depthOptions: DepthOptions
  @OptionGroup(title: "Effects") var effects: EffectOptions

  @Option(help: "Only this frame, by name or position from 0. Repeatable.")
  var frame: [String] = []

  @OptionGroup(title: "Output") var format: FormatOptions
  @OptionGroup(title: "Output") var pictures: PictureOptions

  @Flag(help: "With --out - or --json: masks too, as COCO's run lengths.")
  var masksRle = false

  @OptionGroup(title: "Input") var streaming: StreamOptions
  @OptionGroup(title: "Input") var change: ChangeOptions
  @OptionGroup(title: "Tracking") var tracking: TrackingOptions
  @OptionGroup(title: "Input") var picture: PictureDepthOptions
  @OptionGroup(title: "Input") var sensor: SensorOptions
  @OptionGroup(title: "Depth") var fusionOptions: FusionModelOptions
  @OptionGroup(title: "Jobs") var batch: BatchOptions
  @OptionGroup(title: "Output") var sceneExport: SceneExportOptions
  @OptionGroup(title: "Output") var depthExport: DepthExportOptions
  @OptionGroup(title: "Computation") var compute: ComputeOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions

  func validate() throws {
    try batch.validate(output)
    if batch.keepsRecords { try validateRecords() }
    guard !sources.isEmpty || batch.from != nil else {
      throw ValidationError("no SOURCES: give pictures or captures, or a list of them with --from")
    }
    guard !masksRle || format.format != .csv else {
      throw ValidationError("--masks-rle: a table has no masks; leave --format csv out")
    }
    guard !tracking.isOn || !batch.keepsRecords && !batch.resume && batch.shardChoice == .given(.whole) else {
      throw ValidationError(
        "--track follows objects through all frames, one after the other: leave --keep, --from, --resume and --shard out"
      )
    }
    guard picture.depthMap == nil || sources.count == 1 else {
      throw ValidationError("--depth-map belongs to one picture or folder; give one SOURCE")
    }
  }

  func run() async throws {
    let requests = try effects.requests()
    try MistakenInput.refuseWeights(among: sources, verb: "run", option: "--yolo", given: detector.yolo)
    if batch.keepsRecords { return try await keepRecords(requests) }
    let shard = try batch.shard()
    let stream = try streaming.source(among: sources)
    try change.check(stream)
    if let stream { return try await run(stream, requests) }
    let inputs = try RunInputs(sources, names: frame) {
      sensor.told(try picture.open($0, limits: limits.capture))
    }
    try tracking.check(inputs)
    let frames = inputs.frames[shard.positions(of: inputs.frames.count)]
    let folder = try folder(of: inputs, shard)
    let pool = compute.makePool()
    let job = try job(requests, folder: folder, paths: CameraPath.poses(of: frames), pool: pool)
    try folder?.begin()
    try printHeader(job)
    if inputs.isSingle, let frame = frames.first {
      let record = try await job.record(of: frame, tolerant: false)
      try show(record, of: frame, said: SaidNotes(), in: job)
      if job.folder != nil {
        output.tell(pictures.pictureFormat.file("results"), "report.html", "summary.json")
      }
      var speed = SpeedLog()
      speed.add(record, of: job.perceiver)
      for line in speed.lines { Console.inform(line) }
    } else {
      try await run(Array(frames), job: job, threads: pool.threads)
    }
    try inputs.checkAllRead()
  }

  /// Runs several frames, divided among workers.
  private func run(_ frames: [RunFrame], job: FrameJob, threads: Int) async throws {
    // Whoever follows objects sees frames in their order.
    let workers = FrameWorkers(threads: threads, frames: job.tracks == nil ? frames.count : 1)
    let jobs = workers.threads.map { job.running(on: ThreadPool(threads: $0)) }
    var log = BatchLog(total: frames.count)
    let said = SaidNotes()
    var lines: [JSONValue] = []
    var rows = job.tableHeader
    var coco: [JSONValue] = []
    try await workers.inOrder(frames.count) { position, worker in
      try await jobs[worker].record(of: frames[position], tolerant: true)
    } deliver: { position, record in
      try show(record, of: frames[position], said: said, in: job)
      log.add(record, of: job.perceiver)
      guard job.folder != nil else { return }
      let line = record.line(of: frames[position])
      lines.append(line)
      if format.format == .csv { rows += job.tableLines(ofResult: line) }
      coco += record.coco
    }
    log.hide()
    said.finish()
    try job.folder?.finish(
      lines: lines, detections: format.format == .coco ? coco : nil,
      rows: format.format == .csv ? rows : nil)
    for line in try job.folder?.gatherSequences(of: frames, seen: FrameWriter.seenObjects) ?? []
    where !output.json && !output.quiet {
      try Console.print(line: line)
    }
    // A run that made nothing takes the place of nothing.
    if log.failed < frames.count { try job.folder?.commit() }
    if log.failed < frames.count, job.folder != nil {
      // A part of the frames has a list of its own, and no page over all.
      output.tell(
        after: "a folder for each frame", ResultNames.page, try batch.shard().fileName("results", "jsonl"),
        ResultNames.sequence)
    }
    for line in log.lines { Console.inform(line) }
    if let abandoned = job.folder?.abandoned(by: frames), !abandoned.isEmpty {
      Console.note(
        "\(output.out): left as they are, of frames that are gone: \(abandoned.prefix(5).joined(separator: ", "))"
          + (abandoned.count > 5 ? " and \(abandoned.count - 5) more" : "")
          + "; remove what you do not need")
    }
    if log.failed > 0 {
      throw CommandError.input(
        "\(log.failed) of \(counted(frames.count, "frame")) could not be read; "
          + (log.failed < frames.count ? "the others are done" : "nothing was done"))
    }
  }

  /// Runs the pictures of a stream as they arrive.
  private func run(_ stream: StreamSource, _ requests: [EffectRequest]) async throws {
    guard frame.isEmpty, !batch.resume, try batch.shard() == .whole, picture.depthMap == nil else {
      throw CommandError.usage(
        "\(stream.name): a film, pipe, camera or address is done in one go, without depth: leave --frame, --resume, "
          + "--shard and --depth-map out")
    }
    let folder = try folder(of: RunInputs(stream: stream), .whole)
    var job = try job(requests, folder: folder, paths: [:], pool: compute.makePool())
    let arrivals = streaming.pictures(
      of: stream, limits: limits, output: output, onChange: change.onChange)
    job.change = arrivals.change
    job.hasTimeOfDay = arrivals.hasTimeOfDay
    let camera = try picture.photographs()
    try printHeader(job)
    var lines: AtomicFileWriter?
    var listed: [RunIndexPage.Frame] = []
    var coco: [JSONValue] = []
    var rows = job.tableHeader
    var speed = SpeedLog()
    var log = StreamLog()
    let said = SaidNotes()
    // Pictures left out since the last line.
    var dropped = 0
    let stalled = try await arrivals.forEach { arrival in
      if lines == nil, let folder {
        // Not before there is a picture: a stream without any leaves nothing.
        try folder.begin()
        lines = try folder.lines()
      }
      let name = StreamedFrame.name(arrival.picture.number)
      var frame = RunFrame(damaged: name, of: stream, at: arrival.time)
      var record: FrameRecord
      do {
        frame = RunFrame(
          source: try arrival.source(of: stream, camera: camera), index: 0, folder: folder == nil ? "" : name)
        record = try await job.record(of: frame, tolerant: true)
      } catch let error as DamagedPicture {
        record = .failed(error.reason)
      }
      speed.add(record, of: job.perceiver)
      dropped += arrival.dropped
      if case .unchanged = record.outcome {
        log.add(arrival, isDone: true, isUnchanged: true)
        return
      }
      record.wallClock = arrival.wallClock
      try show(record, of: frame, said: said, in: job, dropped: streaming.live ? dropped : nil)
      dropped = 0
      log.add(arrival, isDone: record.summary != nil)
      guard let lines else { return }
      let line = record.line(of: frame)
      try OutputError.mapping { () throws(FileError) in
        try lines.append(Array((line.serialized() + "\n").utf8))
      }
      listed.append(RunIndexPage.Frame(line: line))
      coco += record.coco
      if format.format == .csv { rows += job.tableLines(ofResult: line) }
    }
    said.finish()
    try OutputError.mapping { () throws(FileError) in try lines?.commit() }
    if lines != nil {
      try folder?.finish(
        frames: listed, detections: format.format == .coco ? coco : nil,
        rows: format.format == .csv ? rows : nil)
    }
    if log.done > 0 { try folder?.commit() }
    for line in speed.lines { Console.inform(line) }
    try log.finish(stream.name, stalled: stalled)
  }

  private func folder(of inputs: RunInputs, _ shard: Shard) throws -> RunFolder? {
    let target = output.target
    guard !target.isStandardOutput else { return nil }
    return try RunFolder(
      target.path, force: target.force, resume: batch.resume, shard: shard,
      frames: inputs.frames[shard.positions(of: inputs.frames.count)], isSingle: inputs.isSingle,
      inputs: inputs.paths + inputFiles.compactMap(\.self), picture: pictures.pictureFormat.file("results"))
  }

  /// Files that are read besides the frames.
  var inputFiles: [String?] {
    [picture.depthMap, picture.confidenceMap, detector.yolo, depthOptions.depth] + compute.arithmetic.plans
  }

  func job(
    _ requests: [EffectRequest], folder: RunFolder?, paths: NameTable<[FrameReport.Pose]>, pool: ThreadPool
  ) throws -> FrameJob {
    let (perceiver, weights) = try makePerceiver(pool: pool)
    return FrameJob(
      perceiver: perceiver, requests: requests,
      digest: try RunDigest(
        options: try options(requests), perceiver: perceiver, weights: weights, paths: paths),
      format: format.format, printsMasks: masksRle && printsLines || batch.keep == .masks, folder: folder,
      files: files, paths: paths, tracks: SequenceTracks(try tracking.tracker()))
  }

  /// Whether every frame's line goes to standard output.
  var printsLines: Bool { output.json || output.isStandardOutput }

  private func printHeader(_ job: FrameJob) throws {
    if printsLines, format.format == .csv { try Console.print(job.tableHeader) }
  }

  /// The networks, and the files of their weights.
  private func makePerceiver(pool: ThreadPool) throws -> (Perceiver, RunDigest.Weights) {
    let weights = try detector.weights(compute.settings)
    var found = try tracking.scored(detector).settings.detector(weights, compute.settings, pool: pool)
    found.rules.tiling = tiles.tiling
    // Tracks begin at a score of their own.
    found.rules.tellsSurest = !tracking.isOn
    Console.inform("detector \(found.network.name) from \(found.network.weights.file)")
    try format.format.check(found.network)
    let depthFile = try WeightFiles.depth(depthOptions.depth)
    let depth = try depthFile.map {
      try depthOptions.settings.network($0, compute.settings, pool: pool)
    }
    if let depth {
      Console.inform("depth \(depth.name) from \(depth.weights.file)")
    } else if depthOptions.depth != WeightFiles.noDepth {
      Console.inform(
        "no depth weights (--depth FILE, or ardf weights get depth_anything_v2_vits): using the depth sensor alone"
      )
    }
    var perceiver = Perceiver(
      detector: found, depth: depth, fusion: fusionOptions.options, isOverlapped: pool.threads > 1)
    perceiver.estimatesUnscaledDepth = writesFiles
    perceiver.measuringThreads = pool.threads
    return (perceiver, (weights.file, depthFile))
  }

  /// Whether there are files that show a frame's depth.
  var writesFiles: Bool { batch.keepsRecords ? batch.keep ?? .all == .all : !output.isStandardOutput }

  /// Prints the results of a frame: its line of JSON, or a table for people.
  ///
  /// `dropped`: number of a stream's pictures that were left out before it.
  private func show(
    _ record: FrameRecord, of frame: RunFrame, said: SaidNotes, in job: FrameJob, dropped: Int? = nil
  ) throws {
    if printsLines {
      var line = record.printedLine(of: frame).object ?? [:]
      if let dropped { line["dropped"] = .integer(dropped) }
      if format.format == .csv {
        let rows = job.tableLines(ofResult: .object(line))
        if !rows.isEmpty { try Console.print(rows) }
      } else {
        try Console.print(JSONValue.object(line).serialized())
      }
    }
    switch record.outcome {
    case .kept, .unchanged: return
    case .failed(let reason):
      let name = frame.reference.name
      Console.note(reason.hasPrefix("\(name): ") ? reason : "\(name): \(reason)")
    case .done(let table, let notes, _):
      if !printsLines, !output.quiet {
        if !frame.folder.isEmpty {
          try Console.print(line: "frame \(frame.folder) (\(frame.reference.name))")
        }
        try Console.print(table)
      }
      let isAsked = depthOptions.depth == WeightFiles.noDepth
      for note in notes where printsLines || output.quiet || table != note + "\n" {
        // It was asked for.
        if isAsked, note.hasPrefix(Perceived.noDepthNetwork) { continue }
        said.say(note, of: frame.reference.name)
      }
    }
  }
}
