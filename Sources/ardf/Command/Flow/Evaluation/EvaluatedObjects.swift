import Evaluation
import FileFormats
import Models

/// The protocol of an evaluation of objects, and the form of its labels and results.
struct EvaluatedObjects {
  let rule: EvaluationProtocol
  /// The form that labels must have.
  let form: LabelForm
  /// Key points of an annotation; nil where none are evaluated.
  let keypoints: Int?
  private let found: ObjectForm

  /// - `file`: the weights, for messages.
  init(_ found: ObjectForm, options: ObjectEvaluationSettings, file: GivenPath) throws {
    self.found = found
    if found == .orientedBoxes,
      let given = options.rule == .coco
        ? "--protocol coco" : options.annotations.map({ _ in "--annotations" })
    {
      throw CommandError.usage(
        "\(file): finds oriented boxes, which COCO's rule does not have: leave \(given) away")
    }
    if found != .masks, options.masks != nil {
      throw CommandError.usage("\(file): finds \(found.finds), and no masks: leave --masks away")
    }
    rule = options.rule ?? (found == .orientedBoxes ? .ultralytics : .coco)
    keypoints = found.keypointCount == 0 ? nil : found.keypointCount
    form =
      switch found {
      case .orientedBoxes: .outlines
      case .keypoints(let count, let dimensions): .keypoints(count: count, dimensions: dimensions)
      case .boxes, .masks: .objects
      }
  }

  /// The shape that is compared with a set's labels.
  func shape(for set: LabeledSet) -> EvaluatedShape {
    switch found {
    case .masks: set.hasRegions ? .masks : .boxes
    case .keypoints(let count, let dimensions): .keypoints(count: count, dimensions: dimensions)
    case .orientedBoxes: .orientedBoxes
    case .boxes: .boxes
    }
  }

  /// A note on figures that the table lacks; nil where it lacks none.
  func note(for set: LabeledSet) -> String? {
    switch found {
    case .masks where !set.hasRegions: "masks are not evaluated: not all labels have outlines"
    case .boxes where set.hasRegions: "masks are not evaluated: the network has none"
    case .boxes, .masks, .orientedBoxes, .keypoints: nil
    }
  }
}
