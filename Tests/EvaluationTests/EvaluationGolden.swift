import Evaluation
import FileFormats
import Foundation

/// The figures of pycocotools and ultralytics for given labels and detections
/// (`tools/reference/goldens/make-evaluation-goldens.py`).
enum EvaluationGolden {
  static func read() throws -> JSONValue {
    let file = Bundle.module.path(forResource: "Goldens", ofType: nil)! + "/evaluation.json"
    return try JSONValue.read(path: file)
  }

  static func box(_ value: JSONValue?) -> COCOBox? {
    guard let numbers = value?.numbers, numbers.count == 4 else { return nil }
    return COCOBox(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }

  /// Whether the precisions of a class are those of the golden.
  static func agree(_ found: AveragePrecision?, _ expected: JSONValue?, within tolerance: Double = 1e-9)
    -> Bool
  {
    guard let expected = expected?.numbers else { return found == nil }
    guard let found else { return false }
    return zip(found.atThresholds, expected).allSatisfy { abs($0 - $1) <= tolerance }
  }
}

extension PrecisionResult {
  /// The precision of a class; nil for one that is not evaluated.
  func precision(of classIndex: Int) -> AveragePrecision? {
    classes.first { $0.classIndex == classIndex }?.precision
  }
}
