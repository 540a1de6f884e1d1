import ONNX

/// Places for the values of one step, which steps that are tried take in turn.
final class StepScratch {
  private var slots: [ONNXValue?]

  init(_ count: Int) { slots = [ONNXValue?](repeating: nil, count: count) }

  /// Evaluates a step on values, by their numbers; nil where it fails.
  func results(of step: ONNXStep, _ values: [(slot: Int, value: ONNXValue)]) -> [ONNXValue?]? {
    for (slot, value) in values { slots[slot] = value }
    defer { for (slot, _) in values { slots[slot] = nil } }
    return try? step.evaluate(slots)
  }
}
