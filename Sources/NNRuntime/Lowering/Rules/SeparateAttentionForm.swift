import NNRuntime
import ONNX

/// Attention whose queries, keys and values are walked through where they lie: of different numbers, in windows, with
/// known addends on the products.
struct SeparateAttentionForm {
  private static let mostAddends = 1 << 26
  /// Smaller addends are as good as none: a row of nothing else is wholly masked, and its softmax NaN, or all are one.
  private static let leastAddend: Float = -1e30

  /// (..., heads, tokens, width), all with the same axes before the tokens.
  private let query, key, value: Lowered
  private let scale: Float
  private let images: Int

  /// nil where they are no such tensors.
  init?(query: Lowered, key: Lowered, value: Lowered, scale: Float) {
    let rank = query.shape.count
    guard rank >= 2, key.shape.count == rank, value.shape.count == rank,
      query.shape.dropLast(2) == key.shape.dropLast(2), key.shape.dropLast() == value.shape.dropLast(),
      query.shape[rank - 1] == key.shape[rank - 1]
    else { return nil }
    images = max(query.map.images, key.map.images, value.map.images)
    guard images == 1 || rank > 2 && query.shape[0] == images else { return nil }
    (self.query, self.key, self.value, self.scale) = (query, key, value, scale)
  }

  private var rank: Int { query.shape.count }
  /// Axes of heads, and of what is before them: each image, then each window, has heads of its own.
  private var headAxes: Range<Int> { max(firstAxis, rank - 3)..<rank - 2 }
  private var groupAxes: Range<Int> { firstAxis..<headAxes.lowerBound }
  private var firstAxis: Int { images > 1 ? 1 : 0 }
  private var heads: Int { headAxes.reduce(1) { $0 * query.shape[$1] } }
  private var groups: Int { groupAxes.reduce(1) { $0 * query.shape[$1] } }
  /// (images, groups, tokens, heads, width) in memory.
  private var order: [Int] {
    Array(0..<firstAxis) + Array(groupAxes) + [rank - 2] + Array(headAxes) + [rank - 1]
  }

  /// The attention's result, (..., heads, queries, value width).
  func applied(_ operands: Operands, _ addends: (slot: Int, factor: Float)?) -> Lowered? {
    guard let queries = walked(query, operands), let keys = walked(key, operands),
      let values = walked(value, operands)
    else { return nil }
    var added: MapValue.AttentionAddends?
    if let addends {
      guard let found = map(of: addends, operands) else { return nil }
      added = found
    }
    let made = queries.value.attention(
      queries.walk, keys: keys.value, keys.walk, values: values.value, values.walk, scale: scale,
      addends: added, name: operands.name)
    let width = value.shape[rank - 1]
    return Lowered(
      value: made, view: StridedView(Array(query.shape.dropLast()) + [width], inOrder: order))
  }

  /// A tensor as (groups, heads, tokens, width) where it lies, or brought into that order.
  private func walked(_ x: Lowered, _ operands: Operands) -> (value: MapValue, walk: MapWalk)? {
    if let walk = walk(x) { return (x.value, walk) }
    let (tokens, width) = (x.shape[rank - 2], x.shape[rank - 1])
    let shape = MapShape(images: images, height: groups, width: tokens, channels: heads * width)
    guard let found = operands.island.arranged(x, order: order, as: shape, operands.name),
      let walk = walk(found)
    else { return nil }
    return (found.value, walk)
  }

  private func walk(_ x: Lowered) -> MapWalk? {
    guard let axes = x.imageAxes(images), axes.count == rank,
      axes[rank - 1] == (x.shape[rank - 1] == 1 ? [] : [Factor(size: x.shape[rank - 1], stride: 1)])
    else { return nil }
    let before = axes[..<firstAxis].flatMap(\.self)
    guard before.isEmpty else { return nil }
    var walk = x.walk([
      groupAxes.flatMap { axes[$0] }, headAxes.flatMap { axes[$0] }, axes[rank - 2], axes[rank - 1],
    ])
    walk?.axes[3].stride = 1
    return walk
  }

  /// Known addends as a map of (groups, heads, keys) pixels of all queries.
  private func map(
    of addends: (slot: Int, factor: Float), _ operands: Operands
  ) -> MapValue.AttentionAddends? {
    let (tokens, keys) = (query.shape[rank - 2], key.shape[rank - 2])
    guard let tensor = operands.program.constant(addends.slot), tensor.type.isHeldAsFloat,
      tensor.shape.count <= rank
    else { return nil }
    let missing = rank - tensor.shape.count
    func size(_ axis: Int) -> Int { axis < missing ? 1 : tensor.shape[axis - missing] }
    guard (0..<firstAxis).allSatisfy({ size($0) == 1 }) else { return nil }
    let manyGroups = groupAxes.contains { size($0) > 1 }
    let manyHeads = headAxes.contains { size($0) > 1 }
    var shape = query.shape
    for axis in 0..<firstAxis { shape[axis] = 1 }
    if !manyGroups { for axis in groupAxes { shape[axis] = 1 } }
    if !manyHeads { for axis in headAxes { shape[axis] = 1 } }
    shape[rank - 1] = keys
    guard let count = elementCount(shape), count <= Self.mostAddends else { return nil }
    let view = StridedView(rowMajor: tensor.shape).broadcast(to: shape)
    guard view.shape == shape else { return nil }
    let source = tensor.floats()
    let values = view.places.map { source[$0] * addends.factor }
    var turned = [Float](repeating: 0, count: count)
    for matrix in 0..<count / (tokens * keys) {
      let first = matrix * tokens * keys
      for token in 0..<tokens {
        let row = values[first + token * keys..<first + (token + 1) * keys]
        guard row.allSatisfy({ !$0.isNaN && $0 < .infinity }), row.contains(where: { $0 > Self.leastAddend })
        else { return nil }
        for (key, value) in zip(0..., row) { turned[first + key * tokens + token] = value }
      }
    }
    let (groups, heads) = (manyGroups ? groups : 1, manyHeads ? heads : 1)
    let constant = operands.island.builder.constant(
      operands.helper("addends"), WeightTensor(shape: [count], floats: turned),
      shape: MapShape(height: groups * heads, width: keys, channels: tokens))
    return MapValue.AttentionAddends(constant, groups: groups, heads: heads)
  }
}
