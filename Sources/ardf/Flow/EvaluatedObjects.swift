import Evaluation
import FileFormats
import Models
import NNRuntime

/// What of a detector's objects is evaluated, and how.
struct EvaluatedObjects {
  let rule: EvaluationProtocol
  /// What labels have to have.
  let form: LabelForm
  /// Key points of an annotation; nil where none are evaluated.
  let keypoints: Int?
  private let task: YOLOTask
  private let keypointShape: KeypointShape?

  /// - `file`: the weights' path, for messages.
  init(_ architecture: YOLOArchitecture, options: ObjectEvaluationOptions, file: String) throws {
    task = architecture.task
    keypointShape = architecture.keypoints
    if task == .orientedBoxes,
      let given = options.rule == .coco
        ? "--protocol coco" : options.annotations.map({ _ in "--annotations" })
    {
      throw CommandError.usage(
        "\(file): finds oriented boxes, which COCO's rule does not have: leave \(given) away")
    }
    if task != .segment, options.masks != nil {
      throw CommandError.usage("\(file): finds \(task.finds), and no masks: leave --masks away")
    }
    rule = options.rule ?? (task == .orientedBoxes ? .ultralytics : .coco)
    keypoints = architecture.keypoints?.count
    form =
      switch task {
      case .orientedBoxes: .outlines
      case .pose:
        architecture.keypoints.map { .keypoints(count: $0.count, dimensions: $0.dimensions) } ?? .objects
      case .detect, .segment, .classify: .objects
      }
  }

  /// What is compared with a set's labels.
  func shape(for set: LabelledSet) -> EvaluatedShape {
    switch task {
    case .segment: set.hasRegions ? .masks : .boxes
    case .pose:
      keypointShape.map { .keypoints(count: $0.count, dimensions: $0.dimensions) } ?? .boxes
    case .orientedBoxes: .orientedBoxes
    case .detect, .classify: .boxes
    }
  }

  /// What a reader may miss in the figures; nil where nothing is.
  func note(for set: LabelledSet) -> String? {
    switch task {
    case .segment where !set.hasRegions: "masks are not evaluated: not all labels have outlines"
    case .detect where set.hasRegions: "masks are not evaluated: the network has none"
    default: nil
    }
  }
}
