import AppCore
import FileFormats
import Geometry

/// The measured objects of a frame and the effects placed on them.
struct PlacedScene: Sendable {
  let extents: [ObjectExtent]
  let effects: [PlacedEffect]
  /// Wishes that could not be met, and why.
  let refused: [String]
  private let metric: MetricDepth?

  init(
    frame: CapturedFrame, detections: [Detection], metric: MetricDepth?, estimated: MetricDepth? = nil,
    requests: [EffectRequest],
    options: ExtentOptions = ExtentOptions()
  ) {
    let extents = ExtentEstimator(
      scene: DepthScene(frame: frame, fused: metric, estimated: estimated), options: options
    )
    .extents(of: detections)
    var queue = EffectQueue()
    var refused: [String] = []
    for request in requests {
      let id: Int?
      switch request.target {
      case .object(let wanted): id = wanted
      case .point(let point): id = HitTest.detection(at: point, among: detections)?.id
      }
      guard let object = extents.first(where: { $0.id == id }) else {
        refused.append("\(request.text): no such object; there are \(extents.count)")
        continue
      }
      do throws(PlacementError) {
        try queue.enqueue(request.type, on: object)
      } catch {
        refused.append("\(request.text): \(error)")
      }
    }
    let (placed, impossible) = queue.placeAll()
    self.extents = extents
    self.metric = metric
    effects = placed
    self.refused = refused + impossible.map(\.description)
  }

  /// What the scene files show.
  func model(of frame: CapturedFrame) -> SceneModel {
    SceneModel(frame: frame, extents: extents, effects: effects, fused: metric)
  }

  /// The objects as the results picture shows them.
  func items(_ detections: [Detection]) -> [ResultsItem] {
    zip(detections, extents).map { detection, extent in
      ResultsItem(detection: detection, label: extent.label, distance: extent.distance, box: extent.box3D)
    }
  }

  /// A table for people.
  var table: String {
    guard !extents.isEmpty else { return "no objects\n" }
    var table = TextTable(
      ["id", "object", "score", "distance", "from", "size in its box x y z", "method", "warnings"],
      rightAligned: [0, 2, 3])
    for extent in extents {
      let sides = extent.box3D?.dimensions
      table.add([
        "\(extent.id)", extent.className, decimal(Double(extent.confidence), 3),
        extent.distance.meters.map { "\(decimal($0, 2)) m" } ?? "-- m", extent.distance.source.rawValue,
        sides.map { "\(decimal($0.x, 2)) x \(decimal($0.y, 2)) x \(decimal($0.z, 2)) m" } ?? "-",
        extent.box3D?.method.rawValue ?? "-", extent.warnings.map(\.rawValue).joined(separator: ", "),
      ])
    }
    return table.text
  }
}
