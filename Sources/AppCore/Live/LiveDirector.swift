import FileFormats
import Geometry
import Imaging

/// A wish for an effect, to be met as soon as its object is found and measured.
public struct EffectWish: Sendable, Equatable {
  /// Which object is meant.
  public enum Target: Sendable, Equatable {
    /// The detection of that `id`.
    case object(Int)
    /// The surest detection of a class.
    case className(String)
    /// The detection at a point of the stored picture.
    case point(Point2<ImagePixels>)
  }

  /// Which object is meant.
  public let target: Target
  /// The effect to place on it.
  public let type: EffectType

  /// A wish.
  public init(_ type: EffectType, on target: Target) {
    self.type = type
    self.target = target
  }
}

/// Measures what the live loop finds, places effects on it, and says what is to be drawn over every frame.
public actor LiveDirector: DetectionObserver, MemoryHolder {
  /// An effect that was placed, with what it was placed on.
  public struct Placement: Sendable {
    /// The effect.
    public let staged: StagedEffect
    /// The frame in which its object was found.
    public let frame: String
    /// The object's class.
    public let className: String
    /// The object's points in that frame, for measuring drift; nil where there are too few.
    package let reference: AnchorReference?
  }

  private struct Sighting {
    let extent: ObjectExtent
    let anchored: AnchoredBox?
  }

  private let stage: EffectStage
  private let scene: FilmScene
  private let depth: (any DepthEstimator)?
  private let fusion: FusionOptions
  private let time: any TimeSource
  private let log: any LogSink
  private var wishes: [EffectWish]
  private var sightings: [Int: Sighting] = [:]
  /// Objects of all frames that were processed.
  package private(set) var sequence = SequenceObjects()
  /// Placements, in the order in which they were made.
  public private(set) var placements: [Placement] = []

  /// A director of a stage whose effects `scene` draws.
  public init(
    stage: EffectStage, scene: FilmScene, depth: (any DepthEstimator)? = nil,
    fusion: FusionOptions = FusionOptions(), wishes: [EffectWish] = [],
    time: any TimeSource, log: any LogSink = SilentLog()
  ) {
    self.stage = stage
    self.scene = scene
    self.depth = depth
    self.fusion = fusion
    self.wishes = wishes
    self.time = time
    self.log = log
  }

  /// Wishes that no object has met so far.
  public var openWishes: [EffectWish] { wishes }

  /// Bytes of the points of measured objects, of placed effects and of the sequence.
  public func heldBytes() -> Int {
    sightings.values.reduce(0) { $0 + $1.extent.heldBytes }
      + placements.reduce(0) { $0 + $1.staged.heldBytes + ($1.reference?.heldBytes ?? 0) }
      + sequence.heldBytes
  }

  /// Measures the objects, gathers them over the sequence, and places what is wished for.
  public func detected(_ detections: [Detection], objects: [TrackedObject], in frame: CapturedFrame) async {
    let extents = await depth(of: frame).extents(of: detections, in: frame)
    let now = time.now
    let followed = Set(objects.map(\.id))
    sightings = sightings.filter { followed.contains($0.key) }
    for object in objects where object.lastSeen == now || sightings[object.id] == nil {
      guard let extent = extents.first(where: { $0.id == object.detectionId }) else { continue }
      let anchored = extent.box3D.flatMap { AnchoredBox(object.box, anchor: $0.center, in: frame) }
      sightings[object.id] = Sighting(extent: extent, anchored: anchored)
    }
    sequence.add(extents, frame: frame.name)
    await place(detections, extents, in: frame)
  }

  private func depth(of frame: CapturedFrame) async -> FrameDepth {
    var estimate: EstimatedDepth?
    do {
      estimate = try await depth?.depth(of: frame)
    } catch {
      log.error("no depth for frame \(frame.name)", error)
    }
    return FrameDepth(estimate, frame: frame, options: fusion)
  }

  private func place(_ detections: [Detection], _ extents: [ObjectExtent], in frame: CapturedFrame) async {
    var open: [EffectWish] = []
    for wish in wishes {
      guard let detection = Self.target(of: wish, among: detections),
        let extent = extents.first(where: { $0.id == detection.id })
      else {
        open.append(wish)
        continue
      }
      do throws(PlacementError) {
        let staged = try await stage.place(wish.type, on: extent)
        placements.append(
          Placement(
            staged: staged, frame: frame.name, className: detection.className,
            reference: AnchorReference(detection, in: frame)))
      } catch {
        log.error("frame \(frame.name)", error)
        open.append(wish)
      }
    }
    wishes = open
  }

  private static func target(of wish: EffectWish, among detections: [Detection]) -> Detection? {
    switch wish.target {
    case .object(let id): detections.first { $0.id == id }
    case .point(let point): HitTest.detection(at: point, among: detections)
    case .className(let name):
      detections.filter { $0.className == name }.max { ($0.confidence, $1.id) < ($1.confidence, $0.id) }
    }
  }

  /// The overlay of a frame: effects, the followed objects at their current places, the loop's figures.
  ///
  /// - Throws: what an effect's film throws.
  public func overlay(for frame: CapturedFrame, state: LiveSnapshot) async throws -> LiveOverlay {
    var overlay = LiveOverlay()
    overlay.effects = try await scene.shown(at: time.now)
    for object in state.objects {
      let sighting = sightings[object.id]
      let meters = sighting?.extent.distance.meters
      overlay.objects.append(
        LabeledBox(
          box: sighting?.anchored.map { $0.box(in: frame) ?? Rect(minX: 0, minY: 0, maxX: 0, maxY: 0) }
            ?? object.box,
          label: ObjectExtent.label(object.className, confidence: object.confidence, meters: meters),
          source: sighting?.extent.distance.source ?? .none))
      if let extent = sighting?.extent, let box = extent.box3D,
        ResultsItem.isWorthDrawing(box, source: extent.distance.source, range: extent.distance.range)
      {
        overlay.wireframes.append(box)
      }
    }
    overlay.status = status(state)
    return overlay
  }

  private func status(_ state: LiveSnapshot) -> [String] {
    let tenths = Int(clamping: (state.framesPerSecond * 10).rounded())
    var lines = ["\(tenths / 10).\(tenths % 10) fps, \(state.framesDropped) dropped"]
    if state.detections + state.detectionFailures > 0 {
      lines.append(
        "\(counted(state.objects.count, "object")), \(counted(state.detections, "detection"))")
    }
    let effects = stage.effects.count
    if effects > 0 { lines.append(counted(effects, "effect")) }
    return lines
  }
}
