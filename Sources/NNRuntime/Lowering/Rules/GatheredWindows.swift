import NNRuntime

extension ConvolutionForm {
  /// Elements of all windows up to which they are written, rather than zeros into a kernel; and, where the kernel would be too
  /// large, at all.
  private static let (mostElements, mostAtAll) = (1 << 24, 1 << 28)

  /// A dense convolution whose windows have gaps: its windows side by side, and a linear layer on them.
  ///
  /// Nil where zeros in the gaps do less than double the products.
  func gathered(from map: MapValue, _ name: String, _ operands: Operands) -> MapValue? {
    let (out, channels, height, width) = (
      weights.shape[0], weights.shape[1], weights.shape[2], weights.shape[3]
    )
    let (tall, wide) = ((height - 1) * down.dilation + 1, (width - 1) * across.dilation + 1)
    guard groups == 1, channels == map.shape.channels, weights.count > 0, tall * wide > 2 * height * width,
      down.output > 0, across.output > 0,
      let padded = elementCount([
        map.shape.height + down.before + down.after, map.shape.width + across.before + across.after, channels,
      ]), padded <= Int(Int32.max), map.shape.of(images: 1).count <= Int(Int32.max),
      let elements = elementCount([down.output, across.output, height, width, channels]),
      elements <= (tall * wide > Self.largestKernel ? Self.mostAtAll : Self.mostElements)
    else { return nil }
    let places = (0..<height).flatMap { row in (0..<width).map { (row, $0) } }
    let windows = places.map { row, column in
      map.rearranged(
        Rearrangement(
          height: down.output, width: across.output, channels: channels,
          starts: starts(row, column, map.shape), channelStride: 1), name: operands.helper("window"))
    }
    let joined =
      windows.count == 1
      ? windows[0] : operands.island.builder.concatenate(windows, name: operands.helper("windows"))
    let source = weights.floats()
    let positions = height * width
    var filters = [Float](repeating: 0, count: source.count)
    for filter in 0..<out {
      for channel in 0..<channels {
        for position in 0..<positions {
          filters[(filter * positions + position) * channels + channel] =
            source[(filter * channels + channel) * positions + position]
        }
      }
    }
    let factors = WeightTensor(shape: [out, positions * channels], floats: filters)
    return joined.linear(factors, scale: scale, bias: bias, name: name)
  }

  /// The pixel that every window has at a place, as the order of a map.
  private func starts(_ row: Int, _ column: Int, _ map: MapShape) -> [Int32] {
    let ys = (0..<down.output).map { $0 * (down.stride ?? 1) - down.before + row * down.dilation }
    let xs = (0..<across.output).map { $0 * (across.stride ?? 1) - across.before + column * across.dilation }
    return ys.flatMap { y in
      xs.map { x in
        (0..<map.height).contains(y) && (0..<map.width).contains(x)
          ? Int32((y * map.width + x) * map.channels) : -1
      }
    }
  }
}
