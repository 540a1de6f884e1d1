// Maps that one layer alone reads are never made: a layer normalisation is done as a linear layer (or 1x1 convolution)
// brings its rows near, an enlargement as a Winograd convolution transforms its windows, and a 1x1 convolution to the tiles
// of the Winograd convolution before it, while they are near.

extension Graph {
  /// The same network with bilinear enlargements joined to the Winograd convolutions behind them, to those of at most
  /// `channels` on either side.
  func enlargingWhileTransforming(upTo channels: Int = .max) -> Graph {
    var graph = self
    let makers = makersForOne()
    var removed = Set<Int>()
    for (index, node) in nodes.enumerated() {
      guard case .convolution(var layer) = node.operation, layer.stride == 1, !layer.isDepthwise,
        layer.readsInput,
        max(shapes[node.inputs[0]].channels, layer.outChannels) <= channels,
        AlgorithmChoice.convolution(node.convolutionShape(layer, shapes)).algorithm.winogradTile != nil,
        let before = makers[node.inputs[0]],
        case .resize(.bilinear(let alignCorners)) = nodes[before].operation, nodes[before].inputs.count == 1,
        enlarges(before)
      else { continue }
      let larger = shapes[node.inputs[0]]
      layer.prologue = .enlarge(
        Enlargement(
          interpolation: .bilinear(alignCorners: alignCorners), height: larger.height, width: larger.width))
      graph.nodes[index].operation = .convolution(layer)
      graph.nodes[index].inputs[0] = nodes[before].inputs[0]
      graph.nodes[index].preceding.insert(contentsOf: nodes[before].holds, at: 0)
      removed.insert(before)
    }
    graph.remove(removed)
    return graph
  }

  /// The same network with layer normalisations joined to the linear layers behind them.
  ///
  /// Between the two may lie views of the tokens: then those show what is not normalised yet.
  func normalisingWhileMultiplying() -> Graph {
    var graph = self
    let makers = makersForOne()
    var removed = Set<Int>()
    for (index, node) in nodes.enumerated() {
      guard case .convolution(var layer) = node.operation, layer.isProjection, layer.readsInput else {
        continue
      }
      var views: [Int] = []
      var value = node.inputs[0]
      while let before = makers[value], case .view = nodes[before].operation {
        views.insert(before, at: 0)
        value = nodes[before].inputs[0]
      }
      guard let before = makers[value], case .layerNorm(let norm) = nodes[before].operation else { continue }
      layer.prologue = .normalise(norm)
      graph.nodes[index].operation = .convolution(layer)
      graph.nodes[index].preceding.insert(contentsOf: ([before] + views).flatMap { nodes[$0].holds }, at: 0)
      graph.nodes[views.first ?? index].inputs[0] = nodes[before].inputs[0]
      for view in views { graph.nodes[view].partOf = shapes[nodes[view].output] }
      removed.insert(before)
    }
    graph.remove(removed)
    return graph
  }

  /// Elements of a map from which on it costs more to store and read than products of few rows at a time do.
  private static var largeMap: Int { 1536 * 1024 }
  /// Most channels behind a 1x1 convolution that is done to tiles: its weights stay near.
  private static var mostProjected: Int { 64 }

  /// The same network with 1x1 convolutions joined to the Winograd convolutions of large tiles before them, or those that
  /// hold a transposed one, of at most `channels` on either side, where the map between the two is large.
  func projectingTiles(upTo channels: Int = .max) -> Graph {
    var graph = self
    let makers = makersForOne()
    var removed = Set<Int>()
    for (index, node) in nodes.enumerated() {
      guard case .convolution(let layer) = node.operation, layer.isProjection, node.inputs.count == 1,
        layer.readsInput, layer.outChannels <= Self.mostProjected,
        AlgorithmChoice.convolution(node.convolutionShape(layer, shapes)).algorithm == .gemm,
        shapes[node.inputs[0]].count >= Self.largeMap, let before = makers[node.inputs[0]],
        case .convolution(var first) = nodes[before].operation, first.stride == 1, !first.isDepthwise,
        first.storesSums,
        max(shapes[nodes[before].inputs[0]].channels, first.outChannels) <= channels,
        first.transposed != nil
          || AlgorithmChoice.convolution(nodes[before].convolutionShape(first, shapes)).algorithm
            == .winograd6x6
      else { continue }
      first.epilogue = .project(Projection(name: node.name, layer: layer))
      graph.nodes[before].operation = .convolution(first)
      graph.nodes[before].fused += node.holds
      graph.nodes[before].output = node.output
      removed.insert(index)
    }
    graph.remove(removed)
    return graph
  }
}
