extension Graph {
  /// The same network without layers that no output depends on; its inputs stay.
  package func removingUnread() -> Graph {
    var graph = self
    var needed = Set(outputs.map(\.value))
    var kept: [Node] = []
    for node in nodes.reversed() where needed.contains(node.output) || node.operation is Input {
      needed.formUnion(node.inputs)
      kept.append(node)
    }
    graph.nodes = kept.reversed()
    return graph
  }
}
