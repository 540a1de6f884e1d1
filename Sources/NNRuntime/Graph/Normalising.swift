// A layer normalisation that one linear layer (or 1x1 convolution) reads is done as the layer brings its rows near.

extension Graph {
  /// The same network with layer normalisations joined to the linear layers behind them.
  ///
  /// Between the two may lie views of the tokens: then those show what is not normalised yet.
  func normalisingWhileMultiplying() -> Graph {
    var graph = self
    let (producer, reads) = (producers(), readCounts())
    var removed = Set<Int>()
    for (index, node) in nodes.enumerated() {
      guard case .convolution(var layer) = node.operation, layer.isProjection else { continue }
      var views: [Int] = []
      var value = node.inputs[0]
      while reads[value] == 1, let before = producer[value], case .view = nodes[before].operation {
        views.insert(before, at: 0)
        value = nodes[before].inputs[0]
      }
      guard reads[value] == 1, let before = producer[value],
        case .layerNorm(let norm) = nodes[before].operation
      else { continue }
      layer.norm = norm
      graph.nodes[index].operation = .convolution(layer)
      graph.nodes[index].preceding.insert(contentsOf: ([before] + views).flatMap { nodes[$0].holds }, at: 0)
      graph.nodes[views.first ?? index].inputs[0] = nodes[before].inputs[0]
      for view in views { graph.nodes[view].partOf = shapes[nodes[view].output] }
      removed.insert(before)
    }
    graph.remove(removed)
    return graph
  }
}
