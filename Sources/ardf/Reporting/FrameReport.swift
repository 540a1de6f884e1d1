import AppCore
import FileFormats
import Geometry
import Imaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Contents of the page about one frame: the results of every stage, as their files have them.
package struct FrameReport: Sendable {
  /// One stage's time.
  package struct Timing: Sendable {
    /// The timed stage, such as `yolo11n-seg inference`.
    package var stage: String
    /// Milliseconds.
    package var milliseconds: Double

    /// A stage's time.
    package init(stage: String, milliseconds: Double) {
      self.stage = stage
      self.milliseconds = milliseconds
    }
  }

  /// A camera of the recording.
  package struct Pose: Sendable {
    /// The frame's name.
    package var name: String
    /// Where it stood.
    package var cameraToWorld: RigidTransform<CameraARKit, World>

    /// A named pose.
    package init(name: String, cameraToWorld: RigidTransform<CameraARKit, World>) {
      self.name = name
      self.cameraToWorld = cameraToWorld
    }
  }

  /// Which frame of its capture it is.
  package struct Position: Sendable, Equatable {
    /// From 0.
    package var index: Int
    /// Frames of the capture.
    package var count: Int

    /// A position and the number of all.
    package init(index: Int, of count: Int) {
      self.index = index
      self.count = count
    }
  }

  /// The frame; it has a picture.
  package var frame: CapturedFrame
  /// The capture's path, for the commands that the page offers.
  package var capture: String
  /// The objects found.
  package var detections: DetectionsFile
  /// `objects.json`.
  package var objects: JSONValue
  /// The effects already placed.
  package var effects: [PlacedEffect]
  /// Relative depth.
  package var relative: RelativeDepth?
  /// `fusion.json`.
  package var fusion: JSONValue?
  /// Meters as fused.
  package var metric: Plane<Float>?
  /// How each of them is known, as codes of `DepthState`; nil where that was not written down.
  package var metricSource: Plane<UInt8>?
  /// All cameras of the recording, in order.
  package var path: [Pose]
  /// Notes that a reader must know.
  package var notes: [String]
  /// How long stages took; empty where that is not known.
  package var timings: [Timing]
  /// The results picture, where it has been drawn already.
  package var results: RGBImage?
  /// Which frame of its capture it is; nil where that is not known.
  package var position: Position?
  /// The address of the page over all frames of the run, beside this frame's; nil where there is none.
  package var index: String?

  /// A report from its parts.
  package init(
    frame: CapturedFrame, capture: String, detections: DetectionsFile, objects: JSONValue,
    effects: [PlacedEffect] = [], relative: RelativeDepth? = nil, fusion: JSONValue? = nil,
    metric: Plane<Float>? = nil, metricSource: Plane<UInt8>? = nil, path: [Pose] = [], notes: [String] = [],
    timings: [Timing] = [],
    results: RGBImage? = nil
  ) {
    self.frame = frame
    self.capture = capture
    self.detections = detections
    self.objects = objects
    self.effects = effects
    self.relative = relative
    self.fusion = fusion
    self.metric = metric
    self.metricSource = metricSource
    self.path = path
    self.notes = notes
    self.timings = timings
    self.results = results
  }

  /// Fused depth with what is known of its values; nil without any.
  package var fused: MetricDepth? {
    metric.map { values in
      metricSource.flatMap { $0.size == values.size ? MetricDepth(values: values, codes: $0) : nil }
        ?? MetricDepth(fitted: values)
    }
  }

  /// The longest side of the results picture on the page, pixels.
  static let pictureSide = 2048
  /// The longest side of the photograph, which also colors points.
  static let photoSide = 1024
  static let pictureQuality = 82

  /// All but the times: the same for the same input.
  package func content() throws -> JSONValue {
    guard let image = frame.image else { throw ReportError.noPicture(frame: frame.name) }
    let results = try results ?? drawnResults(on: image)
    let upright = frame.orientation.apply(to: frame.imageSize)
    return [
      "schema": "ardf.report/1", "title": .string(frame.name), "capture": .string(capture),
      "position": position.map { ["index": .integer($0.index), "count": .integer($0.count)] } ?? .null,
      "image": [
        "size": [.integer(frame.imageSize.width), .integer(frame.imageSize.height)],
        "upright": [.integer(upright.width), .integer(upright.height)],
        "uprightToStored": .array(uprightToStored.map(JSONValue.number)),
      ],
      "pictures": [
        "results": .string(try Self.dataURL(Self.halved(results, within: Self.pictureSide))),
        "photo": .string(
          try Self.dataURL(Self.halved(image, within: Self.photoSide).oriented(frame.orientation))),
      ],
      "camera": frame.intrinsics.map { camera in
        [
          "fx": .number(camera.fx), "fy": .number(camera.fy), "cx": .number(camera.cx),
          "cy": .number(camera.cy),
        ]
      } ?? .null,
      "cameraToWorld": .array(frame.cameraToWorld.columnMajor.map(JSONValue.number)),
      "lidar": frame.depth.map(PackedPlane.millimeters) ?? .null,
      "confidence": frame.confidence.map(PackedPlane.bytes) ?? .null,
      "metric": metric.map(PackedPlane.millimeters) ?? .null,
      "metricSource": metricSource.map(PackedPlane.bytes) ?? .null,
      "detections": detections.json["detections"] ?? [], "model": detections.model,
      "objects": objects["objects"] ?? [], "effects": SceneFile(effects: effects).json["effects"] ?? [],
      "fusion": fusion ?? .null, "pairs": pairs,
      "path": .array(
        path.map {
          [
            "name": .string($0.name),
            "matrix": .array($0.cameraToWorld.columnMajor.map { .rounded($0, decimals: 5) }),
          ]
        }),
      "effectTypes": .array(EffectType.allCases.map { .string($0.rawValue) }),
      "notes": .array(notes.map(JSONValue.string)), "index": index.map(JSONValue.string) ?? .null,
    ]
  }

  private func drawnResults(on image: RGBImage) throws -> RGBImage {
    let items = try ResultsItem.items(of: detections.detections, objects: objects)
    return ResultsCompositor().compose(
      image, orientation: frame.orientation, items: items, intrinsics: frame.intrinsics,
      cameraToWorld: frame.cameraToWorld)
  }

  /// The stages' times.
  var timing: JSONValue {
    .array(
      timings.map {
        ["stage": .string($0.stage), "milliseconds": .rounded($0.milliseconds, decimals: 3)]
      })
  }

  /// Origin and steps of stored points over upright ones: x = o.x + a * u + b * v, y = o.y + c * u + d * v.
  private var uprightToStored: [Double] {
    func stored(_ x: Double, _ y: Double) -> Point2<ImagePixels> {
      frame.orientation.stored(Point2(x, y), stored: frame.imageSize)
    }
    let origin = stored(0, 0)
    let (right, down) = (stored(1, 0), stored(0, 1))
    return [
      origin.x, origin.y, right.x - origin.x, down.x - origin.x, right.y - origin.y, down.y - origin.y,
    ]
  }

  /// The fitted pairs of relative and metric depth, evenly thinned.
  private var pairs: JSONValue {
    guard let relative, let sensor = frame.readings else { return .null }
    let model = fusion?["model"]?.string.flatMap(FusionModel.init) ?? .inverse
    let all = DepthFusion.pairs(relative: relative, sensor: sensor, model: model)
    let step = max(1, all.relative.count / Self.plottedPairs)
    let kept = Array(stride(from: step / 2, to: all.relative.count, by: step))
    return [
      "relative": .array(kept.map { .rounded(all.relative[$0], decimals: 4) }),
      "meters": .array(kept.map { .rounded(all.meters[$0], decimals: 4) }),
    ]
  }

  private static let plottedPairs = 2000

  /// A picture halved until it is small enough.
  private static func halved(_ image: RGBImage, within side: Int) -> RGBImage {
    var image = image
    while max(image.width, image.height) > side, min(image.width, image.height) > 1 {
      image = image.resizedBilinear8(width: image.width / 2, height: image.height / 2)
    }
    return image
  }

  private static func dataURL(_ image: RGBImage) throws -> String {
    let jpeg = try ImageCodec.encodeJPEG(image, quality: pictureQuality)
    return "data:image/jpeg;base64," + Data(jpeg).base64EncodedString()
  }
}

/// Why there is no page.
package enum ReportError: Error, Equatable, CustomStringConvertible {
  /// The frame has no picture to show.
  case noPicture(frame: String)

  /// The reason.
  package var description: String {
    switch self {
    case .noPicture(let frame): "frame \(frame) has no picture to report on; choose another --frame"
    }
  }
}

extension ReportError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
