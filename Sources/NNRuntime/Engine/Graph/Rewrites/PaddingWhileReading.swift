extension Graph {
  /// The same network, of which convolutions take the zeros around a map as their own padding.
  func paddingWhileReading() -> Graph {
    var graph = self
    let makers = makersForOne()
    var removed = Set<Int>()
    for (index, node) in nodes.enumerated() {
      guard var layer = node.operation as? Convolution, layer.readsInput, !layer.isProjection,
        let before = makers[node.inputs[0]], let order = (nodes[before].operation as? Rearrange)?.order,
        let zeros = order.zeros(around: shapes[nodes[before].inputs[0]])
      else { continue }
      var window = layer.window
      (window.top, window.left) = (window.top + zeros.top, window.left + zeros.left)
      (window.bottom, window.right) = (window.bottom + zeros.bottom, window.right + zeros.right)
      guard let (_, padding, trailing) = window.trailing else { continue }
      (layer.padding, layer.trailing) = (padding, trailing)
      graph.nodes[index].operation = layer
      graph.nodes[index].inputs[0] = nodes[before].inputs[0]
      graph.nodes[index].preceding.insert(contentsOf: nodes[before].holds, at: 0)
      removed.insert(before)
    }
    graph.remove(removed)
    return graph
  }
}

extension Rearrangement {
  /// Rows and columns of zeros around a whole map of shape `input`; nil where it is another order.
  func zeros(around input: MapShape) -> (top: Int, left: Int, bottom: Int, right: Int)? {
    guard channels == input.channels, channelStride == 1, starts.count == width * height,
      let first = starts.firstIndex(where: { $0 >= 0 })
    else { return nil }
    let (top, left) = first.quotientAndRemainder(dividingBy: width)
    let (bottom, right) = (height - top - input.height, width - left - input.width)
    guard bottom >= 0, right >= 0, top + left + bottom + right > 0 else { return nil }
    for y in 0..<height {
      for x in 0..<width {
        let (row, column) = (y - top, x - left)
        let isInside = row >= 0 && row < input.height && column >= 0 && column < input.width
        let start = isInside ? (row * input.width + column) * channels : -1
        guard starts[y * width + x] == start else { return nil }
      }
    }
    return (top, left, bottom, right)
  }
}
