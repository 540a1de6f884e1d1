import NNRuntime
import ONNX

/// Attention whose queries, keys and values are views (..., heads, tokens, width): wherever they lie, as long as all heads
/// of a token are channels of one pixel; if not, they are brought there.
enum AttentionRule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    guard case .attention(let form) = node.operation, var query = operands.tensor(0),
      var key = operands.tensor(1), var value = operands.tensor(2), let shape = operands.outputShape()
    else { return nil }
    let rank = query.shape.count
    guard rank >= 2, key.shape.count == rank, value.shape.count == rank else { return nil }
    query.view = query.view.transposed(form.query)
    key.view = key.view.transposed(form.key)
    value.view = value.view.transposed(form.value)
    let scale = form.scale * query.factor * key.factor
    let owed = value.factor
    (query.factor, key.factor, value.factor) = (1, 1, 1)
    let windows = query.shape.dropLast(2).dropFirst(query.map.images > 1 ? 1 : 0).count { $0 > 1 }
    if form.addends != nil || windows > 1 || query.shape.dropLast() != key.shape.dropLast() {
      guard
        var result = SeparateAttentionForm(query: query, key: key, value: value, scale: scale)?
          .applied(operands, form.addends)
      else { return nil }
      result.factor = owed
      result.view = result.view.transposed(form.result)
      return result.shape == shape ? [result] : nil
    }
    // One image's tokens with each other, all heads in a pixel.
    guard query.shape.dropLast() == key.shape.dropLast(), key.shape.dropLast() == value.shape.dropLast(),
      query.shape[rank - 1] == key.shape[rank - 1], let heads = Heads(query.shape, query.map.images)
    else { return nil }
    guard let queries = Packed(query, heads, operands), let keys = Packed(key, heads, operands),
      let values = Packed(value, heads, operands)
    else { return nil }
    let parts = [queries, keys, values]
    let layout: AttentionLayout
    let source: MapValue
    func made(_ shifts: [Int]) -> AttentionLayout {
      var layout = AttentionLayout.packed(heads: heads.count, width: queries.width)
      layout.valueWidth = values.width
      layout.queryOffset = queries.offset + shifts[0]
      layout.keyOffset = keys.offset + shifts[1]
      layout.valueOffset = values.offset + shifts[2]
      layout.queryHeadStride = queries.headStride
      layout.keyHeadStride = keys.headStride
      layout.valueHeadStride = values.headStride
      layout.scale = scale
      return layout
    }
    if Set(parts.map(\.value.number)).count == 1 {
      (layout, source) = (made([0, 0, 0]), queries.value)
    } else {
      let tokens = heads.tokens
      let rows = parts.map { part in
        part.value.shape.height == 1
          ? part.value : part.value.map(height: 1, width: tokens, name: operands.helper("tokens"))
      }
      let widths = rows.map(\.shape.channels)
      layout = made([0, widths[0], widths[0] + widths[1]])
      source = operands.island.builder.concatenate(rows, name: operands.helper("packed"))
    }
    let attended = source.attention(layout, name: operands.name)
    // (images, tokens, heads, width) in memory
    let order = heads.order(rank)
    var result = Lowered(
      value: attended,
      view: StridedView(Array(query.shape.dropLast()) + [values.width], inOrder: order), factor: owed)
    result.view = result.view.transposed(form.result)
    return result.shape == shape ? [result] : nil
  }

  /// The meaning of the axes before the last: images, heads and tokens.
  private struct Heads {
    var images: Int
    /// The axes of images and of heads.
    var imageAxes, headAxes: [Int]
    var count, tokens: Int

    init?(_ shape: [Int], _ images: Int) {
      let rank = shape.count
      let outer = Array(0..<rank - 2)
      guard images == 1 || (rank > 2 && shape[0] == images) else { return nil }
      self.images = images
      imageAxes = images > 1 ? [0] : []
      headAxes = Array(outer.dropFirst(images > 1 ? 1 : 0))
      count = shape[..<(rank - 2)].dropFirst(images > 1 ? 1 : 0).reduce(1, *)
      tokens = shape[rank - 2]
    }

    /// Images, tokens, heads, channels.
    func order(_ rank: Int) -> [Int] { imageAxes + [rank - 2] + headAxes + [rank - 1] }
  }

  /// Queries, keys or values where all heads of a token are in one pixel.
  private struct Packed {
    var value: MapValue
    var offset, headStride, width: Int

    init?(_ x: Lowered, _ heads: Heads, _ operands: Operands) {
      let rank = x.shape.count
      let width = x.shape[rank - 1]
      self.width = width
      let channels = x.map.channels
      let headFactors = StridedView(axes: [heads.headAxes.flatMap { x.view.axes[$0] }]).axes[0]
      let imageStride = x.map.of(images: 1).count
      let tokens = x.view.axes[rank - 2]
      let isPacked =
        x.view.axes[rank - 1] == (width == 1 ? [] : [Factor(size: width, stride: 1)])
        && headFactors.count <= 1 && headFactors.allSatisfy { $0.stride >= width }
        && tokens == (heads.tokens == 1 ? [] : [Factor(size: heads.tokens, stride: channels)])
        && heads.imageAxes.flatMap { x.view.axes[$0] }
          == (heads.images > 1 ? [Factor(size: heads.images, stride: imageStride)] : [])
        && x.map.images == heads.images && x.map.pixels == heads.tokens && x.view.offset < channels
      let stride = headFactors.first?.stride ?? width
      if isPacked, x.view.offset + (heads.count - 1) * stride + width <= channels {
        (value, offset, headStride) = (x.value, x.view.offset, stride)
        return
      }
      let shape = MapShape(
        images: heads.images, height: 1, width: heads.tokens, channels: heads.count * width)
      guard let found = operands.island.arranged(x, order: heads.order(rank), as: shape, operands.name) else {
        return nil
      }
      (value, offset, headStride) = (found.value, 0, width)
    }
  }
}
