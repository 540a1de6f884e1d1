import NNRuntime

/// A map with more pixels around it.
struct MapPadding {
  /// Padding of a map.
  enum Mode { case zeros, reflect, edge }

  /// Rows and columns that are added; negative: taken off.
  var top, bottom, left, right: Int
  var mode: Mode

  /// The padded map; nil where nothing is left, or what is reflected is not there.
  func applied(to map: MapValue, _ operands: Operands) -> MapValue? {
    let shape = map.shape
    let (height, width) = (shape.height + top + bottom, shape.width + left + right)
    guard height > 0, width > 0, elementCount([height, width, shape.channels]) != nil,
      shape.of(images: 1).count <= Int(Int32.max)
    else { return nil }
    if top == 0, bottom == 0, left == 0, right == 0 { return map }
    let rows = (0..<height).map { source($0 - top, shape.height) }
    let columns = (0..<width).map { source($0 - left, shape.width) }
    guard !rows.contains(nil), !columns.contains(nil) else { return nil }
    let starts = rows.flatMap { row in
      columns.map { column -> Int32 in
        guard let row, let column, row >= 0, column >= 0 else { return -1 }
        return Int32((row * shape.width + column) * shape.channels)
      }
    }
    return map.rearranged(
      Rearrangement(height: height, width: width, channels: shape.channels, starts: starts, channelStride: 1),
      name: operands.helper("pad"))
  }

  /// The row or column at a place; -1: zeros.
  private func source(_ place: Int, _ size: Int) -> Int? {
    if place >= 0, place < size { return place }
    switch mode {
    case .zeros: return -1
    case .edge: return place < 0 ? 0 : size - 1
    case .reflect:
      let mirrored = place < 0 ? -place : 2 * (size - 1) - place
      return mirrored >= 0 && mirrored < size ? mirrored : nil
    }
  }
}
