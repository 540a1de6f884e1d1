import Geometry
import Imaging
import NNRuntime

/// A Depth Anything V2 network with its pre- and postprocessing.
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

  /// The depth of one picture.
  public struct Estimate: Sendable {
    /// Relative inverse depth in the picture given: zero or more, without unit, larger is nearer.
    public let depth: Plane<Float>
    /// Size of the network's input.
    public let networkSize: PixelSize
    /// How long it took.
    public let timings: StageTimings
  }

  /// The sizes of the network.
  public let architecture: DepthAnythingArchitecture
  /// The network's input for a picture.
  public let input: Input
  private let sessions: SessionCache

  /// Binds the weights; every tensor of the file must belong to the network and the other way round.
  ///
  /// Plans are made for the first picture of each size; `session(for:)` makes one ahead.
  ///
  /// - Throws: `WeightError`, or `DepthError` for weights of another network and for input sizes that are not
  ///   multiples of 14.
  public init(
    weights: WeightStore, input: Input = .lowerBound(DepthInputSize.standard),
    options: PlanOptions = PlanOptions(), pool: ThreadPool = ThreadPool()
  ) throws {
    switch input {
    case .fixed(let size): try DepthInputSize.check(size)
    // Any square will do to check the bound.
    case .lowerBound(let bound):
      _ = try DepthInputSize.lowerBound(for: PixelSize(width: 1, height: 1), bound: bound)
    }
    let architecture = try DepthAnythingArchitecture(weights)
    let network = try DepthAnythingNetwork(weights, architecture)
    self.architecture = architecture
    self.input = input
    sessions = SessionCache(weights: weights, options: options, pool: pool) { size in
      network.graph(name: architecture.name, height: size.height, width: size.width)
    }
  }

  private init(architecture: DepthAnythingArchitecture, input: Input, sessions: SessionCache) {
    self.architecture = architecture
    self.input = input
    self.sessions = sessions
  }

  /// The same network run by another pool, side by side with this one: packed weights are shared, the memory
  /// of a run is not.
  public func running(on pool: ThreadPool) -> DepthAnythingV2 {
    DepthAnythingV2(architecture: architecture, input: input, sessions: sessions.sessions(on: pool))
  }

  /// The size of the network's input for a picture.
  public func networkSize(for picture: PixelSize) throws(DepthError) -> PixelSize {
    switch input {
    case .lowerBound(let bound): try DepthInputSize.lowerBound(for: picture, bound: bound)
    case .fixed(let size): size
    }
  }

  /// The session that runs an input of this size, for inspection and profiling.
  public func session(for size: PixelSize) throws -> Session {
    try DepthInputSize.check(size)
    return try sessions.session(for: size)
  }

  /// The depth of an upright picture.
  ///
  /// - Throws: `DepthError.tooElongated`, and what `Plan` throws for the first picture of a size.
  public func estimate(_ picture: RGBImage) throws -> Estimate {
    let size = try networkSize(for: PixelSize(width: picture.width, height: picture.height))
    let session = try sessions.session(for: size)
    let clock = ContinuousClock()
    let began = clock.now
    var prepared = began
    let raw = session.run(
      prepare: { inputs in
        inputs.fill("input") { DepthPreprocessing.fill(&$0, with: picture, size: size) }
        prepared = clock.now
      },
      read: { $0.output("depth").elements })
    let inferred = clock.now
    guard raw.span.allFinite else { throw DepthError.nonFiniteOutput }
    let depth = Plane(width: size.width, height: size.height, elements: raw)
      .resizedBilinear(width: picture.width, height: picture.height, alignment: .alignCorners)
    return Estimate(
      depth: depth, networkSize: size,
      timings: StageTimings(began: began, prepared: prepared, inferred: inferred, ended: clock.now))
  }

  /// The network's output for an input given as it is.
  ///
  /// - Parameter input: (height, width, 3), row-major, normalised.
  public func rawOutput(for input: [Float], size: PixelSize) throws -> Plane<Float> {
    let session = try session(for: size)
    precondition(input.count == size.width * size.height * 3, "three channels a pixel")
    let raw = session.run(
      prepare: { inputs in
        inputs.fill("input") { target in
          for index in input.indices { target[index] = input[index] }
        }
      },
      read: { $0.output("depth").elements })
    return Plane(width: size.width, height: size.height, elements: raw)
  }
}
