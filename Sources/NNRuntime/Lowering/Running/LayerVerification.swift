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
}

extension LoweredNetwork {
  /// Compares every layer whose result is a tensor of the program with what the nodes make by definition.
  package func verifyLayers(_ values: NameTable<ONNX.Value>) throws -> [LayerDifference] {
    let reference = try reference(values)
    var slots = try filled(values)
    var found: [LayerDifference] = []
    for stage in stages {
      switch stage {
      case .plain(let nodes): for node in nodes { try Self.run(node, &slots) }
      case .island(let island):
        let cumulative = try island.differences(from: slots, reference, isIsolated: false)
        let isolated = try island.differences(from: reference, reference, isIsolated: true)
        for (layer, difference) in cumulative {
          found.append(
            LayerDifference(
              name: layer.name, holds: layer.holds, operation: layer.operation, cumulative: difference,
              isolated: isolated.first { $0.layer.name == layer.name }?.difference ?? difference))
        }
        try island.run(&slots)
      }
    }
    return found
  }

  /// Every value of the program, each node by its definition.
  private func reference(_ values: NameTable<ONNX.Value>) throws -> [ONNXValue?] {
    var slots = try filled(values)
    for step in program.steps { try Self.run(ProgramNode(step), &slots) }
    return slots
  }
}

extension IslandSession {
  /// Runs the island on values that are there, and compares its layers; isolated ones are replaced by the reference after
  /// that.
  fileprivate func differences(
    from slots: [ONNXValue?], _ reference: [ONNXValue?], isIsolated: Bool
  ) throws -> [(layer: TracedLayer, difference: Float)] {
    let given = try inputs.map { try elements(of: $0.slot, slots) }
    let traced = Dictionary(grouping: session.plan.tracedLayers, by: \.step)
    var found: [(layer: TracedLayer, difference: Float)] = []
    try session.stepwise { filling in
      for (input, elements) in zip(inputs, given) { filling.fill(input.port, with: elements) }
    } body: { run in
      while let step = run.advance() {
        for layer in traced[step] ?? [] {
          guard let tensor = layers[layer.name], layer.shape.count == tensor.view.count, tensor.factor != 0,
            let value = reference[tensor.slot]
          else { continue }
          let expected = try value.tensor("a layer's result").floats()
          let memory = run.withElements(of: layer) { Self.dense($0, $1, layer.shape) }
          let made = tensor.view.elements(of: memory).map { $0 * tensor.factor }
          found.append((layer, Self.difference(made, expected)))
          guard isIsolated else { continue }
          let elements = tensor.view.memory(of: expected.map { $0 / tensor.factor })
          let shape = [layer.shape.images, layer.shape.height, layer.shape.width, layer.shape.channels]
          run.overwrite(
            layer, with: StridedMap(shape: layer.shape, channelsLast: elements, tensorShape: shape))
        }
      }
    }
    return found
  }

  private static func dense(_ span: Span<Float>, _ stride: Int, _ shape: MapShape) -> [Float] {
    var elements: [Float] = []
    elements.reserveCapacity(shape.count)
    for pixel in 0..<shape.batchPixels {
      for channel in 0..<shape.channels { elements.append(span[pixel * stride + channel]) }
    }
    return elements
  }

  /// The largest difference, as a share of the largest expected element; infinite where one alone is no number.
  private static func difference(_ made: [Float], _ expected: [Float]) -> Float {
    var (worst, scale) = (Float(0), Float.leastNormalMagnitude)
    for (a, b) in zip(made, expected) where a != b && !(a.isNaN && b.isNaN) {
      guard a.isFinite, b.isFinite else { return .infinity }
      worst = max(worst, abs(a - b))
    }
    for value in expected where value.isFinite { scale = max(scale, abs(value)) }
    return worst / scale
  }
}

extension StridedView {
  /// Memory that holds the tensor's elements, given row-major.
  func memory(of elements: [Float]) -> [Float] {
    var memory = elements
    for (place, element) in zip(places, elements) { memory[place] = element }
    return memory
  }
}
