/// A layer whose result can be read during a run, right after the step that completes it.
public struct TracedLayer: Sendable {
  /// Name of the result: the module path of the last layer fused into it.
  public let name: String
  /// The layers that were joined to make it, first to last; one where nothing was fused.
  ///
  /// Those of which a step before did a part, which is no layer's result, are among them.
  public let holds: [String]
  /// The field's names of the operations of `holds`, one each.
  public let kinds: [String]
  /// The name of the network's output that it is; nil for other layers.
  public let output: String?
  /// The field's name of the operation.
  public let operation: String
  /// The shape of the result.
  public let shape: MapShape
  /// Whether the result is a sequence of tokens, not a picture-like map.
  public let isTokens: Bool
  /// Index in `Plan.layers` of the step after which it is complete.
  public let step: Int

  let value: ValueID

  /// Its shape as the reference frameworks have it: (images, channels, height, width), or (images, tokens, channels).
  public var tensorShape: [Int] {
    isTokens
      ? [shape.images, shape.pixels, shape.channels]
      : [shape.images, shape.channels, shape.height, shape.width]
  }
}

extension Plan {
  /// All layers in the order in which their results become complete; without inputs, constants and slices.
  ///
  /// Concatenations and views have no step: they are complete when their parts are.
  public var tracedLayers: [TracedLayer] {
    var steps: [ValueID: Int] = [:]
    for (step, node) in assignment.nodes.enumerated() { steps[node.output] = step }
    var ready = [Int?](repeating: nil, count: assignment.shapes.count)
    var tokens = Set<ValueID>()
    /// Layers that went into values which are no layer's result.
    var parts: [ValueID: [String]] = [:]
    var layers: [(order: Int, layer: TracedLayer)] = []
    for (order, node) in graph.nodes.enumerated() {
      var isListed = true
      switch node.operation.placing {
      case .given:
        isListed = false
      case .channels:
        ready[node.output] = ready[node.inputs[0]]
        isListed = false
      case .pixels:
        ready[node.output] = ready[node.inputs[0]]
      case .around, .inSequence:
        let copies = assignment.nodes.indices.filter { assignment.isCopy($0, for: node) }
        ready[node.output] = (node.inputs.compactMap { ready[$0] } + copies).max()
      case .own, .afterToken:
        ready[node.output] = steps[node.output]
      }
      if isTokens(node, tokens) { tokens.insert(node.output) }
      let holds = node.holds(after: node.inputs.flatMap { parts[$0] ?? [] })
      if node.partOf != nil {
        isListed = false
        parts[node.output] = holds
      }
      guard isListed, let step = ready[node.output] else { continue }
      layers.append(
        (
          order,
          TracedLayer(
            name: node.fused.last ?? node.name, holds: holds,
            kinds: holds.map { kinds[$0] ?? node.operation.name },
            output: graph.outputs.first { $0.value == node.output }?.name, operation: node.operation.name,
            shape: graph.shapes[node.output], isTokens: tokens.contains(node.output), step: step,
            value: node.output)
        ))
    }
    return layers.sorted { ($0.layer.step, $0.order) < ($1.layer.step, $1.order) }.map(\.layer)
  }

  /// A token sequence begins where a map of several rows becomes one row, or where a token is put before it.
  private func isTokens(_ node: Node, _ known: Set<ValueID>) -> Bool {
    switch node.operation.placing {
    case .afterToken:
      return true
    case .pixels:
      let (source, target) = (graph.shapes[node.inputs[0]], graph.shapes[node.output])
      return target.height == 1 && (source.height > 1 || known.contains(node.inputs[0]))
    case .own, .given, .channels, .around, .inSequence:
      return node.inputs.first.map(known.contains) ?? false
    }
  }
}

extension Node {
  /// All layers that are computed here or were in the steps of `parts`, each once and first to last.
  ///
  /// The half of a 1x1 convolution that reads what was not enlarged yet has a name that is no module's.
  fileprivate func holds(after parts: [String]) -> [String] {
    var all: [String] = []
    for layer in parts + holds where !layer.hasPrefix("\(name).part") && !all.contains(layer) {
      all.append(layer)
    }
    return all
  }
}

extension BufferAssignment {
  /// Whether the step brings an operand of `concatenation` to its place.
  fileprivate func isCopy(_ step: Int, for concatenation: Node) -> Bool {
    guard nodes[step].operation is Copy else { return false }
    return nodes[step].name.hasPrefix("\(concatenation.name).copy")
      && concatenation.inputs.contains(nodes[step].inputs[0])
  }
}
