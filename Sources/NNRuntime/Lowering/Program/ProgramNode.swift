import NNRuntime
import ONNX

/// Function of one or several steps of a program.
struct ProgramNode: Sendable {
  /// The operation, where a rule has recognized more than the operator's name.
  enum Operation: Sendable {
    /// The one step's operator.
    case step
    /// An activation of the engine, or a function of single elements.
    case activation(Activation)
    case function(ElementwiseFunction)
    /// A normalization over the last axis.
    case layerNorm(gamma: [Float]?, beta: [Float]?, epsilon: Float)
    /// Softmax of queries by keys, times values.
    case attention(AttentionForm)
    /// Weighted sums of samples: maps, points of each, and weights are the node's inputs.
    case sampling
  }

  /// How an attention is written: queries, keys and values are the node's inputs.
  struct AttentionForm: Sendable {
    /// Factor on the products.
    var scale: Float = 1
    /// The orders of axes that make queries, keys and values (..., tokens, width).
    var query, key, value: [Int]
    /// The order of axes that makes the result of (..., queries, width).
    var result: [Int]
    /// A constant that is added to the scaled products, and a factor on it.
    var addends: (slot: Int, factor: Float)?
  }

  var operation: Operation
  /// The steps, the last of which makes the result.
  var steps: [ONNXStep]
  var inputs: [Int?]
  var outputs: [Int?]

  init(_ step: ONNXStep) {
    operation = .step
    steps = [step]
    inputs = step.inputSlots
    outputs = step.outputSlots
  }

  init(_ operation: Operation, _ steps: [ONNXStep], inputs: [Int?]) {
    self.operation = operation
    self.steps = steps
    self.inputs = inputs
    outputs = steps[steps.count - 1].outputSlots
  }

  /// The last step.
  var step: ONNXStep { steps[steps.count - 1] }
  var name: String { step.name }
  /// Every value that it reads from outside of it.
  var reads: [Int] {
    let made = Set(steps.flatMap(\.outputSlots).compactMap(\.self))
    return steps.flatMap(\.readSlots).filter { !made.contains($0) }
  }
}
