import FileFormats

/// Nodes in an order in which each follows those that it reads.
enum NodeOrder {
  /// The nodes as they are where they are in order, as ONNX asks; converters that append nodes leave them otherwise.
  ///
  /// A cycle is `malformed`.
  static func sorted(_ nodes: [NodeMessage]) throws -> [NodeMessage] {
    var makers = NameTable<Int>()
    for (index, node) in nodes.enumerated() {
      for name in node.outputs where !name.isEmpty { makers[name] = index }
    }
    let needed = nodes.map { node in reads(node).compactMap { makers[$0] } }
    guard needed.enumerated().contains(where: { index, list in list.contains { $0 >= index } }) else {
      return nodes
    }
    enum State { case unseen, open, done }
    var states = [State](repeating: .unseen, count: nodes.count)
    var order: [Int] = []
    for start in nodes.indices where states[start] == .unseen {
      // Depth first, without recursion: a chain may be as long as the graph.
      var path = [(node: start, next: 0)]
      states[start] = .open
      while let (node, next) = path.last {
        guard next < needed[node].count else {
          states[node] = .done
          order.append(node)
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        let other = needed[node][next]
        if states[other] == .open {
          throw ONNXError.node(
            name: nodes[node].shownName, type: nodes[node].qualifiedType,
            .malformed("it reads what is made of its own result: the graph has a cycle"))
        }
        guard states[other] == .unseen else { continue }
        states[other] = .open
        path.append((other, 0))
      }
    }
    return order.map { nodes[$0] }
  }

  /// The names that a node reads, and those that its graphs may read of what is around them.
  private static func reads(_ node: NodeMessage) -> [String] {
    node.inputs
      + node.attributes.flatMap { attribute -> [String] in
        guard case .graph(let graph)? = attribute.value else { return [] }
        return graph.nodes.flatMap(reads) + graph.outputs.map(\.name)
      }
  }
}
