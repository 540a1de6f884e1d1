import AppCore
import Geometry
import Imaging
import Models
import NNRuntime

/// Which objects of a picture are wanted.
public struct ObjectRules: Sendable {
  /// Objects that a network is asked for where only some classes are wanted: the best of all classes are as many as there
  /// may be.
  package static let mostObjects = 10_000

  /// How sure the network must be, how much boxes of a class may overlap, and the most objects.
  public var thresholds: DetectionThresholds
  /// Indices of the only classes wanted; nil for all.
  public var classes: Set<Int>?
  /// How masks are made.
  public var masks: MaskMethod
  /// What masks may cost.
  package var maskBounds = MaskBounds()

  /// Rules; by default those of the phone app.
  public init(
    thresholds: DetectionThresholds = DetectionThresholds(), classes: Set<Int>? = nil,
    masks: MaskMethod = .retina
  ) {
    self.thresholds = thresholds
    self.classes = classes
    self.masks = masks
  }

  var request: DetectionRequest {
    var request = DetectionRequest(thresholds: thresholds, masks: masks)
    if classes != nil { request.thresholds.limit = Self.mostObjects }
    request.bounds = maskBounds
    return request
  }
}

/// The objects of a frame, in the pixels of its picture as stored, best first.
public struct FoundObjects: Sendable {
  /// What was found, with numbers as files have them.
  public let detections: [Detection]
  /// Where nothing was found, what came nearest to it; nil where something was, and where nothing wanted was near.
  public let surest: SurestCandidate?
  /// How long it took.
  public let timings: StageTimings
  /// What decoding the heads and suppressing overlaps took of `timings.postprocess`; the rest went into masks.
  public let selection: Duration
}

/// A network that finds objects, and which of them are wanted.
///
/// Its numbers are rounded as files have them, so that what is measured of a detection is what is measured of its file.
public struct ObjectDetector: Detector {
  /// What finds them.
  public let network: any ObjectNetwork
  /// Which are wanted; a change reaches the next picture.
  public var rules: ObjectRules

  /// A detector of any family.
  public init(_ network: any ObjectNetwork, rules: ObjectRules = ObjectRules()) {
    self.network = network
    self.rules = rules
  }

  /// The same detector run by another pool, side by side with this one.
  public func running(on pool: ThreadPool) -> ObjectDetector {
    ObjectDetector(network.running(on: pool), rules: rules)
  }

  /// The objects of an upright picture, in its own pixels.
  public func detect(in picture: RGBImage) throws(PerceptionError) -> [UprightDetection] {
    kept(try objects(in: picture)).map(\.asWritten)
  }

  /// The objects of a frame, found in its upright picture, in the pixels of the stored one.
  ///
  /// - Throws: `PerceptionError.noPicture`, `.network`.
  public func objects(of frame: CapturedFrame) throws(PerceptionError) -> FoundObjects {
    try objects(
      in: PerceptionError.upright(frame), orientation: frame.orientation, stored: frame.imageSize)
  }

  /// The objects of an upright picture, in the pixels of the stored one of size `stored`, which `orientation` turned
  /// upright.
  package func objects(
    in upright: RGBImage, orientation: Orientation, stored: PixelSize
  ) throws(PerceptionError) -> FoundObjects {
    let found = try objects(in: upright)
    return FoundObjects(
      detections: kept(found).map { $0.turnedBack(from: orientation, stored: stored).asWritten },
      surest: found.surest.flatMap { rules.classes?.contains($0.classIndex) ?? true ? $0 : nil },
      timings: found.timings, selection: found.selection)
  }

  private func objects(in upright: RGBImage) throws(PerceptionError) -> DetectedObjects {
    do {
      return try network.detect(upright, rules.request)
    } catch {
      throw .network(file: network.weights.file, error)
    }
  }

  private func kept(_ found: DetectedObjects) -> [UprightDetection] {
    found.detections(of: rules.classes, limit: rules.thresholds.limit)
  }
}
