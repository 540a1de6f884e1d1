import FileFormats
import NNRuntime
import ONNX

/// A layer of the engine beside the definition of the nodes that it computes.
package struct LayerDifference: Sendable {
  /// The layer: the last of the nodes that are joined in it.
  package let name: String
  /// All nodes that went into it.
  package let holds: [String]
  /// The engine's name of the operation.
  package let operation: String
  /// The largest difference, as a share of the definition's largest element: fed what the engine made before, and fed what
  /// the definition makes.
  package var cumulative, isolated: Float
  /// Whether the definition rounds its elements to half precision.
  package let isHalf: Bool
  /// How far the definition is from itself where the results of all layers are disturbed by some times their isolated
  /// differences; zero where nothing asked for it.
  package fileprivate(set) var sensitivity: Float = 0
  /// The tensor of the program.
  fileprivate let slot: Int
}

/// An output of a network beside what its nodes make by definition.
package struct OutputDifference: Sendable {
  package let name: String
  /// The largest difference, as a share of the definition's largest element; infinite where type or shape differ.
  package let difference: Float
  /// Whether the definition rounds its elements to half precision.
  package let isHalf: Bool
  /// As of layers.
  package fileprivate(set) var sensitivity: Float = 0
}

/// Comparison of a network with the definition of its nodes.
package struct LoweredVerification: Sendable {
  package fileprivate(set) var layers: [LayerDifference] = []
  package fileprivate(set) var outputs: [OutputDifference] = []
  /// Layers of the engine whose results are not tensors of the program: parts of operators, rearranged maps.
  package fileprivate(set) var uncompared: [String] = []
}

extension LoweredNetwork {
  /// Compares layers whose results are tensors of the program, and all outputs, with what nodes make by definition.
  ///
  /// Where a difference is beyond `tolerance`, the definition is also computed with disturbed layers.
  ///
  /// - `other`: whose definition counts, a network of the same nodes; nil: this one's.
  package func verified(
    _ values: NameTable<ONNX.Value>, tolerance: Float, definedBy other: LoweredNetwork? = nil
  ) throws -> LoweredVerification {
    let defined = other ?? self
    let reference = try defined.reference(values)
    var slots = try filled(values)
    var found = LoweredVerification()
    for stage in stages {
      switch stage {
      case .plain(let nodes): for node in nodes { try run(node, &slots) }
      case .island(let island):
        let cumulative = try island.differences(from: slots, reference, isIsolated: false)
        let isolated = try island.differences(from: reference, reference, isIsolated: true)
        found.uncompared += cumulative.uncompared
        for (layer, difference) in cumulative.compared {
          found.layers.append(
            LayerDifference(
              name: layer.name, holds: layer.holds, operation: layer.operation,
              cumulative: difference,
              isolated: isolated.compared.first { $0.layer.name == layer.name }?.difference
                ?? difference,
              isHalf: island.layers[layer.name].map { Self.isHalf(reference[$0.slot]) } ?? false,
              slot: island.layers[layer.name]?.slot ?? 0))
        }
        try island.run(&slots)
      }
    }
    found.outputs = zip(program.program.outputs, program.program.outputSlots).map { output, slot in
      OutputDifference(
        name: output.name, difference: Self.difference(slots[slot], reference[slot]),
        isHalf: Self.isHalf(reference[slot]))
    }
    if found.layers.contains(where: { $0.cumulative > tolerance })
      || found.outputs.contains(where: { $0.difference > tolerance })
    {
      try defined.addSensitivities(to: &found, values, reference, tolerance)
    }
    return found
  }

  private static func isHalf(_ value: ONNXValue?) -> Bool {
    if case .tensor(let tensor)? = value { tensor.type == .float16 } else { false }
  }

  /// Computes the definition with every layer's result disturbed, twice, and compares it with itself.
  private func addSensitivities(
    to found: inout LoweredVerification, _ values: NameTable<ONNX.Value>, _ reference: [ONNXValue?],
    _ tolerance: Float
  ) throws {
    var sizes: [Int: Float] = [:]
    for layer in found.layers {
      // What is beyond the tolerance excuses nothing after it.
      sizes[layer.slot] =
        Disturbance.ofIsolated * max(min(layer.isolated, tolerance), Disturbance.rounding)
    }
    for seed in 1...2 {
      var disturbance = Disturbance(seed: UInt64(seed))
      let disturbed = try self.reference(values) { slot, value in
        guard let size = sizes[slot], case .tensor(let tensor) = value else { return value }
        return .tensor(disturbance.applied(to: tensor, size))
      }
      for index in found.layers.indices {
        let slot = found.layers[index].slot
        found.layers[index].sensitivity = max(
          found.layers[index].sensitivity, Self.difference(disturbed[slot], reference[slot]))
      }
      for (index, slot) in program.program.outputSlots.enumerated() {
        found.outputs[index].sensitivity = max(
          found.outputs[index].sensitivity, Self.difference(disturbed[slot], reference[slot]))
      }
    }
  }

  private static func difference(_ made: ONNXValue?, _ expected: ONNXValue?) -> Float {
    switch (made, expected) {
    case (.tensor(let made)?, .tensor(let expected)?):
      guard made.type == expected.type, made.shape == expected.shape else { return .infinity }
      if case .string(let made) = made.elements, case .string(let expected) = expected.elements {
        return made == expected ? 0 : .infinity
      }
      return IslandSession.difference(made.doubles(), expected.doubles())
    case (.sequence(let made)?, .sequence(let expected)?):
      guard made.count == expected.count else { return .infinity }
      return zip(made, expected).map { difference($0, $1) }.max() ?? 0
    case (.optional(let made)?, .optional(let expected)?): return difference(made, expected)
    case (nil, nil): return 0
    default: return .infinity
    }
  }

  /// Every value of the program, each node by its definition; nodes read what `changed` makes of a value.
  private func reference(
    _ values: NameTable<ONNX.Value>, changed: (Int, ONNXValue) -> ONNXValue = { $1 }
  ) throws -> [ONNXValue?] {
    var slots = try filled(values)
    for step in program.steps {
      try run(ProgramNode(step), &slots)
      for case let slot? in step.outputSlots { slots[slot] = slots[slot].map { changed(slot, $0) } }
    }
    return slots
  }
}

extension IslandSession {
  /// Runs the island on values that are there, and compares its layers; isolated ones are replaced by the reference after
  /// that.
  fileprivate func differences(
    from slots: [ONNXValue?], _ reference: [ONNXValue?], isIsolated: Bool
  ) throws -> (compared: [(layer: TracedLayer, difference: Float)], uncompared: [String]) {
    var found: [(layer: TracedLayer, difference: Float)] = []
    var uncompared: [String] = []
    try stepwise(from: slots) { layer, made in
      guard let made, let value = reference[made.slot] else {
        uncompared.append(layer.name)
        return nil
      }
      let expected = try value.tensor("a layer's result").floats()
      found.append((layer, Self.difference(made.elements, expected)))
      return isIsolated ? expected : nil
    }
    return (found, uncompared)
  }

  /// The largest difference, as a share of the largest expected element; infinite where one alone is not a number.
  fileprivate static func difference<T: BinaryFloatingPoint>(_ made: [T], _ expected: [T]) -> Float {
    var (worst, scale) = (T(0), T.leastNormalMagnitude)
    for (a, b) in zip(made, expected) where a != b && !(a.isNaN && b.isNaN) {
      guard a.isFinite, b.isFinite else { return .infinity }
      worst = max(worst, abs(a - b))
    }
    for value in expected where value.isFinite { scale = max(scale, abs(value)) }
    return Float(worst / scale)
  }
}
