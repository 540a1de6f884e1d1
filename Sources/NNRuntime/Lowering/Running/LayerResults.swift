import FileFormats
import NNRuntime
import ONNX

extension IslandSession {
  /// Runs the island on values that are there, layer by layer.
  ///
  /// - `body`: gets each layer, and the tensor of the program that it made, row-major; nil where its result is not a tensor of it: a part of
  ///   an operator, a rearranged map. Elements that it returns replace those that were made.
  func stepwise(
    from slots: [ONNXValue?],
    _ body: (_ layer: TracedLayer, _ made: (slot: Int, elements: [Float])?) throws -> [Float]?
  ) throws {
    let given = try inputs.map { try elements(of: $0.slot, slots) }
    let traced = Dictionary(grouping: session.plan.tracedLayers, by: \.step)
    try session.stepwise { filling in
      for (input, elements) in zip(inputs, given) { filling.fill(input.port, with: elements) }
    } body: { run in
      while let step = run.advance() {
        for layer in traced[step] ?? [] {
          guard let tensor = layers[layer.name], layer.shape.count == tensor.view.count, tensor.factor != 0
          else {
            _ = try body(layer, nil)
            continue
          }
          let memory = run.withElements(of: layer) { Self.dense($0, $1, layer.shape) }
          let made = tensor.view.elements(of: memory).map { $0 * tensor.factor }
          guard let replaced = try body(layer, (tensor.slot, made)) else { continue }
          let elements = tensor.view.memory(of: replaced.map { $0 / tensor.factor })
          let shape = [
            layer.shape.images, layer.shape.height, layer.shape.width, layer.shape.channels,
          ]
          run.overwrite(
            layer, with: StridedMap(shape: layer.shape, channelsLast: elements, tensorShape: shape))
        }
      }
    }
  }

  private static func dense(_ span: Span<Float>, _ stride: Int, _ shape: MapShape) -> [Float] {
    var elements: [Float] = []
    elements.reserveCapacity(shape.count)
    for pixel in 0..<shape.batchPixels {
      for channel in 0..<shape.channels { elements.append(span[pixel * stride + channel]) }
    }
    return elements
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

extension LoweredNetwork {
  /// Runs the network, and calls `body` with every value that it makes and that the file names, as soon as it is complete.
  ///
  /// These are the results of layers and of nodes that are computed by their definition. What lies between joined nodes is
  /// never made; `inputs` come first.
  package func trace(
    _ values: NameTable<ONNX.Value>, _ body: (_ name: String, _ value: ONNX.Value) throws -> Void
  ) throws {
    var names: [Int: [String]] = [:]
    for (name, slot) in program.program.names { names[slot, default: []].append(name) }
    var slots = try filled(values)
    var written: Set<Int> = []
    func made(_ slot: Int, _ value: ONNXValue?) throws {
      guard let value, let found = names[slot], written.insert(slot).inserted else { return }
      for name in found.sorted() { try body(name, value) }
    }
    for slot in program.program.inputSlots { try made(slot, slots[slot]) }
    for stage in stages {
      switch stage {
      case .plain(let nodes):
        for node in nodes {
          try run(node, &slots)
          for case let slot? in node.outputs { try made(slot, slots[slot]) }
        }
      case .island(let island):
        try island.stepwise(from: slots) { _, result in
          if let result, let kind = program.kinds[result.slot] {
            try made(result.slot, .tensor(kind.tensor(result.elements)))
          }
          return nil
        }
        try island.run(&slots)
        for output in island.outputs { try made(output.slot, slots[output.slot]) }
      }
    }
    for slot in program.program.outputSlots { try made(slot, slots[slot]) }
  }
}
