import AppCore
import FileFormats
import Geometry
import HTTPServing
import InferenceProtocol
import Models

/// Objects as tensors, in the stored picture's pixels; only the tensors that the network's task has.
struct ObjectTensors {
  private let form: ObjectForm

  init(_ network: any ObjectNetwork) { form = network.form }

  /// How many key points an object has, and numbers of each.
  private var keypoints: (count: Int, dimensions: Int)? {
    if case .keypoints(let count, let dimensions) = form { (count, dimensions) } else { nil }
  }

  var descriptions: [TensorDescription] {
    [
      TensorDescription("boxes", .float32, [-1, 4]), TensorDescription("scores", .float32, [-1]),
      TensorDescription("classes", .int64, [-1]), TensorDescription("labels", .bytes, [-1]),
    ] + (form == .masks ? [TensorDescription("masks", .bytes, [-1])] : [])
      + (keypoints.map { [TensorDescription("keypoints", .float32, [-1, $0.count, $0.dimensions])] } ?? [])
      + (form == .orientedBoxes ? [TensorDescription("oriented_boxes", .float32, [-1, 5])] : [])
      + [TensorDescription("image_size", .int64, [2])]
  }

  /// `boxes` are left, top, right, bottom; `masks` COCO's run lengths, a JSON object each; `keypoints` x, y and, where the
  /// network tells, how sure it is; `oriented_boxes` the center, the side along the angle, the other, and the angle in
  /// radians, from x towards y; `image_size` is height and width.
  ///
  /// - `memory`: the budget for the texts of masks and for the pixels of one mask at a time.
  ///
  /// - Throws: `Refusal`.
  func tensors(
    _ detections: [Detection], of size: PixelSize, memory: MemoryBudget.Reservation
  ) throws -> [ProtocolTensor] {
    let count = detections.count
    var tensors = [
      ProtocolTensor(
        "boxes", [count, 4],
        detections.flatMap { [$0.box.minX, $0.box.minY, $0.box.maxX, $0.box.maxY].map { Float($0) } }),
      ProtocolTensor("scores", [count], detections.map(\.confidence)),
      ProtocolTensor("classes", [count], integers: detections.map(\.classId)),
      ProtocolTensor("labels", texts: detections.map(\.className)),
    ]
    if form == .masks {
      // Where its runs begin and end, down the columns.
      let texts = try memory.holding(size.width * size.height) {
        try detections.map { detection in
          let text = detection.mask.map(DetectionsFile.runLengths)?.serialized() ?? "null"
          try memory.take(2 * text.utf8.count)
          return text
        }
      }
      tensors.append(ProtocolTensor("masks", texts: texts))
    }
    if let keypoints {
      tensors.append(
        ProtocolTensor(
          "keypoints", [count, keypoints.count, keypoints.dimensions],
          detections.flatMap(\.keypoints).flatMap { keypoint in
            [Float(keypoint.point.x), Float(keypoint.point.y)] + (keypoint.confidence.map { [$0] } ?? [])
          }))
    }
    if form == .orientedBoxes {
      tensors.append(
        ProtocolTensor(
          "oriented_boxes", [count, 5],
          detections.flatMap { detection in
            detection.orientedBox.map { box in
              [box.center.x, box.center.y, box.width, box.height, box.angle].map { Float($0) }
            } ?? [Float](repeating: .nan, count: 5)
          }))
    }
    return tensors + [ProtocolTensor("image_size", [2], integers: [size.height, size.width])]
  }
}
