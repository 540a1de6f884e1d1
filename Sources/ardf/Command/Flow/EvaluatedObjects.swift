import Evaluation
import FileFormats
import Models

/// What of a detector's objects is evaluated, and how.
struct EvaluatedObjects {
  let rule: EvaluationProtocol
  /// What labels have to have.
  let form: LabelForm
  /// Key points of an annotation; nil where none are evaluated.
  let keypoints: Int?
  private let found: ObjectForm

  /// - `file`: the weights' path, for messages.
  init(_ found: ObjectForm, options: ObjectEvaluationSettings, file: String) throws {
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

  /// What is compared with a set's labels.
  func shape(for set: LabelledSet) -> EvaluatedShape {
    switch found {
    case .masks: set.hasRegions ? .masks : .boxes
    case .keypoints(let count, let dimensions): .keypoints(count: count, dimensions: dimensions)
    case .orientedBoxes: .orientedBoxes
    case .boxes: .boxes
    }
  }

  /// What a reader may miss in the figures; nil where nothing is.
  func note(for set: LabelledSet) -> String? {
    switch found {
    case .masks where !set.hasRegions: "masks are not evaluated: not all labels have outlines"
    case .boxes where set.hasRegions: "masks are not evaluated: the network has none"
    default: nil
    }
  }
}
