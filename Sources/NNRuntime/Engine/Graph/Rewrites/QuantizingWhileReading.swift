import NNKernelInterface

// Static quantization: a convolution of integers of 8 bits rounds what it reads. What is rounded for such convolutions alone
// is not rounded by a layer of its own.

extension Graph {
  /// The same network, of which convolutions with weights of 8 bits round what they read, where it is a multiple of a scale.
  func quantizingWhileReading(where accepts: Joint.Judge) -> Graph {
    let producer = producers()
    var steps = [ByteSteps?](repeating: nil, count: shapes.count)
    var graph = self
    for (index, node) in nodes.enumerated() {
      steps[node.output] = node.operation.steps(of: node.inputs.map { steps[$0] })
      guard var layer = node.operation as? Convolution, layer.readsInput, !layer.isDepthwise,
        let before = producer[node.inputs[0]], let own = steps[node.inputs[0]]
      else { continue }
      layer.prologue = .quantize(own)
      var joined = node
      joined.operation = layer
      let joint = Joint(layer: node, joined: joined, other: nodes[before], shapes: shapes)
      if accepts(joint), layer.hasByteWeights { graph.nodes[index] = joined }
    }
    return graph.leavingOutSteps()
  }

  /// Leaves out the layers that round for convolutions which do so themselves.
  private func leavingOutSteps() -> Graph {
    var graph = self
    var readers = [[Int]](repeating: [], count: shapes.count)
    for (index, node) in nodes.enumerated() { for input in node.inputs { readers[input].append(index) } }
    let outputs = Set(outputs.map(\.value))
    var removed = Set<Int>()
    for (index, node) in nodes.enumerated() {
      guard node.operation is ElementFunction, let steps = node.operation.steps(of: [nil]),
        !outputs.contains(node.output), !readers[node.output].isEmpty,
        readers[node.output].allSatisfy({ nodes[$0].rounds(node.output, to: steps) })
      else { continue }
      for reader in readers[node.output] { graph.nodes[reader].inputs[0] = node.inputs[0] }
      graph.nodes[readers[node.output][0]].preceding.insert(contentsOf: node.holds, at: 0)
      removed.insert(index)
    }
    graph.remove(removed)
    return graph
  }
}

extension Node {
  /// Whether it reads a value as a convolution's first input alone, and rounds it to these steps.
  fileprivate func rounds(_ value: ValueID, to steps: ByteSteps) -> Bool {
    guard let layer = operation as? Convolution, case .quantize(steps) = layer.prologue else { return false }
    return inputs[0] == value && !inputs.dropFirst().contains(value)
  }
}

extension Operator {
  /// The multiples that its result consists of, by those of its inputs; nil where it may hold other numbers.
  fileprivate func steps(of inputs: [ByteSteps?]) -> ByteSteps? {
    switch multiples {
    case .any: return nil
    case .own(let steps): return steps
    case .ofInputs:
      guard let first = inputs.first, inputs.allSatisfy({ $0 == first }) else { return nil }
      return first
    }
  }
}
