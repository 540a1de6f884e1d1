import Geometry
import Imaging
import NNRuntime

/// A Depth Anything V2 network with its pre- and postprocessing: relative, metric, or prompted with a sensor's depth
/// (Prompt Depth Anything).
///
/// Calls from several threads are safe and take turns.
public final class DepthAnythingV2: Sendable {
  /// The network's input for a picture.
  public enum Input: Sendable, Equatable {
    /// The picture's shape, roughly, with this shorter side (see `DepthInputSize`).
    case lowerBound(Int)
    /// Every picture is stretched to this size; both sides are multiples of 14.
    case fixed(PixelSize)
  }

  /// Kind of the network's depth: relative, metric, or prompted by a sensor.
  public var output: DepthOutput { architecture.output }
  /// The sizes of the network.
  package let architecture: DepthAnythingArchitecture
  /// The network's input for a picture.
  public let input: Input
  /// Where its weights come from.
  public let weights: WeightSource
  private let sessions: SessionCache<DepthInput>

  /// Binds the weights; every tensor of the file must belong to the network and the other way round.
  ///
  /// Plans are made for the first picture of each size; `session(for:)` makes one ahead. The input is by default that
  /// of the reference, of 518, or 756 for a prompted network, on the shorter side.
  ///
  /// - Throws: `DepthError` for weights of another network and for input sizes that are not multiples of 14.
  public init(
    weights: WeightStore, input: Input? = nil, options: PlanOptions = PlanOptions(),
    pool: ThreadPool = ThreadPool()
  ) throws(DepthError) {
    let architecture = try DepthAnythingArchitecture(weights)
    let input = input ?? .lowerBound(architecture.standardBound)
    switch input {
    case .fixed(let size): try DepthInputSize.check(size)
    // Any square will do to check the bound.
    case .lowerBound(let bound):
      _ = try DepthInputSize.lowerBound(for: PixelSize(width: 1, height: 1), bound: bound)
    }
    let network = try DepthError.of(weights: { () throws(WeightError) in
      try DepthAnythingNetwork(weights, architecture)
    })
    self.architecture = architecture
    self.input = input
    self.weights = WeightSource(weights)
    let planned = options.planned(by: weights).sparing(Self.unevenLayers, of: architecture.name)
    sessions = SessionCache(weights: weights, options: planned, pool: pool) { size in
      network.graph(name: architecture.name, size)
    }
  }

  /// Layers that 8 bits cost most, which stay in bf16 or 16 bits.
  ///
  /// The first one's input has a few channels far larger than all others, which set a token's common scale: alone it costs
  /// three times what any other does. The others are among those that change the output most for the time they save, the
  /// change squared, on five photographs, none of them of a capture (`ardf verify --sensitivity`).
  private static let unevenLayers =
    ["0.mlp.fc1", "0.mlp.fc2"].map { "pretrained.blocks.\($0)" }
    + [0, 1, 2, 3, 5, 11].map { "pretrained.blocks.\($0).attn.proj" }

  private init(_ other: DepthAnythingV2, sessions: SessionCache<DepthInput>) {
    (architecture, input, weights) = (other.architecture, other.input, other.weights)
    self.sessions = sessions
  }

  /// The same network run by another pool, side by side with this one: packed weights are shared, the memory
  /// of a run is not.
  public func running(on pool: ThreadPool) -> DepthAnythingV2 {
    DepthAnythingV2(self, sessions: sessions.sessions(on: pool))
  }

  /// The size of the network's input for a picture: both sides are multiples of 14.
  ///
  /// - Throws: `DepthError.tooElongated` for a picture that would need more patches than the network takes.
  public func networkSize(for picture: PixelSize) throws(DepthError) -> PixelSize {
    switch input {
    case .lowerBound(let bound): try DepthInputSize.lowerBound(for: picture, bound: bound)
    case .fixed(let size): size
    }
  }

  /// The session that runs an input of this size, for inspection and profiling.
  ///
  /// - Parameters:
  ///   - size: The input's.
  ///   - prompt: the size of a prompted network's prompt, by default 256x192, that of an iPhone's LiDAR map;
  ///     one that is not prompted has none.
  /// - Returns: The session, made on the first call for a size and kept.
  /// - Throws: `DepthError` for a size that the network cannot have, and where it cannot be planned.
  public func session(for size: PixelSize, prompt: PixelSize? = nil) throws(DepthError) -> Session {
    try DepthInputSize.check(size)
    let prompt = prompt ?? DepthInput.standardPrompt
    return try session(of: DepthInput(picture: size, prompt: output == .prompted ? prompt : nil))
  }

  private func session(of input: DepthInput) throws(DepthError) -> Session {
    do throws(SessionError) { return try sessions.session(for: input) } catch { throw DepthError(error) }
  }

  /// The depth of an upright picture.
  ///
  /// - Parameters:
  ///   - picture: The picture.
  ///   - sensor: of a prompted network: planar depth in meters over the upright picture's whole field, at any
  ///     resolution; others ignore it.
  /// - Returns: Depth at every pixel of the picture, as `output` says.
  /// - Throws: `DepthError.tooElongated`, `.noPrompt`, `.nonFiniteOutput`; `.plan` or `.weights` for the first picture of
  ///   a size.
  public func estimate(_ picture: RGBImage, sensor: Plane<Float>? = nil) throws(DepthError) -> DepthEstimate {
    let size = try networkSize(for: PixelSize(width: picture.width, height: picture.height))
    let prompt = architecture.output == .prompted ? sensor.flatMap(DepthPrompt.init) : nil
    if architecture.output == .prompted, prompt == nil { throw .noPrompt }
    let session = try session(
      of: DepthInput(
        picture: size, prompt: prompt.map { PixelSize(width: $0.values.width, height: $0.values.height) }))
    let ports = try DepthError.of(ports: { () throws(PortError) in try DepthPorts(session.plan) })
    let clock = ContinuousClock()
    let began = clock.now
    var prepared = began
    let raw = session.run(
      prepare: { inputs in
        inputs.fill(ports.picture) { DepthPreprocessing.fill(&$0, with: picture, size: size) }
        if let prompt, let port = ports.prompt { inputs.fill(port, with: prompt.values.elements) }
        prepared = clock.now
      },
      read: { $0.elements(of: ports.depth) })
    let inferred = clock.now
    guard raw.span.allFinite else { throw .nonFiniteOutput }
    let output = Plane(width: size.width, height: size.height, elements: raw)
    let depth = (prompt?.meters(output) ?? output)
      .resizedBilinear(width: picture.width, height: picture.height, alignment: .alignCorners)
    return DepthEstimate(
      depth: depth, networkSize: size,
      timings: StageTimings(began: began, prepared: prepared, inferred: inferred, ended: clock.now))
  }
}
