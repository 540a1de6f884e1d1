import Geometry
import Imaging
import NNRuntime

/// A YOLO network that finds objects, with its pre- and postprocessing: boxes, and masks, key points or oriented boxes as
/// its weights have them.
///
/// Calls from several threads are safe and take turns.
public final class YOLODetector: Sendable {
  /// The network's input for a picture.
  public enum Input: Sendable, Equatable {
    /// Every picture is padded to this size; both sides are multiples of 32.
    case fixed(height: Int, width: Int)
    /// The smallest rectangle of whole strides around the picture scaled into a square of this side.
    case minimalRectangle(side: Int)
  }

  /// The sizes of the network, and its class names.
  package let architecture: YOLOArchitecture
  /// The network's input for a picture.
  public let input: Input
  /// Where its weights come from.
  public let weights: WeightSource
  private let sessions: SessionCache<PixelSize>

  /// Binds the weights; every tensor of the file must belong to the network and the other way round.
  ///
  /// Plans are made for the first picture of each size; `session(for:)` makes one ahead.
  ///
  /// `input`: nil takes the square that the network was trained on, as the weights say, by default 640.
  ///
  /// `suppressing`: of YOLO26's two heads the one whose boxes overlap and are suppressed, as Ultralytics 8.4's `predict`
  /// takes by default; else the one that gives each object one box.
  ///
  /// - Throws: `YOLOError` for weights of another network and for input sizes that are not multiples of 32.
  public init(
    weights: WeightStore, input: Input? = nil, suppressing: Bool = false,
    options: PlanOptions = PlanOptions(), pool: ThreadPool = ThreadPool()
  ) throws(YOLOError) {
    let side = ObjectInput.trainedSide(of: weights) ?? ObjectInput.usualSide
    let input = input ?? .fixed(height: side, width: side)
    switch input {
    case .fixed(let height, let width): try Self.check(height: height, width: width)
    case .minimalRectangle(let side): try Self.check(height: side, width: side)
    }
    let architecture = try YOLOArchitecture(weights, suppressing: suppressing)
    guard architecture.task != .classify else {
      throw .unknownArchitecture(reason: "they are a classifier's, which YOLOClassifier runs")
    }
    let network = try YOLONetwork.checked(weights, architecture)
    self.architecture = architecture
    self.input = input
    self.weights = WeightSource(weights)
    sessions = SessionCache(weights: weights, options: options, pool: pool) { size in
      network.graph(name: architecture.name, height: size.height, width: size.width)
    }
  }

  private init(_ other: YOLODetector, sessions: SessionCache<PixelSize>) {
    (architecture, input, weights) = (other.architecture, other.input, other.weights)
    self.sessions = sessions
  }

  /// The same network run by another pool, side by side with this one: packed weights are shared, the memory
  /// of a run is not.
  public func running(on pool: ThreadPool) -> YOLODetector {
    YOLODetector(self, sessions: sessions.sessions(on: pool))
  }

  /// How a picture of this size is fitted into the network's input.
  public func letterbox(for picture: PixelSize) -> Letterbox {
    switch input {
    case .fixed(let height, let width):
      Letterbox(imageSize: picture, networkSize: PixelSize(width: width, height: height))
    case .minimalRectangle(let side):
      .minimal(imageSize: picture, limit: side)
    }
  }

  /// The session that runs an input of this size, for inspection and profiling.
  ///
  /// - Throws: `YOLOError` for a size that the network cannot have, and where it cannot be planned.
  public func session(for size: PixelSize) throws(YOLOError) -> Session {
    try Self.check(height: size.height, width: size.width)
    return try plannedSession(for: size)
  }

  private func plannedSession(for size: PixelSize) throws(YOLOError) -> Session {
    do throws(SessionError) { return try sessions.session(for: size) } catch { throw YOLOError(error) }
  }

  /// The objects in an upright picture.
  ///
  /// - Throws: `YOLOError.plan` or `.weights` for the first picture of a size, `.nonFiniteOutput` for outputs that are
  ///   not finite.
  public func detect(
    _ picture: RGBImage, thresholds: DetectionThresholds = DetectionThresholds(), masks: MaskMethod = .retina
  ) throws(YOLOError) -> DetectedObjects {
    let letterbox = letterbox(for: PixelSize(width: picture.width, height: picture.height))
    return try detect(picture, in: letterbox, thresholds: thresholds, masks: masks)
  }

  /// The objects in an upright picture that is fitted into the network's input in a way of the caller's.
  ///
  /// - `masks`: nil makes none in the picture: `probabilities` alone say what belongs to an object.
  /// - `keepsEmpty`: also returns objects no pixel of whose box belongs to them.
  /// - `bounds`: on masks.
  ///
  /// - Throws: as `detect(_:thresholds:masks:)`; `.tooManyMaskPixels`, `.noMaskMemory`, `.unwanted` of `bounds`.
  package func detect(
    _ picture: RGBImage, in letterbox: Letterbox, thresholds: DetectionThresholds, masks: MaskMethod?,
    keepsEmpty: Bool = false, bounds: MaskBounds = MaskBounds()
  ) throws(YOLOError) -> DetectedObjects {
    try Self.check(height: letterbox.networkSize.height, width: letterbox.networkSize.width)
    let session = try plannedSession(for: letterbox.networkSize)
    let ports = try YOLOError.of(ports: { () throws(PortError) in
      try YOLOPorts(session.plan, task: architecture.task)
    })
    let clock = ContinuousClock()
    let began = clock.now
    var prepared = began
    var inferred = began
    var surest: SurestCandidate?
    let reading = ObjectReading(
      architecture, ports, letterbox: letterbox, thresholds: thresholds, masks: masks, keepsEmpty: keepsEmpty,
      bounds: bounds)
    let found: Result<(objects: [DetectedObject], selected: ContinuousClock.Instant), YOLOError> =
      session.run(
        prepare: { inputs in
          inputs.fill(ports.input) { YOLOPreprocessing.fill(&$0, with: picture, letterbox: letterbox) }
          prepared = clock.now
        },
        read: { outputs in
          inferred = clock.now
          let found = reading.objects(in: outputs)
          if case .success(let read) = found, read.objects.isEmpty { surest = reading.surest(in: outputs) }
          return found
        })
    let (objects, selected) = try found.get()
    return DetectedObjects(
      objects: objects, surest: surest, letterbox: letterbox,
      timings: StageTimings(began: began, prepared: prepared, inferred: inferred, ended: clock.now),
      selection: selected - inferred)
  }

  static func check(height: Int, width: Int) throws(YOLOError) {
    guard ObjectInput.isSide(height), ObjectInput.isSide(width) else {
      throw .invalidInputSize(height: height, width: width)
    }
  }
}
