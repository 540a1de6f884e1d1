import AppCore
import ArgumentParser
import FileFormats
import HTTPServing
import Imaging
import InferenceServing
import Models
import NNRuntime
import Perception
import Reporting
import Serving

/// `ardf serve`: the page of a frame, with placement carried out and new frames dropped on it; or networks for clients of
/// the Open Inference Protocol.
struct Serve: AsyncParsableCommand, LimitedCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows a frame's page in the browser, or serves networks to other programs.",
    discussion: Help.text(
      """
      SOURCE is a picture or a capture, or the folder of a frame's results (with --capture), whose scene files then \
      follow the placements. Without it the page waits for a drop: a picture, a capture's files or a .zip. The page turns to \
      each frame of a capture. Listens on this machine's loopback address alone, until Ctrl-C; with --listen a phone \
      opens the page by its QR code.

      With --models there is no page: networks, and detect, depth and measure made of them, answer clients of the Open \
      Inference Protocol, such as tritonclient, KServe's, and Ultralytics' YOLO("http://..."). SIGTERM and Ctrl-C let \
      requests under way finish.
      """,
      ("A frame of a capture, and whatever is dropped on its page", "ardf serve scan --frame 0"),
      ("Finished results", "ardf serve results --capture scan --frame 0"),
      ("For the phone beside it", "ardf serve --listen 0.0.0.0:8765"),
      ("A detector for other programs", "ardf serve --models weights/yolo11n-seg.safetensors"),
      ("A detector for home cameras", "ardf serve --models yolo11n --deepstack --listen 127.0.0.1:5000")))

  @Argument(help: "What is shown: \(InputKinds.one), or a folder of results.")
  var source: String?

  @Option(help: "The capture that a folder of results was made from.")
  var capture: String?

  @Option(help: "Which frame, by name or position from 0; the first unless given.")
  var frame: String?

  @Option(help: "The page's port; 0 for any free one.")
  var port: UInt16?

  @OptionGroup(title: "Serving") var inference: InferenceOptions

  @OptionGroup(title: "Detector") var detector: DetectorOptions
  @OptionGroup(title: "Depth") var depthOptions: DepthOptions
  @OptionGroup(title: "Depth") var fusionOptions: FusionModelOptions
  @OptionGroup(title: "Input") var sensor: SensorOptions
  @OptionGroup(title: "Computation") var compute: ComputeOptions
  @OptionGroup(title: "Output") var quiet: QuietOption
  @OptionGroup(title: "Limits") var limits: LimitOptions

  func validate() throws {
    guard servesModels else {
      guard port == nil || inference.listen == nil else {
        throw ValidationError("--port and --listen both say where to listen; give the port in --listen")
      }
      return
    }
    guard let source else { return }
    throw ValidationError(
      PublishedWeights.named(fileStem(source, endings: [".pt", ".pth"])) == nil
        ? "SOURCE is for the page; leave it out, or --models"
        : "\(source): networks follow --models, with commas between: --models \(inference.models[0]),\(source)"
    )
  }

  /// Whether networks are served, and no page.
  var servesModels: Bool { !inference.models.isEmpty }

  func run() async throws {
    if servesModels { try await serveModels() } else { try await showPage() }
  }

  // MARK: - Models

  private func serveModels() async throws {
    let address = try inference.address()
    let token = try inference.token()
    let named = try NamedWeights.list(inference.models)
    // Before anything slow, so that a busy port is reported at once.
    let port = try ListeningPort(address)
    let metrics = Metrics(version: ARDF.version)
    let threads = inference.teams(threads: compute.threads ?? ProcessorShare.threads)
    let networks = try ServedNetworks(
      named, pools: threads.pools,
      detector: detector.settings, depth: depthOptions.settings, fusion: fusionOptions.options,
      sensor: sensor.model, compute: compute.settings,
      limits: limits.capture.pictures,
      metrics: metrics)
    let end = GracefulShutdown()
    var log: (@Sendable (JSONValue) -> Void)?
    if inference.log == .json { log = { Console.note($0.serialized()) } }
    let server = InferenceServer(
      models: networks.models, port: port, workers: inference.workers, share: threads.share,
      queueLimit: inference.maxQueue,
      token: token, metrics: metrics, version: ARDF.version, limits: inference.serviceLimits,
      connections: inference.connectionLimits, end: end,
      deepStack: inference.deepstack ? try networks.deepStack() : nil, log: log)
    Interruption.endFirst {
      Console.inform("ending: requests under way are answered")
      end.begin()
    }
    Console.inform("models \(networks.text)")
    if !address.isLoopback {
      Console.note(
        token == nil
          ? "every machine that reaches \(port.address) can use the models, and nothing is encrypted"
          : "every machine that reaches \(port.address) can use the models with the token, and nothing is encrypted: "
            + "put a proxy with TLS before it where others can listen")
    }
    if inference.deepstack { Console.note("http://\(port.address)/v1/vision/detection (DeepStack's API)") }
    Console.note("http://\(port.address)/v2 (Ctrl-C ends it)")
    try await server.run()
  }

  // MARK: - The page

  private func showPage() async throws {
    let finished = source.flatMap { FinishedFolder.exists($0) ? $0 : nil }
    if finished != nil, capture == nil {
      throw CommandError.usage("\(source ?? ""): holds results; say with --capture what they were made from")
    }
    if let source {
      try MistakenInput.refuseAsSource(source)
      guard fileExists(source) else { throw CaptureError.notFound(path: source) }
    }
    // Before anything slow, so that a busy port is reported at once.
    let port = try ListeningPort(inference.listen ?? .loopback(port ?? 8765))
    let (sensor, limits) = (sensor, limits.capture)
    let open = { @Sendable path in
      sensor.told(try CaptureReader.open(path, limits: limits, photographs: .exif))
    }
    let store = ServedFrames(perceiver: try perceiver(isRequired: finished == nil), open: open)
    var connections = ConnectionLimits()
    connections.memory = inference.memory
    let server = PageServer(
      store: store, port: port, token: try inference.pageToken(), connections: connections)
    if let finished, let capture {
      let selection = try FrameSelection(capture, frames: frame.map { [$0] } ?? [], open: open)
      let folder = try FinishedFolder(finished, of: selection, limits: limits)
      let report = try folder.report(
        capture: capture, path: CameraPath.poses(of: selection.source))
      _ = try await store.add(report, of: selection, capture: capture, folder: finished)
    } else if let source {
      let selection = try FrameSelection(source, frames: frame.map { [$0] } ?? [], open: open)
      Console.inform("finding objects and depth in \(source)")
      _ = try await store.run(selection, capture: source)
    }
    tellAddress(of: server, isOpen: !port.address.isLoopback)
    try await server.run()
  }

  /// Prints the page's address, and as a QR code where a phone can open it.
  private func tellAddress(of server: PageServer, isOpen: Bool) {
    let address = server.address(host: ListeningAddress.outward ?? Machine.hostName)
    if isOpen {
      Console.note("whoever has this address can use the page, and nothing is encrypted")
      if let code = QRCode(address) { Console.note(lines: code.terminalText) }
    }
    Console.note("\(address) (Ctrl-C ends it)")
  }

  /// The networks; with finished results they are used only for captures dropped later.
  private func perceiver(isRequired: Bool) throws -> Perceiver? {
    let pool = compute.makePool()
    let found: ObjectDetector
    do {
      found = try detector.detector(compute.settings, pool: pool)
    } catch CommandError.noWeights(let reason) where !isRequired {
      Console.note("nothing can be dropped on the page: \(reason)")
      return nil
    }
    Console.inform("detector \(found.network.name) from \(found.network.weights.file)")
    let depth = try WeightFiles.depth(depthOptions.depth).map {
      try depthOptions.settings.network($0, compute.settings, pool: pool)
    }
    Console.inform(
      depth.map { "depth \($0.name) from \($0.weights.file)" }
        ?? "no depth weights: using the depth sensor alone")
    var perceiver = Perceiver(
      detector: found, depth: depth, fusion: fusionOptions.options, isOverlapped: pool.threads > 1)
    perceiver.measuringThreads = pool.threads
    return perceiver
  }
}
