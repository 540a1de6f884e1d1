import Geometry
import Imaging
import NNRuntime

/// A YOLO11 segmentation network with its pre- and postprocessing.
///
/// Calls from several threads are safe and take turns.
public final class YOLO11Segmentation: Sendable {
  /// The network's input for a picture.
  public enum Input: Sendable, Equatable {
    /// Every picture is padded to this size; both sides are multiples of 32.
    case fixed(height: Int, width: Int)
    /// The smallest rectangle of whole strides around the picture scaled into a square of this side.
    case minimalRectangle(side: Int)
  }

  /// Sides of an input, in pixels; each is a multiple of 32.
  public static let sides = 32...4096

  /// The sizes of the network, and its class names.
  package let architecture: YOLO11Architecture
  /// The network's input for a picture.
  public let input: Input
  private let sessions: SessionCache<PixelSize>

  /// Binds the weights; every tensor of the file must belong to the network and the other way round.
  ///
  /// Plans are made for the first picture of each size; `session(for:)` makes one ahead.
  ///
  /// - Throws: `YOLOError` for weights of another network and for input sizes that are not multiples of 32.
  public init(
    weights: WeightStore, input: Input = .fixed(height: 640, width: 640),
    options: PlanOptions = PlanOptions(), pool: ThreadPool = ThreadPool()
  ) throws(YOLOError) {
    switch input {
    case .fixed(let height, let width): try Self.check(height: height, width: width)
    case .minimalRectangle(let side): try Self.check(height: side, width: side)
    }
    let architecture = try YOLO11Architecture(weights)
    let network = try YOLO11Network.checked(weights, architecture)
    self.architecture = architecture
    self.input = input
    sessions = SessionCache(weights: weights, options: options, pool: pool) { size in
      network.graph(name: architecture.name, height: size.height, width: size.width)
    }
  }

  private init(architecture: YOLO11Architecture, input: Input, sessions: SessionCache<PixelSize>) {
    self.architecture = architecture
    self.input = input
    self.sessions = sessions
  }

  /// The same network run by another pool, side by side with this one: packed weights are shared, the memory
  /// of a run is not.
  public func running(on pool: ThreadPool) -> YOLO11Segmentation {
    YOLO11Segmentation(architecture: architecture, input: input, sessions: sessions.sessions(on: pool))
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
  /// - Throws: `YOLOError.plan` or `.weights` for the first picture of a size, `.nonFiniteOutput` for numbers that are
  ///   none.
  public func detect(
    _ picture: RGBImage, thresholds: DetectionThresholds = DetectionThresholds(), masks: MaskMethod = .retina
  ) throws(YOLOError) -> Segmentation {
    let letterbox = letterbox(for: PixelSize(width: picture.width, height: picture.height))
    return try detect(picture, in: letterbox, thresholds: thresholds, masks: masks)
  }

  /// The objects in an upright picture that is fitted into the network's input in a way of the caller's.
  ///
  /// - `masks`: nil makes none in the picture: they are empty, and `probabilities` alone say what belongs to an object.
  /// - `keepsEmpty`: also returns objects no pixel of whose box belongs to them.
  package func detect(
    _ picture: RGBImage, in letterbox: Letterbox, thresholds: DetectionThresholds, masks: MaskMethod?,
    keepsEmpty: Bool = false
  ) throws(YOLOError) -> Segmentation {
    try Self.check(height: letterbox.networkSize.height, width: letterbox.networkSize.width)
    let session = try plannedSession(for: letterbox.networkSize)
    let ports = try YOLOError.of(ports: { () throws(PortError) in try YOLO11Ports(session.plan) })
    let clock = ContinuousClock()
    let began = clock.now
    var prepared = began
    var inferred = began
    let found: Result<(objects: [SegmentedObject], selected: ContinuousClock.Instant), YOLOError> =
      session.run(
        prepare: { inputs in
          inputs.fill(ports.input) { YOLOPreprocessing.fill(&$0, with: picture, letterbox: letterbox) }
          prepared = clock.now
        },
        read: { outputs in
          inferred = clock.now
          return postprocess(
            outputs, ports, letterbox: letterbox, thresholds: thresholds, masks: masks, keepsEmpty: keepsEmpty
          )
        })
    let (objects, selected) = try found.get()
    return Segmentation(
      objects: objects, letterbox: letterbox,
      timings: StageTimings(began: began, prepared: prepared, inferred: inferred, ended: clock.now),
      selection: selected - inferred)
  }

  /// The network's raw outputs for an input given as it is.
  ///
  /// `input`: (height, width, 3), row-major, in [0, 1].
  package func rawOutputs(for input: [Float], size: PixelSize) throws(YOLOError) -> YOLO11Outputs {
    let session = try session(for: size)
    let ports = try YOLOError.of(ports: { () throws(PortError) in try YOLO11Ports(session.plan) })
    precondition(input.count == size.width * size.height * 3, "three channels a pixel")
    return session.run(
      prepare: { inputs in
        inputs.fill(ports.input) { target in
          for index in input.indices { target[index] = input[index] }
        }
      },
      read: { YOLO11Outputs($0, ports, architecture: architecture, size: size) })
  }

  // MARK: - Postprocessing

  /// The objects, and when it was known which they are: before their masks were made.
  private func postprocess(
    _ outputs: borrowing SessionOutputs, _ ports: YOLO11Ports, letterbox: Letterbox,
    thresholds: DetectionThresholds, masks: MaskMethod?, keepsEmpty: Bool
  ) -> Result<(objects: [SegmentedObject], selected: ContinuousClock.Instant), YOLOError> {
    let size = letterbox.networkSize
    let levels = PyramidLevel.pyramid(inputHeight: size.height, inputWidth: size.width)
    var candidates: [Candidate] = []
    for (level, maps) in zip(levels, ports.levels) {
      let infinite: GraphOutput? = outputs.withElements(of: maps.boxes) { boxes, _ in
        outputs.withElements(of: maps.classes) { classes, _ in
          guard boxes.allFinite else { return maps.boxes }
          guard classes.allFinite else { return maps.classes }
          candidates += HeadDecoding.candidates(
            level: level, boxes: boxes, classes: classes, classCount: architecture.classCount,
            confidence: thresholds.confidence, everyClass: thresholds.takesEveryClass)
          return nil
        }
      }
      if let infinite { return .failure(.nonFiniteOutput(name: infinite.name)) }
    }
    let survivors = NonMaximumSuppression.survivors(
      of: candidates, overlap: thresholds.overlap, limit: thresholds.limit)
    let selected = ContinuousClock.now
    guard !survivors.isEmpty else { return .success(([], selected)) }

    let decoder = MaskDecoder(letterbox: letterbox)
    let objects = outputs.withElements(of: ports.prototypes) { prototypes, _ in
      survivors.compactMap { survivor in
        object(
          survivor, coefficients(of: survivor, levels, ports, outputs), prototypes, masks, decoder, letterbox,
          keepsEmpty: keepsEmpty)
      }
    }
    return .success((objects, selected))
  }

  /// The mask coefficients at a candidate's anchor.
  private func coefficients(
    of candidate: Candidate, _ levels: [PyramidLevel], _ ports: YOLO11Ports,
    _ outputs: borrowing SessionOutputs
  ) -> [Float] {
    let index = levels.lastIndex { $0.firstAnchor <= candidate.anchor }!
    let first = (candidate.anchor - levels[index].firstAnchor) * architecture.coefficients
    return outputs.withElements(of: ports.levels[index].coefficients) { elements, _ in
      (first..<first + architecture.coefficients).map { elements[$0] }
    }
  }

  /// The object of a candidate; nil if no pixel of its box belongs to it, unless `keepsEmpty`.
  private func object(
    _ candidate: Candidate, _ coefficients: [Float], _ prototypes: Span<Float>, _ masks: MaskMethod?,
    _ decoder: MaskDecoder, _ letterbox: Letterbox, keepsEmpty: Bool
  ) -> SegmentedObject? {
    let box = letterbox.fromNetwork(candidate.box)
    let networkMask: ObjectMask?
    let mask: ObjectMask
    switch masks {
    case .fast:
      let found = decoder.networkMask(prototypes: prototypes, coefficients: coefficients, box: candidate.box)
      guard keepsEmpty || !found.isEmpty else { return nil }
      networkMask = found
      mask = decoder.imageMask(found)
    case .retina:
      networkMask = nil
      mask = decoder.imageMask(prototypes: prototypes, coefficients: coefficients, box: box)
      guard keepsEmpty || !mask.isEmpty else { return nil }
    case nil:
      let size = letterbox.imageSize
      networkMask = nil
      mask = ObjectMask(
        rasterWidth: size.width, rasterHeight: size.height, columns: 0..<0, rows: 0..<0, elements: [])
    }
    return SegmentedObject(
      classIndex: candidate.classIndex, className: architecture.classNames[candidate.classIndex],
      confidence: candidate.score, box: box, networkBox: candidate.box, mask: mask, networkMask: networkMask,
      probabilities: decoder.probabilities(
        prototypes: prototypes, coefficients: coefficients, box: candidate.box))
  }

  private static func check(height: Int, width: Int) throws(YOLOError) {
    let allowed = 32...YOLO11Architecture.maximumInputSide
    guard height % 32 == 0, width % 32 == 0, allowed.contains(height), allowed.contains(width) else {
      throw .invalidInputSize(height: height, width: width)
    }
  }
}
