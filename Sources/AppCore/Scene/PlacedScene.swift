import FileFormats
import Geometry

/// The measured objects of a frame and the effects placed on them.
package struct PlacedScene: Sendable {
  /// How large and how far the objects are, in the detections' order.
  package let extents: [ObjectExtent]
  /// Placed effects, in the order of the wishes.
  package let effects: [PlacedEffect]
  /// Wishes that could not be met, and why.
  package let refused: [String]

  /// Places effects on the objects that a frame's detections were measured to be.
  package init(_ extents: [ObjectExtent], of detections: [Detection], requests: [EffectRequest]) {
    var queue = EffectQueue()
    var refused: [String] = []
    for request in requests {
      let id: Int?
      switch request.target {
      case .object(let wanted): id = wanted
      case .className(let name):
        id = detections.filter { $0.className.isSameName(as: name) }.max { $0.confidence < $1.confidence }?.id
      case .point(let point): id = HitTest.detection(at: point, among: detections)?.id
      }
      guard let object = extents.first(where: { $0.id == id }) else {
        if case .point = request.target {
          refused.append("\(request.text): no object is at this pixel; give one inside of a mask or box")
          continue
        }
        let names = NameSet(extents.map(\.className)).sorted
        refused.append(
          "\(request.text): no such object; there are \(extents.count)"
            + (names.isEmpty ? "" : ", of \(names.joined(separator: ", "))"))
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
    effects = placed
    self.refused = refused + impossible.map(\.description)
  }

  /// Contents of the scene files.
  ///
  /// - `fused`: metric depth that rests on the sensor, for the points; nil for the sensor's alone.
  package func model(of frame: CapturedFrame, fused: MetricDepth?) -> SceneModel {
    SceneModel(frame: frame, extents: extents, effects: effects, fused: fused)
  }
}
