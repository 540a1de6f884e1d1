extension Graph {
  /// The same network, of which convolutions take the zeros around a map as their own padding.
  func paddingWhileReading() -> Graph {
    joiningMakers { node, layer, before in
      guard !layer.isProjection, let order = (before.operation as? Rearrange)?.order,
        let zeros = order.zeros(around: shapes[before.inputs[0]])
      else { return nil }
      var window = layer.window
      (window.top, window.left) = (window.top + zeros.top, window.left + zeros.left)
      (window.bottom, window.right) = (window.bottom + zeros.bottom, window.right + zeros.right)
      guard let (_, padding, trailing) = window.trailing else { return nil }
      var layer = layer
      (layer.padding, layer.trailing) = (padding, trailing)
      return (layer, before.inputs + node.inputs.dropFirst())
    }
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
