/// A layer with another that was joined to it, for whoever plans it to accept or not: rewrites say what is the same in
/// algebra, a plan what a kernel computes and what that costs.
struct Joint {
  /// The layer without the other, with it, and the other.
  var layer, joined, other: Node
  /// The shapes of all values.
  var shapes: [MapShape]

  /// Whether a rewrite is accepted.
  typealias Judge = (Joint) -> Bool
}

extension Graph {
  /// The same network, in which convolutions also do the work of the node that makes their first input.
  ///
  /// - Parameters:
  ///   - accepts: Whether two nodes are joined.
  ///   - join: Makes a node and its layer do that of the one before, which nothing else reads; nil where they cannot.
  /// - Returns: The network.
  func joiningMakers(
    where accepts: Joint.Judge = { _ in true },
    _ join: (_ node: Node, _ layer: Convolution, _ before: Node) -> (layer: Convolution, inputs: [ValueID])?
  ) -> Graph {
    var graph = self
    let makers = makersForOne()
    var removed = Set<Int>()
    for (index, node) in nodes.enumerated() {
      guard let layer = node.operation as? Convolution, layer.readsInput, let before = makers[node.inputs[0]],
        let found = join(node, layer, nodes[before])
      else { continue }
      var joined = graph.nodes[index]
      (joined.operation, joined.inputs) = (found.layer, found.inputs)
      joined.preceding.insert(contentsOf: nodes[before].holds, at: 0)
      guard accepts(Joint(layer: node, joined: joined, other: nodes[before], shapes: shapes)) else {
        continue
      }
      graph.nodes[index] = joined
      removed.insert(before)
    }
    graph.remove(removed)
    return graph
  }
}
