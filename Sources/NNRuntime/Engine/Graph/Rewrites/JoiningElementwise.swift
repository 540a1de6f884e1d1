// Elementwise operators after a convolution are computed while its sums are in registers or the first-level
// cache. out = activation((x * w) * scale + shift) + residual, so affine, activation and addition can join in
// this order, each if nothing else reads what it reads. One line for all channels after an activation of straight lines is
// an activation of that kind.

extension Graph {
  /// The same network with affine maps, activations and residual additions joined to the layers before them.
  func joiningElementwise() -> Graph {
    var graph = placingViewsEarly()
    var producer = graph.producers()
    let reads = graph.readCounts()
    var removed = Set<Int>()

    for index in graph.nodes.indices {
      let node = graph.nodes[index]
      for (position, input) in node.inputs.enumerated().reversed() {
        // Of two convolutions that are added, the later one takes the other's result as its residual.
        guard reads[input] == 1, let before = producer[input],
          let joined = graph.nodes[before].joined(by: node, at: position),
          node.inputs.allSatisfy({ $0 == input || graph.isReady($0, before: before, producer) })
        else { continue }
        graph.nodes[before] = joined
        producer[node.output] = before
        removed.insert(index)
        break
      }
    }
    graph.remove(removed)
    return graph
  }

  /// The same network, in which parts and other shapes of a map come next to it: what is added to a layer's result may be one.
  private func placingViewsEarly() -> Graph {
    var views: [ValueID: [Node]] = [:]
    var made: [Node] = []
    for node in nodes where node.showsPart { views[node.inputs[0], default: []].append(node) }
    func place(_ node: Node) {
      made.append(node)
      for view in views[node.output] ?? [] { place(view) }
    }
    for node in nodes where !node.showsPart { place(node) }
    var graph = self
    graph.nodes = made
    return graph
  }

  /// Leaves out the nodes at `indices`.
  mutating func remove(_ indices: Set<Int>) {
    nodes = nodes.enumerated().filter { !indices.contains($0.offset) }.map(\.element)
  }

  /// Whether a value has been made before the node at `index` runs.
  private func isReady(_ value: ValueID, before index: Int, _ producer: [Int?]) -> Bool {
    producer[value].map { $0 < index } ?? true
  }
}

extension Node {
  /// Whether its result is another way to see its one input's memory.
  fileprivate var showsPart: Bool { operation is Slice || operation is View }

  /// This layer with `next`, which reads its output as operand `position`, done on the way to memory; nil
  /// where it can't be.
  fileprivate func joined(by next: Node, at position: Int) -> Node? {
    let step = next.operation.elementwiseStep
    guard let operation = operation.joined(with: step, hasResidual: inputs.count > 1) else { return nil }
    var joined = self
    joined.operation = operation
    if case .addition = step { joined.inputs.append(next.inputs[1 - position]) }
    joined.output = next.output
    joined.fused.append(next.name)
    return joined
  }
}
