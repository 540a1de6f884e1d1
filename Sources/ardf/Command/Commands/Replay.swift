import AppCore
import ArgumentParser
import FileFormats
import Geometry
import Imaging
import Models
import NNRuntime
import OutputFolders
import Perception
import Synchronization

/// `ardf replay`: a recorded sequence as the live view.
struct Replay: AsyncParsableCommand, LimitedCommand {
  static let configuration = CommandConfiguration(
    abstract: "Plays a sequence through the live loop and draws effects into every frame.",
    discussion: Help.text(
      """
      Detects when asked (--detect-every, --at; with effects in the first frame by default), places effects once, and \
      draws them into every later frame from its pose, hidden where its depth shows something nearer. Writes the \
      frames or a video, replay.json with the loop's figures, and, where it detected in frames with poses, \
      sequence-objects.json with the objects of all frames put together. Without --max-speed the loop runs in real \
      time, and drops what it cannot show.
      """,
      ("Smoke on the bed, as frames", "ardf replay scans --effect bed=smoke --out live"),
      ("A video, as fast as possible", "ardf replay scans --effect bed=smoke --max-speed --video --out film"))
  )

  @Argument(help: "The sequence that is played: \(InputKinds.one), or a folder of pictures.")
  var sequence: String

  @Option(help: "Only this frame, by name or position from 0. Repeatable.")
  var frame: [String] = []

  @OptionGroup(title: "Playback") var replay: ReplayOptions
  @OptionGroup(title: "Output") var pictures: ReplayOutputOptions
  @OptionGroup(title: "Detector") var detector: DetectorOptions
  @OptionGroup(title: "Depth") var depthOptions: DepthOptions
  @OptionGroup(title: "Depth") var fusionOptions: FusionModelOptions
  @OptionGroup(title: "Input") var sensor: SensorOptions
  @OptionGroup(title: "Computation") var compute: ComputeOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions

  func run() async throws {
    let selection = try FrameSelection(sequence, frames: frame, open: open)
    let wishes = try replay.wishes()
    let folder = try output.folder(
      inputs: [sequence, replay.assets, detector.yolo, depthOptions.depth] + compute.arithmetic.plans)
    let schedule = try schedule(selection, wishes)
    if !wishes.isEmpty, !selection.source.hasPoses {
      Console.note(
        "\(sequence): holds no poses; effects stay where they are in the picture, however the camera moves")
    }
    let networks = try schedule.map { _ in ReplayNetworks(try perceiver()) }

    let clock = replay.maxSpeed ? ReplayClock() : nil
    let time: any TimeSource = clock ?? SystemTime()
    let source = ReplaySource(
      selection.source, indices: selection.indices, repeats: replay.repeat, framesPerSecond: replay.rate,
      decodesFirst: replay.preload, clock: clock, time: time)
    let scene = FilmScene()
    let stage = EffectStage(
      time: time, pool: PlayerPool(factory: try films(wishes, time: time), log: StandardErrorLog()),
      scene: scene)
    let director = LiveDirector(
      stage: stage, scene: scene, depth: networks?.depth, fusion: fusionOptions.options, wishes: wishes,
      time: time, log: StandardErrorLog())
    let screen = try ReplayScreen(
      director: director, folder: folder, output: pictures.output, framesPerSecond: rate(selection),
      measuresDrift: replay.drift)
    let surroundings = LiveSurroundings(
      time: time, health: replay.maxSpeed ? nil : LinuxHealth(time: time), memory: director,
      observer: director, log: StandardErrorLog())
    var configuration = LiveConfiguration()
    configuration.scheduling = replay.maxSpeed ? .lockstep : .live
    configuration.schedule = schedule ?? .adaptive
    configuration.filter = DetectionFilter(threshold: Float(detector.confidence))
    let session = LiveSession(
      source: source, sink: screen, detector: networks?.detector, surroundings: surroundings,
      configuration: configuration)

    let start = ContinuousClock.now
    let live = try await session.run()
    let wall = ContinuousClock.now - start
    try screen.finish()
    if let defect = networks?.defects.first { throw defect }
    let report = ReplayReport(
      live: live, shown: screen.shown, placements: await director.placements,
      openWishes: await director.openWishes, layout: selection.source.layout, isMaxSpeed: replay.maxSpeed,
      wall: wall, decoding: source.decoding, writing: screen.writing,
      peakBytes: MeasurementEnvironment.peakBytes,
      unreadable: source.unreadable + LostEntries.of(selection.source))
    if let folder {
      try folder.write(report.json, to: "replay.json")
      // Without poses, objects of different frames cannot be put together.
      if schedule != nil, selection.source.hasPoses {
        try folder.write(await director.sequence.json, to: ResultNames.sequence)
      }
      try folder.commit()
    }
    if folder == nil || output.json {
      try Console.print(report.json)
    } else {
      for line in report.lines where !output.quiet { try Console.print(line: line) }
    }
    if let line = report.refusalLine(budget: configuration.memoryBudget) { Console.note(line) }
    output.tell("frames", "replay.mp4", "replay.json", ResultNames.sequence)
    Console.inform(report.speedLine)
    var unreadable = LeftOutInputs(unit: "frames")
    for frame in source.unreadable {
      unreadable.add(frame.name, of: selection.source.path, reason: frame.reason)
    }
    let lost = unreadable.add(lostOf: selection.source)
    try unreadable.finish(of: selection.indices.count + lost)
    guard report.openWishes.isEmpty else {
      throw CommandError.checkFailed(
        "effects were not placed: \(report.openWishes.map(\.text).joined(separator: ", ")); in "
          + (replay.choosesFrames
            ? "the chosen frames" : "the first frame, where objects are looked for,")
          + " no such object with a distance was found: choose others with --at FRAME or --detect-every TIME")
    }
  }

  private func open(_ path: String) throws -> any CaptureSource {
    sensor.told(try CaptureReader.open(path, limits: limits.capture, photographs: .exif))
  }

  private func perceiver() throws -> Perceiver {
    let pool = compute.makePool()
    let found = try detector.detector(compute.settings, pool: pool)
    Console.inform("detector \(found.network.name) from \(found.network.weights.file)")
    let depth = try WeightFiles.depth(depthOptions.depth).map { file in
      let network = try depthOptions.settings.network(file, compute.settings, pool: pool)
      Console.inform("depth \(network.name) from \(network.weights.file)")
      return network
    }
    return Perceiver(detector: found, depth: depth, fusion: fusionOptions.options)
  }

  /// When to detect; nil for never.
  private func schedule(
    _ selection: FrameSelection, _ wishes: [EffectWish]
  ) throws -> LiveConfiguration.Schedule? {
    if let interval = try replay.interval() { return .every(interval) }
    let frames = selection.source.frames
    if !replay.at.isEmpty {
      let wanted = try FrameSelection.positions(of: replay.at, in: selection.source, option: "--at")
      if let absent = wanted.first(where: { !selection.indices.contains($0) }) {
        throw CommandError.usage("--at \(frames[absent].name): --frame leaves this frame out")
      }
      return .frames(Set(wanted.map { frames[$0].name }))
    }
    return wishes.isEmpty ? nil : .frames([frames[selection.indices[0]].name])
  }

  private func films(_ wishes: [EffectWish], time: any TimeSource) throws -> FilmLibrary {
    guard let assets = replay.assets else { return FilmLibrary(time: time, seed: replay.seed) }
    let own = try AssetFolder(assets).films(of: Set(wishes.map(\.type)), ffmpeg: pictures.ffmpeg)
    return FilmLibrary(films: own, time: time, seed: replay.seed)
  }

  /// The recording's mean frames a second, for the film.
  private func rate(_ selection: FrameSelection) -> Double {
    if let rate = replay.rate { return rate }
    let times = selection.indices.map { selection.source.frames[$0].timestamp }
    guard times.count > 1, let first = times.first, let last = times.last, last > first else { return 30 }
    return Double(times.count - 1) / (last - first)
  }
}

/// The networks as the live loop's protocols.
struct ReplayNetworks {
  let detector: any Detector
  let depth: (any DepthEstimator)?
  /// The errors that the command ends with; the loop itself continues without the network.
  let defects = NetworkDefects()

  init(_ perceiver: Perceiver) {
    detector = NotingDetector(detector: perceiver.detector, defects: defects)
    depth = perceiver.depthEstimator.map { [defects] in NotingDepth(depth: $0, defects: defects) }
  }
}

/// Keeps the first error of a network, such as non-finite numbers, since later frames would fail, too.
final class NetworkDefects: Sendable {
  private let stored = Mutex<PerceptionError?>(nil)

  /// The first defect; nil without any.
  var first: PerceptionError? { stored.withLock { $0 } }

  /// Keeps a network's defect.
  func note(_ error: any Error) {
    guard case PerceptionError.network(let file, let defect) = error else { return }
    stored.withLock { $0 = $0 ?? .network(file: file, defect) }
  }
}

private struct NotingDetector: Detector {
  let detector: any Detector
  let defects: NetworkDefects

  func detect(in picture: RGBImage) async throws -> [UprightDetection] {
    do {
      return try await detector.detect(in: picture)
    } catch {
      defects.note(error)
      throw error
    }
  }
}

private struct NotingDepth: DepthEstimator {
  let depth: any DepthEstimator
  let defects: NetworkDefects

  var needsNoSensor: Bool { depth.needsNoSensor }

  func depth(of picture: RGBImage, sensor: Plane<Float>?) async throws -> EstimatedDepth {
    do {
      return try await depth.depth(of: picture, sensor: sensor)
    } catch {
      defects.note(error)
      throw error
    }
  }
}

/// Errors of the loop, for people.
struct StandardErrorLog: LogSink {
  func info(_ message: String) {}
  func debug(_ message: String) {}
  func error(_ message: String, _ error: (any Error)?) {
    Console.note(error.map { "\(message): \($0)" } ?? message)
  }
}
