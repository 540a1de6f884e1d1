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
  /// Tiles that large pictures are cut into; nil for the whole picture alone.
  public var tiling: Tiling?
  /// Limits on masks.
  package var maskBounds = MaskBounds()
  /// Whether a picture without objects reports the best candidate: of no use where other thresholds follow.
  package var tellsSurest = true

  /// Rules; by default those of the phone app.
  public init(
    thresholds: DetectionThresholds = DetectionThresholds(), classes: Set<Int>? = nil,
    masks: MaskMethod = .retina
  ) {
    self.thresholds = thresholds
    self.classes = classes
    self.masks = masks
  }

  /// Whether a candidate is reported where no object was found.
  func tells(_ surest: SurestCandidate) -> Bool {
    tellsSurest && classes?.contains(surest.classIndex) ?? true
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
  /// Detections, with numbers rounded as in files.
  public let detections: [Detection]
  /// Where nothing was found, what came nearest to it; nil where something was, and where nothing wanted was near.
  public let surest: SurestCandidate?
  /// How long it took.
  public let timings: StageTimings
  /// Time of decoding and suppression within `timings.postprocess`; the rest went into masks.
  public let selection: Duration
}

/// A network that finds objects, and which of them are wanted.
///
/// Its numbers are rounded as files have them, so that what is measured of a detection is what is measured of its file.
public struct ObjectDetector: Detector {
  /// The network that finds them.
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
  ///
  /// - Throws: `PerceptionError.network`.
  public func detect(in picture: RGBImage) throws(PerceptionError) -> [UprightDetection] {
    try upright(in: picture).detections.map(\.asWritten)
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
    let found = try self.upright(in: upright)
    return FoundObjects(
      detections: found.detections.map { $0.turnedBack(from: orientation, stored: stored).asWritten },
      surest: found.surest.flatMap { rules.tells($0) ? $0 : nil },
      timings: found.timings, selection: found.selection)
  }

  /// The objects of an upright picture, of its parts too where they are asked for.
  private func upright(in picture: RGBImage) throws(PerceptionError) -> UprightObjects {
    guard let tiling = rules.tiling else { return try whole(picture) }
    var found: [UprightObjects] = []
    let tiles = tiling.tiles(of: picture.size)
    for tile in tiles {
      let part = picture.cropped(x: tile.column, y: tile.row, width: tile.width, height: tile.height)
      var objects = try whole(part)
      objects.detections = objects.detections.map {
        $0.moved(toColumn: tile.column, row: tile.row, of: picture.size)
      }
      found.append(objects)
    }
    if tiles.count > 1 { found.append(try whole(picture)) }
    var all = UprightObjects(together: found)
    all.detections = TileMerging(form: network.form, confidence: rules.thresholds.confidence)
      .merged(all.detections)
    return all
  }

  private func whole(_ picture: RGBImage) throws(PerceptionError) -> UprightObjects {
    do {
      let found = try network.detect(picture, rules.request)
      return UprightObjects(
        detections: found.detections(of: rules.classes, limit: rules.thresholds.limit), surest: found.surest,
        timings: found.timings, selection: found.selection)
    } catch {
      throw .network(file: network.weights.file, error)
    }
  }
}

/// Objects of an upright picture, or of its tiles.
private struct UprightObjects {
  var detections: [UprightDetection]
  let surest: SurestCandidate?
  let timings: StageTimings
  let selection: Duration
}

extension UprightObjects {
  /// Objects of several tiles.
  init(together parts: [UprightObjects]) {
    detections = parts.flatMap(\.detections)
    surest =
      detections.isEmpty ? parts.compactMap(\.surest).max { $0.confidence < $1.confidence } : nil
    func sum(_ duration: (UprightObjects) -> Duration) -> Duration {
      parts.reduce(.zero) { $0 + duration($1) }
    }
    timings = StageTimings(
      preprocess: sum(\.timings.preprocess), inference: sum(\.timings.inference),
      postprocess: sum(\.timings.postprocess))
    selection = sum(\.selection)
  }
}
