/// Shapes compared with labels besides boxes.
package enum EvaluatedShape: Sendable, Equatable {
  /// Nothing.
  case boxes
  /// Their pixels.
  case masks
  /// Their key points, by how far people are off each, over the root of the object's area.
  case keypoints(sigmas: [Double])
  /// Their oriented boxes, in place of the upright ones.
  case orientedBoxes

  /// How far people are off a person's joints (COCO).
  private static let joints: [Double] = [
    0.026, 0.025, 0.025, 0.035, 0.035, 0.079, 0.079, 0.072, 0.072, 0.062, 0.062, 0.107, 0.107, 0.087, 0.087,
    0.089, 0.089,
  ]

  /// Key points of a network: COCO's joints, or others, of which nothing is known and all have the reciprocal of their
  /// number, as Ultralytics has it.
  ///
  /// - `dimensions`: 3 where a network says which are seen.
  package static func keypoints(count: Int, dimensions: Int) -> EvaluatedShape {
    .keypoints(
      sigmas: count == joints.count && dimensions == 3
        ? joints : Array(repeating: 1 / Double(count), count: count))
  }
}
