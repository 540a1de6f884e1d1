import NNRuntime
import ONNX

/// `Einsum`: another view of one tensor; of two a linear layer, where one is a known matrix, or products of matrices.
enum EinsumRule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    if node.inputs.count == 1 { return viewed(node, operands) }
    guard let axes = ProductAxes(node.step, in: operands.program) else { return nil }
    return linear(axes, known: 1, operands) ?? linear(axes.swapped, known: 0, operands)
      ?? products(axes, operands)
  }

  /// Axes in another order.
  private static func viewed(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    // As in other views: what is not in the graph yet is not brought there.
    guard let slot = node.inputs[0], let x = operands.island.tensors[slot],
      let equation = node.step.string("equation"), let names = try? Einsum(equation, [x.shape]),
      Set(names.inputs[0]).count == x.shape.count, names.output.count == x.shape.count
    else { return nil }
    let order = names.output.compactMap(names.inputs[0].firstIndex(of:))
    return [Lowered(value: x.value, view: x.view.transposed(order), factor: x.factor)]
  }

  /// A linear layer along the axes that are summed up, by known weights (in, out) or (out, in).
  private static func linear(_ axes: ProductAxes, known: Int, _ operands: Operands) -> [Lowered]? {
    let (kept, summed) = (axes.first.filter(axes.result.contains), axes.summed)
    let made = axes.second.filter(axes.result.contains)
    guard axes.shared.isEmpty, !summed.isEmpty, !kept.isEmpty, operands.constant(known) != nil,
      axes.second == summed + made || axes.second == made + summed, let x = operands.settled(1 - known),
      let weights = operands.weights(known)
    else { return nil }
    let (depth, columns) = (axes.count(summed), axes.count(made))
    let matrix =
      axes.second == made + summed
      ? weights.reshaped([columns, depth]) : weights.reshaped([depth, columns]).transposed()
    var rows = x
    rows.view = x.view.joined(kept.map { [$0] } + [summed], of: axes.first)
    let layer = ProductRule.linear(rows, axis: kept.count, LinearWeights(matrix), operands)
    guard let found = layer?.first, let view = found.view.reshaped(axes.shape(kept + made)) else {
      return nil
    }
    return [Lowered(value: found.value, view: view.ordered(kept + made, as: axes.result))]
  }

  /// A product of matrices for each place of the axes that both have and the result keeps.
  private static func products(_ axes: ProductAxes, _ operands: Operands) -> [Lowered]? {
    guard let (a, first) = operands.operand(0), let (b, second) = operands.operand(1) else { return nil }
    var outer = axes.shared
    // The images of a batch come first, whether both have them or one.
    if let image = a.imageAxis(axes.first) ?? b.imageAxis(axes.second), axes.result.contains(image) {
      outer = [image] + outer.filter { $0 != image }
    }
    let rows = axes.result.filter { axes.first.contains($0) && !outer.contains($0) }
    let columns = axes.result.filter { axes.second.contains($0) && !outer.contains($0) }
    // A product of single numbers is left to its definition.
    guard !axes.summed.isEmpty || !(rows.isEmpty && columns.isEmpty) else { return nil }
    var (left, right) = (a, b)
    left.view = a.view.joined(outer.map { [$0] } + [rows, axes.summed], of: axes.first)
    right.view = b.view.joined(outer.map { [$0] } + [axes.summed, columns], of: axes.second)
    let shape = axes.shape(outer) + [axes.count(rows), axes.count(columns)]
    let names = outer + rows + columns
    let places = names.indices.map { min($0, outer.count) + ($0 < outer.count + rows.count ? 0 : 1) }
    let order = operands.orderForReader?.map { axes.result[$0] } ?? axes.result
    let wanted = order.filter { axes.sizes[$0] != 1 }.compactMap { name in
      names.firstIndex(of: name).map { places[$0] }
    }
    guard let found = BatchProductRule.product(left, right, shape, wanted: wanted, operands),
      let view = found.view.reshaped(axes.shape(names))
    else { return nil }
    return [
      Lowered(value: found.value, view: view.ordered(names, as: axes.result), factor: first * second)
    ]
  }
}

extension ProductAxes {
  /// Places of several axes.
  fileprivate func count(_ names: [Character]) -> Int { shape(names).reduce(1, *) }
}

extension Lowered {
  /// The one of the axes `names` that counts the images, where there are several.
  fileprivate func imageAxis(_ names: [Character]) -> Character? {
    let images = Factor(size: map.images, stride: map.of(images: 1).count)
    return map.images == 1 ? nil : zip(names, view.axes).first { $1 == [images] }?.0
  }
}

extension StridedView {
  /// The axes `names` joined in these groups; an axis that is not among them is one place.
  fileprivate func joined(_ groups: [[Character]], of names: [Character]) -> StridedView {
    StridedView(
      offset: offset,
      axes: groups.map { group in
        group.flatMap { name in names.firstIndex(of: name).map { axes[$0] } ?? [] }
      })
  }

  /// The axes `names` in the order of others.
  fileprivate func ordered(_ names: [Character], as others: [Character]) -> StridedView {
    transposed(others.compactMap(names.firstIndex(of:)))
  }
}
