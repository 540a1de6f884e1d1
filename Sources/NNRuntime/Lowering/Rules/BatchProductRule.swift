import NNRuntime
import ONNX

/// `MatMul` of two tensors that are computed, or of known matrices of which there are several: a product for each place of
/// the axes before the last two.
enum BatchProductRule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    guard node.inputs.count == 2, let shape = operands.outputShape(), shape.count >= 2,
      let (a, first) = operands.operand(0), let (b, second) = operands.operand(1),
      a.shape.count >= 2, b.shape.count >= 2
    else { return nil }
    let wanted = operands.orderForReader?.filter { shape[$0] > 1 }
    guard var found = product(a, b, shape, wanted: wanted, operands) else { return nil }
    found.factor = first * second
    return [found]
  }

  /// The products (..., rows, columns) of (..., rows, depth) and (..., depth, columns).
  ///
  /// - `wanted`: the result's axes of several places in the order in which they are read next, where that is known; an
  ///   axis that is read in parts is there for each.
  static func product(
    _ lowered: Lowered, _ b: Lowered, _ shape: [Int], wanted: [Int]?, _ operands: Operands
  ) -> Lowered? {
    var a = lowered
    // Rows that do not lie together are copied for each panel of columns.
    if shape[shape.count - 1] > mostStrided, a.view.axes.last?.last?.stride ?? 1 != 1,
      let rows = operands.island.rowMajor(a, operands.name)
    {
      a = rows
    }
    let images = max(a.map.images, b.map.images)
    guard images == 1 || shape.count > 2 && shape[0] == images else { return nil }
    // As they lie; if they cannot be walked through so, row-major.
    guard
      let (left, right) = walks(a, b, shape, images)
        ?? rowMajor(a, b, operands).flatMap({ walks($0, $1, shape, images) })
    else { return nil }
    let order = wanted.flatMap { sideBySide($0, shape, images) }
    let value = left.value.matrixProduct(
      left.walk, by: right.value, right.walk, sideBySide: order != nil, name: operands.name)
    let view = order.map { StridedView(shape, inOrder: $0) } ?? StridedView(rowMajor: shape)
    return Lowered(value: value, view: view)
  }

  /// Columns up to which rows are taken from where they lie.
  private static let mostStrided = 32

  private typealias Side = (value: MapValue, walk: MapWalk)

  private static func rowMajor(_ a: Lowered, _ b: Lowered, _ operands: Operands) -> (Lowered, Lowered)? {
    guard let a = operands.island.rowMajor(a, operands.name),
      let b = operands.island.rowMajor(b, operands.name)
    else { return nil }
    return (a, b)
  }

  /// Both tensors as walks over the same places.
  private static func walks(
    _ a: Lowered, _ b: Lowered, _ shape: [Int], _ images: Int
  ) -> (Side, Side)? {
    let outer = Array(shape.dropLast(2))
    var (left, right) = (a, b)
    left.view = a.view.broadcast(to: outer + a.shape.suffix(2))
    right.view = b.view.broadcast(to: outer + b.shape.suffix(2))
    guard let own = left.imageAxes(images), let other = right.imageAxes(images),
      let places = StridedView.refined(
        StridedView(axes: Array(own.dropLast(2))), StridedView(axes: Array(other.dropLast(2))))
    else { return nil }
    let factors = places.flatMap(\.self)
    let before = (
      factors.map { [Factor(size: $0.size, stride: $0.a)] },
      factors.map { [Factor(size: $0.size, stride: $0.b)] }
    )
    guard let leftWalk = left.walk(before.0 + own.suffix(2)),
      let rightWalk = right.walk(before.1 + other.suffix(2))
    else { return nil }
    return ((a.value, leftWalk), (b.value, rightWalk))
  }

  /// The order of the result's axes in memory where products lie side by side in a pixel, as whoever reads them wants it.
  private static func sideBySide(_ wanted: [Int], _ shape: [Int], _ images: Int) -> [Int]? {
    let rank = shape.count
    let outer = Array(images > 1 ? 1..<rank - 2 : 0..<rank - 2)
    let order = (images > 1 ? [0] : []) + [rank - 2] + outer + [rank - 1]
    let parts = wanted.indices.filter { $0 == 0 || wanted[$0] != wanted[$0 - 1] }.map { wanted[$0] }
    return parts == order.filter { shape[$0] > 1 } ? order : nil
  }
}
