import AppCore
import ArgumentParser
import FileFormats
import Geometry
import Imaging
import Models
import Perception

/// `ardf depth`: Depth Anything V2 Small and Prompt Depth Anything Small.
struct Depth: AsyncParsableCommand, LimitedCommand {
  static let configuration = CommandConfiguration(
    abstract: "Estimates depth with Depth Anything V2 Small or Prompt Depth Anything Small.",
    discussion: Help.text(
      """
      Writes relative.npy, float32 (height, width) in the pixels of the picture as it is stored, larger is nearer, \
      without unit; and relative.png, the same in color and upright. A network that gives meters, a metric one or one \
      prompted with the capture's LiDAR, also writes metric.npy (float32 meters) and metric.png (u16 millimeters); its \
      relative depth is one over them. Several pictures get a folder each. --out - writes arrays to standard output, \
      one after the other, meters where there are any. Films, cameras and addresses are read with ffmpeg.
      """,
      ("Relative depth of a picture", "ardf depth bus.jpg --out depth"),
      ("Of every picture of a folder", "ardf depth 'pictures/*.jpg' --out depths"),
      (
        "Of one frame of a capture, faster and coarser",
        "ardf depth scan --frame 0 --depth-size 308 --out relative"
      ),
      ("Of a film, for a program that reads arrays", "ardf depth clip.mp4 --out - > clip.npys")))

  @Argument(
    help: """
      Pictures, folders of pictures, captures, sequences, or patterns such as 'day/*.jpg'. Or one film, pipe (- is \
      standard input: JPEG and PNG pictures one after the other), camera (/dev/video0), or RTSP or HTTP address.
      """)
  var sources: [String]

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Depth") var depthOptions: DepthOptions
  @OptionGroup(title: "Input") var streaming: StreamOptions

  @Option(help: "Only this frame, by name or position from 0. Repeatable.")
  var frame: [String] = []

  @OptionGroup(title: "Computation") var compute: ComputeOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions

  func run() async throws {
    if let stream = try streaming.source(among: sources) { return try await run(stream) }
    let inputs = try RunInputs(sources, names: frame) {
      try CaptureReader.open($0, limits: limits.capture, photographs: .exif)
    }
    let results = try results(inputs.paths)
    let network = try network()
    var speed = SpeedLog()
    var progress = Progress("picture", of: inputs.frames.count)
    var leftOut = LeftOutInputs(unit: "pictures")
    for (done, frame) in inputs.frames.enumerated() {
      func add() throws {
        let captured = try frame.source.frame(at: frame.index)
        let estimate = try estimate(captured, with: network, speed: &speed).get()
        try results.add(estimate, of: captured, name: frame.folder)
      }
      if inputs.isSingle {
        do {
          try add()
        } catch let error as NoEstimate {
          throw CommandError.input("\(frame.reference.name): \(error)")
        }
      } else {
        try leftOut.attempt(frame, add)
      }
      progress.update(done + 1)
    }
    progress.finish()
    try leftOut.checkAnyLeft(of: inputs.frames.count)
    let skipped = Set(inputs.frames.map(\.source.path)).count == 1 ? inputs.frames[0].source.skipped : []
    try results.finish(isSingle: inputs.isSingle, leftOut: leftOut.json, skipped: skipped)
    for line in speed.lines { Console.inform(line) }
    try leftOut.finish(of: inputs.frames.count)
    try inputs.checkAllRead()
  }

  /// The pictures of a stream, as they come.
  private func run(_ stream: StreamSource) async throws {
    guard frame.isEmpty else { throw CommandError.usage("--frame chooses frames of a capture; leave it out") }
    let results = try results(RunInputs(stream: stream).paths)
    let network = try network()
    var speed = SpeedLog()
    var log = StreamLog()
    var leftOut = LeftOutInputs(unit: "pictures")
    let stalled = try await streaming.pictures(of: stream, limits: limits, output: output).forEach {
      arrival in
      do {
        let captured = try arrival.frame(of: stream, camera: .exif)
        let estimate = try estimate(captured, with: network, speed: &speed).get()
        try results.add(estimate, of: captured, name: captured.name)
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
    if log.done > 0 { try results.finish(isSingle: false, leftOut: leftOut.json, skipped: []) }
    for line in speed.lines { Console.inform(line) }
    try log.finish(stream.name, stalled: stalled)
  }

  private func results(_ inputs: [String]) throws -> DepthResults {
    try DepthResults(output, inputs: inputs + [depthOptions.depth] + compute.arithmetic.plans)
  }

  private func network() throws -> any DepthNetwork {
    let network = try depthOptions.network(
      WeightFiles.requiredDepth(depthOptions.depth), compute, pool: compute.makePool())
    Console.inform("depth \(network.name) from \(network.weights.file)")
    return network
  }

  private func estimate(
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

/// Where depth goes, picture by picture.
private final class DepthResults {
  private let output: OutputOptions
  private let folder: OutputFolder?
  private var entries: [JSONValue] = []

  init(_ output: OutputOptions, inputs: [String?]) throws {
    self.output = output
    folder = try output.folder(inputs: inputs)
  }

  /// `name`: of the picture's folder among those of others; empty for the only one.
  func add(_ estimate: FrameEstimate, of frame: CapturedFrame, name: String) throws {
    guard let folder else {
      return try Console.write(
        FrameWriter.array(estimate.depth.metric?.values ?? estimate.depth.relative.values))
    }
    let writer = FrameWriter(folder: name.isEmpty ? folder : folder.subfolder(name))
    try writer.write(estimate.depth.relative, orientation: frame.orientation)
    if let metric = estimate.depth.metric { try writer.write(metric) }
    entries.append(["folder": .string(name.isEmpty ? "." : name), "name": .string(frame.name)])
  }

  func finish(isSingle: Bool, leftOut: [JSONValue], skipped: [SkippedFrame]) throws {
    guard let folder else { return }
    let index: JSONValue = [
      "schema": "ardf.depth-index/1", "frames": .array(entries),
      "skipped": .array(
        leftOut + skipped.map { ["name": .string($0.name), "reason": .string($0.reason)] }),
    ]
    if !isSingle { try folder.write(index, to: "index.json") }
    try folder.commit()
    Console.inform(
      "results in \(output.out)" + (isSingle ? "" : ": a folder for each picture, and index.json"))
    if output.json { try Console.print(index) }
  }
}
