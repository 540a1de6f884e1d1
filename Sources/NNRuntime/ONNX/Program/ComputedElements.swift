import FileFormats

/// Elements that a step makes whenever they are read, of elements of a file that it brings into another order or type.
///
/// Memory holds none of them, so that weights lie in it once: as the engine has packed them.
package struct ComputedElements: Sendable {
  /// Steps from the file's elements to these.
  fileprivate let depth: Int
  /// Computes them.
  let tensor: @Sendable () -> Tensor
}

extension Step {
  /// Bytes from which on a tensor is worth it.
  private static let leastBytes = 1 << 16
  /// Steps that one reading may take.
  private static let mostDepth = 3
  /// Operators that take about as long as reading.
  private static let moving: Set<String> = ["Transpose", "Cast", "DequantizeLinear"]

  /// Results of the step on known values, their elements computed where those are a file's.
  package func recomputed(_ made: [Value?], of inputs: [Value?]) -> [Value?] {
    guard Self.moving.contains(type), isPure, made.count == 1, case .tensor(let tensor)? = made[0],
      let implementation, tensor.heldBytes >= Self.leastBytes
    else { return made }
    var depths: [Int] = []
    for case .tensor(let input)? in inputs {
      switch input.elements {
      case .mapped: if input.count >= Self.leastBytes / 8 { depths.append(1) }
      case .computed(let elements): depths.append(elements.depth + 1)
      default: if input.heldBytes >= Self.leastBytes { return made }
      }
    }
    // One of them, lest a tensor be computed more often with every step.
    guard depths.count == 1, depths[0] <= Self.mostDepth else { return made }
    let elements = ComputedElements(depth: depths[0]) {
      let call = Call(self, inputs: inputs, slots: [], budget: RunBudget())
      let again = Shape.$most.withValue(Tensor.mostElements) { try? implementation.run(call) }
      guard case .tensor(let tensor)?? = again?.first else {
        preconditionFailure("\(name) made a tensor before")
      }
      for case .tensor(let input)? in inputs {
        if case .mapped(let bytes) = input.elements { bytes.release() }
      }
      return tensor
    }
    var computed = Tensor(type: tensor.type, shape: tensor.shape, elements: .computed(elements))
    computed.dequantized = tensor.dequantized
    return [.tensor(computed)]
  }
}

extension Tensor {
  /// Bytes that it keeps in memory, those of a file left out.
  package var heldBytes: Int {
    switch elements {
    case .mapped, .computed: 0
    default: count * max(type.bits, 8) / 8
    }
  }
}

extension Value {
  /// Bytes that it keeps in memory, those of a file left out.
  package var heldBytes: Int {
    switch self {
    case .tensor(let tensor): tensor.heldBytes
    case .sequence(let values): values.map(\.heldBytes).reduce(0, +)
    case .optional(let value): value?.heldBytes ?? 0
    }
  }

  /// The value with its elements in memory, where they are computed.
  package var computed: Value {
    guard case .tensor(let tensor) = self, case .computed(let elements) = tensor.elements else { return self }
    return .tensor(elements.tensor().reshaped(tensor.shape))
  }
}
