import AppCore
import ArgumentParser
import FileFormats
import Geometry
import Imaging
import Models
import NNRuntime
import OutputFolders
import Perception
import Sharding

/// `ardf depth`: Depth Anything V2 Small and Prompt Depth Anything Small.
struct Depth: AsyncParsableCommand, LimitedCommand {
  static let configuration = CommandConfiguration(
    abstract: "Estimates depth with Depth Anything V2 Small or Prompt Depth Anything Small.",
    discussion: Help.text(
      """
      Writes relative.npy, float32 (height, width) in the pixels of the picture as it is stored, larger is nearer, \
      without unit; and relative.jpg, the same in color and upright. A network that gives meters, a metric one or one \
      prompted with the capture's sensor depth, also writes metric.npy (float32 meters) and metric.png (u16 millimeters); \
      its relative depth is the inverse of these meters. Several pictures get a folder each. --out - writes arrays \
      to standard output, one after the other, meters where there are any. Films, cameras and addresses are read \
      with ffmpeg.
      """,
      ("Relative depth of a picture", "ardf depth bus.jpg --out depth"),
      ("Of every picture of a folder", "ardf depth 'pictures/*.jpg' --out depths"),
      (
        "Of one frame of a capture, faster and coarser",
        "ardf depth scan --frame 0 --depth-size 308 --out relative"
      ),
      ("Of a film, for a program that reads arrays", "ardf depth clip.mp4 --out - > clip.npys")))

  @Argument(
    help:
      "\(InputKinds.many), sequences, folders of these, or patterns such as 'day/*.jpg'. \(InputKinds.streams)"
  )
  var sources: [String]

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Output") var format: PictureOptions
  @OptionGroup(title: "Depth") var depthOptions: DepthOptions
  @OptionGroup(title: "Input") var streaming: StreamOptions

  @Option(help: "Only this frame, by name or position from 0. Repeatable.")
  var frame: [String] = []

  @OptionGroup(title: "Computation") var compute: ComputeOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions

  func validate() throws { try output.refuseJSONAlone("the arrays") }

  func run() async throws {
    try MistakenInput.refuseWeights(
      among: sources, verb: "depth", option: "--depth", given: depthOptions.depth)
    if let stream = try streaming.source(among: sources) { return try await run(stream) }
    let inputs = try RunInputs(sources, names: frame) {
      try CaptureReader.open($0, limits: limits.capture, photographs: .exif)
    }
    let frames = inputs.frames
    let results = try results(inputs.paths)
    let pool = compute.makePool()
    let network = try network(pool: pool)
    let workers = FrameWorkers(threads: pool.threads, frames: frames.count)
    let networks: [any DepthNetwork] =
      workers.threads.count == 1
      ? [network] : workers.threads.map { network.running(on: ThreadPool(threads: $0)) }
    var speed = SpeedLog()
    var progress = Progress("picture", of: frames.count)
    var leftOut = LeftOutInputs(unit: "pictures")
    let (files, isSingle) = (results.files, inputs.isSingle)
    try await workers.inOrder(frames.count) { position, worker in
      try PictureOutcome(frames[position], networks[worker], files: files, isTolerant: !isSingle)
    } deliver: { position, made in
      let frame = frames[position]
      switch made {
      case .failed(let defect): leftOut.add(defect, of: frame)
      case .done(let times, let array):
        speed.add(times)
        try results.add(array, name: frame.folder, of: frame.reference.name)
      }
      progress.update(position + 1)
    }
    progress.finish()
    try leftOut.checkAnyLeft(of: frames.count)
    let skipped = Set(frames.map(\.source.path)).count == 1 ? frames[0].source.skipped : []
    try results.finish(isSingle: inputs.isSingle, leftOut: leftOut.json, skipped: skipped + inputs.leftOut)
    for line in speed.lines { Console.inform(line) }
    try leftOut.finish(of: frames.count)
    try inputs.checkAllRead()
  }

  /// A worker's result for one frame.
  private enum PictureOutcome: Sendable {
    /// - `array`: the depth to print where there is no folder.
    case done(SpeedLog, array: [UInt8]?)
    case failed(FrameDefect)

    /// Estimates, and writes the files.
    ///
    /// `isTolerant`: whether a bad frame is reported instead of thrown, because there are others.
    init(_ frame: RunFrame, _ network: any DepthNetwork, files: DepthFiles, isTolerant: Bool) throws {
      do {
        let captured = try frame.source.frame(at: frame.index)
        var speed = SpeedLog()
        let estimate = try Depth.estimate(captured, with: network, speed: &speed).get()
        self = .done(speed, array: try files.write(estimate, of: captured, name: frame.folder))
      } catch let error as NoEstimate where !isTolerant {
        throw CommandError.input("\(frame.reference.name): \(error)")
      } catch {
        guard isTolerant, let defect = FrameDefect(error) else { throw error }
        self = .failed(defect)
      }
    }
  }

  /// Estimates the pictures of a stream as they arrive.
  private func run(_ stream: StreamSource) async throws {
    guard frame.isEmpty else { throw CommandError.usage("--frame chooses frames of a capture; leave it out") }
    let results = try results(RunInputs(stream: stream).paths)
    let network = try network(pool: compute.makePool())
    var speed = SpeedLog()
    var log = StreamLog()
    var leftOut = LeftOutInputs(unit: "pictures")
    let files = results.files
    var writing = WriteBehind()
    let stalled: CommandError?
    do {
      stalled = try await streaming.pictures(of: stream, limits: limits, output: output).forEach { arrival in
        do {
          let captured = try arrival.frame(of: stream, camera: .exif)
          let estimate = try Self.estimate(captured, with: network, speed: &speed).get()
          if output.isStandardOutput {
            try results.add(
              files.write(estimate, of: captured, name: ""), name: captured.name, of: captured.name)
          } else {
            try await writing.begin { _ = try files.write(estimate, of: captured, name: captured.name) }
            try results.add(nil, name: captured.name, of: captured.name)
          }
          log.add(arrival, isDone: true)
        } catch let error as DamagedPicture {
          leftOut.add(arrival, error)
          log.add(arrival, isDone: false)
        } catch let error as NoEstimate {
          leftOut.add(
            arrival,
            DamagedPicture(stream: stream.name, number: arrival.picture.number, reason: "\(error)"))
          log.add(arrival, isDone: false)
        }
      }
    } catch {
      try? await writing.finish()
      throw error
    }
    try await writing.finish()
    if log.done > 0 { try results.finish(isSingle: false, leftOut: leftOut.json, skipped: []) }
    for line in speed.lines { Console.inform(line) }
    try log.finish(stream.name, stalled: stalled)
  }

  private func results(_ inputs: [String]) throws -> DepthResults {
    try DepthResults(output, format, inputs: inputs + [depthOptions.depth] + compute.arithmetic.plans)
  }

  private func network(pool: ThreadPool) throws -> any DepthNetwork {
    let network = try depthOptions.settings.network(
      WeightFiles.requiredDepth(depthOptions.depth), compute.settings, pool: pool)
    Console.inform("depth \(network.name) from \(network.weights.file)")
    return network
  }

  private static func estimate(
    _ frame: CapturedFrame, with network: any DepthNetwork, speed: inout SpeedLog
  ) throws -> Result<FrameEstimate, NoEstimate> {
    let estimate = try network.estimate(of: frame)
    if case .success(let estimate) = estimate {
      speed.add(
        estimate.timings, network: "\(network.name), \(estimate.input.width)x\(estimate.input.height)")
    }
    return estimate
  }
}

/// Draws and writes the depth of a picture; calls for several pictures may run concurrently.
private struct DepthFiles: Sendable {
  /// nil for standard output.
  let folder: OutputFolder?
  let pictures: PictureFormat

  /// Writes the files of a frame; without a folder the array that goes to standard output.
  ///
  /// `name`: of the picture's folder among those of others; empty for the only one.
  func write(_ estimate: FrameEstimate, of frame: CapturedFrame, name: String) throws -> [UInt8]? {
    guard let folder else {
      return FrameWriter.array(estimate.depth.metric?.values ?? estimate.depth.relative.values)
    }
    var writer = FrameWriter(folder: name.isEmpty ? folder : folder.subfolder(name))
    writer.files.pictures = pictures
    try writer.write(estimate.depth.relative, orientation: frame.orientation)
    if let metric = estimate.depth.metric { try writer.write(metric) }
    return nil
  }
}

/// The output of depth, picture by picture.
private final class DepthResults {
  private let output: OutputOptions
  private let folder: OutputFolder?
  /// The writer of each picture's files.
  let files: DepthFiles
  private var entries: [JSONValue] = []

  init(_ output: OutputOptions, _ format: PictureOptions, inputs: [String?]) throws {
    self.output = output
    folder = try output.folder(inputs: inputs)
    files = DepthFiles(folder: folder, pictures: format.pictureFormat)
  }

  /// Prints a picture's array, or records its folder where it has files.
  ///
  /// `name`: of the folder; empty for the only one.
  func add(_ array: [UInt8]?, name: String, of picture: String) throws {
    if let array { return try Console.write(array) }
    entries.append(["folder": .string(name.isEmpty ? "." : name), "name": .string(picture)])
  }

  func finish(isSingle: Bool, leftOut: [JSONValue], skipped: [SkippedFrame]) throws {
    guard let folder else { return }
    let index: JSONValue = [
      "schema": "ardf.depth-index/1", "frames": .array(entries),
      "skipped": .array(
        leftOut + skipped.map { ["name": .string($0.name), "reason": .string($0.reason)] }),
    ]
    if !isSingle { try folder.write(index, to: ResultNames.index) }
    try folder.commit()
    Console.inform(
      "results in \(output.out)" + (isSingle ? "" : ": a folder for each picture, and index.json"))
    if output.json { try Console.print(index) }
  }
}
