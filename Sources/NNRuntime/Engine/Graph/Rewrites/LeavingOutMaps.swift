// Maps that only one layer reads are not materialized. A layer normalization, or a product by a vector, is a prologue of the
// linear layer (or pointwise convolution) that reads it, an upsampling, or the interleaving of a picture's planes, one of the
// convolution that reads its windows, and a pointwise convolution an epilogue of the convolution before it, while its pixels
// are in the cache.

extension Graph {
  /// The same network with bilinear upsamplings fused into the convolutions after them.
  func enlargingWhileReading(where accepts: Joint.Judge) -> Graph {
    joiningMakers(where: accepts) { node, layer, before in
      guard layer.groups == 1, let resize = before.operation as? Resize,
        case .bilinear = resize.interpolation, before.inputs.count == 1, enlarges(before)
      else { return nil }
      var layer = layer
      layer.prologue = .enlarge(resize)
      return (layer, before.inputs + node.inputs.dropFirst())
    }
  }

  /// The same network with convolutions that read the planes of color pictures as they lie.
  func interleavingWhileReading(where accepts: Joint.Judge) -> Graph {
    joiningMakers(where: accepts) { node, layer, before in
      guard layer.groups == 1, let order = (before.operation as? Rearrange)?.order,
        order.interleavesColors(of: shapes[before.inputs[0]])
      else { return nil }
      var layer = layer
      layer.prologue = .planes
      return (layer, before.inputs + node.inputs.dropFirst())
    }
  }

  /// The same network with layer normalizations fused into the linear layers after them.
  ///
  /// Views of the tokens may lie between the two: they then show values that are not normalized yet.
  func normalizingWhileMultiplying(where accepts: Joint.Judge) -> Graph {
    var graph = self
    let makers = makersForOne()
    var removed = Set<Int>()
    for (index, node) in nodes.enumerated() {
      guard var layer = node.operation as? Convolution, layer.isProjection, layer.readsInput else {
        continue
      }
      var views: [Int] = []
      var value = node.inputs[0]
      while let before = makers[value], nodes[before].operation is View {
        views.insert(before, at: 0)
        value = nodes[before].inputs[0]
      }
      guard let before = makers[value], let norm = nodes[before].operation as? LayerNorm else { continue }
      layer.prologue = .normalize(norm)
      var joined = graph.nodes[index]
      joined.operation = layer
      joined.preceding.insert(contentsOf: ([before] + views).flatMap { nodes[$0].holds }, at: 0)
      guard accepts(Joint(layer: node, joined: joined, other: nodes[before], shapes: shapes)) else {
        continue
      }
      graph.nodes[index] = joined
      graph.nodes[views.first ?? index].inputs[0] = nodes[before].inputs[0]
      for view in views { graph.nodes[view].partOf = shapes[nodes[view].output] }
      removed.insert(before)
    }
    graph.remove(removed)
    return graph
  }

  /// The same network with the products of squeeze and excitation fused into the 1x1 convolutions after them.
  func excitingWhileMultiplying(where accepts: Joint.Judge) -> Graph {
    joiningMakers(where: accepts) { node, layer, before in
      guard layer.isProjection, before.operation is ChannelProduct else { return nil }
      var layer = layer
      layer.prologue = .multiply
      return (layer, [before.inputs[0]] + node.inputs.dropFirst() + [before.inputs[1]])
    }
  }

  /// The same network with 1x1 convolutions joined to the convolutions before them.
  func projectingWhileStoring(where accepts: Joint.Judge) -> Graph {
    var graph = self
    let makers = makersForOne()
    var removed = Set<Int>()
    for (index, node) in nodes.enumerated() {
      guard let layer = node.operation as? Convolution, layer.isProjection, layer.readsInput,
        layer.storesSums, let before = makers[node.inputs[0]],
        var first = nodes[before].operation as? Convolution, first.groups == 1, first.storesSums
      else { continue }
      first.epilogue = .project(Projection(name: node.name, layer: layer))
      var joined = graph.nodes[before]
      joined.operation = first
      joined.fused += node.holds
      joined.output = node.output
      joined.partOf = node.partOf
      guard accepts(Joint(layer: nodes[before], joined: joined, other: node, shapes: shapes)) else {
        continue
      }
      graph.nodes[before] = joined
      removed.insert(index)
    }
    graph.remove(removed)
    return graph
  }
}

extension Rearrangement {
  /// Whether the three rows of a map, each a plane of its pixels' channels, become the channels of one.
  fileprivate func interleavesColors(of input: MapShape) -> Bool {
    let pixels = input.width * input.channels
    return channels == 3 && input.height == 3 && height == input.width && width == input.channels
      && channelStride == pixels && channelOffsets.isEmpty
      && starts.elementsEqual(0..<Int32(clamping: pixels))
  }
}
