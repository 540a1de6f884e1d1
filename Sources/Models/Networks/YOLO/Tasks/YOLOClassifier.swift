import Geometry
import Imaging
import NNRuntime

/// A YOLO network that classifies a whole picture, with its pre- and postprocessing.
///
/// Calls from several threads are safe and take turns.
public final class YOLOClassifier: Sendable {
  /// The side of the square that published networks are given.
  public static let publishedSide = 224

  /// The sizes of the network, and its class names.
  package let architecture: YOLOArchitecture
  /// The side of the square that pictures are cut to.
  public let side: Int
  /// Where its weights come from.
  package let weights: WeightSource
  private let sessions: SessionCache<PixelSize>

  /// Binds the weights; every tensor of the file must belong to the network and the other way round.
  ///
  /// - Throws: `YOLOError` for weights of another network and for a side that is not a multiple of 32.
  public init(
    weights: WeightStore, side: Int = YOLOClassifier.publishedSide, options: PlanOptions = PlanOptions(),
    pool: ThreadPool = ThreadPool()
  ) throws(YOLOError) {
    try YOLODetector.check(height: side, width: side)
    let architecture = try YOLOArchitecture(weights)
    guard architecture.task == .classify else {
      throw .unknownArchitecture(reason: "they are not a classifier's; YOLODetector runs them")
    }
    let network = try YOLONetwork.checked(weights, architecture)
    self.architecture = architecture
    self.side = side
    self.weights = WeightSource(weights)
    sessions = SessionCache(weights: weights, options: options, pool: pool) { size in
      network.graph(name: architecture.name, height: size.height, width: size.width)
    }
  }

  private init(_ other: YOLOClassifier, sessions: SessionCache<PixelSize>) {
    (architecture, side, weights) = (other.architecture, other.side, other.weights)
    self.sessions = sessions
  }

  /// The same network run by another pool, side by side with this one: packed weights are shared, the memory
  /// of a run is not.
  public func running(on pool: ThreadPool) -> YOLOClassifier {
    YOLOClassifier(self, sessions: sessions.sessions(on: pool))
  }

  /// The session that runs a square input of this side, for inspection and profiling.
  ///
  /// - Throws: `YOLOError` for a side that the network cannot have, and where it cannot be planned.
  public func session(side: Int) throws(YOLOError) -> Session {
    try YOLODetector.check(height: side, width: side)
    do throws(SessionError) {
      return try sessions.session(for: PixelSize(width: side, height: side))
    } catch {
      throw YOLOError(error)
    }
  }

  /// Probabilities of all classes for an input as an ONNX export takes it.
  ///
  /// - `planar`: (3, side, side), row-major, RGB in [0, 1].
  ///
  /// - Throws: `YOLOError` for a side that the network cannot have, and where it cannot be planned.
  package func exportedOutput(planar: ArraySlice<Float>, side: Int) throws(YOLOError) -> [Float] {
    let session = try session(side: side)
    let (input, output) = try YOLOError.of(ports: { () throws(PortError) in
      (try session.plan.input("input"), try session.plan.output("probabilities"))
    })
    return session.run(
      prepare: { inputs in inputs.fill(input) { interleave(planar, into: &$0) } },
      read: { $0.elements(of: output) })
  }

  /// The classes of an upright picture's middle square.
  ///
  /// - Throws: `YOLOError.plan` or `.weights` for the first picture, `.nonFiniteOutput` for outputs that are not finite.
  public func classify(_ picture: RGBImage) throws(YOLOError) -> Classification {
    let session = try session(side: side)
    let (input, output) = try YOLOError.of(ports: { () throws(PortError) in
      (try session.plan.input("input"), try session.plan.output("probabilities"))
    })
    let clock = ContinuousClock()
    let began = clock.now
    var prepared = began
    var inferred = began
    let probabilities = session.run(
      prepare: { inputs in
        inputs.fill(input) { YOLOPreprocessing.fillMiddleSquare(&$0, with: picture, side: side) }
        prepared = clock.now
      },
      read: { outputs in
        inferred = clock.now
        return outputs.elements(of: output)
      })
    guard probabilities.span.allFinite else { throw .nonFiniteOutput(name: output.name) }
    let order = probabilities.indices.sorted {
      (probabilities[$1], $0) < (probabilities[$0], $1)
    }
    let names = architecture.classNames
    return Classification(
      classes: order.map {
        Classification.Class(index: $0, name: names[$0], probability: probabilities[$0])
      },
      timings: StageTimings(began: began, prepared: prepared, inferred: inferred, ended: clock.now))
  }
}
