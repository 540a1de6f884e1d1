import NNRuntime
import ONNX

/// Products of queries and keys, a factor maybe, known addends maybe (masks, biases by position), `Softmax` over the last
/// axis, products with values, on either side; either product is a `MatMul` or an `Einsum`.
///
/// Factors on queries and keys are those of their tensors. Addends that are computed are no such pattern.
enum AttentionPattern: Pattern {
  static func match(_ program: PatternProgram, endingAt index: Int) -> ProgramNode? {
    let step = program.program.steps[index]
    guard let axes = ProductAxes(step, in: program.program), let first = step.inputSlots[0],
      let second = step.inputSlots[1]
    else { return nil }
    return node(program, step, axes, weights: first, values: second)
      ?? node(program, step, axes.swapped, weights: second, values: first)
  }

  /// The node whose last step multiplies the weights, its first operand, by the values.
  private static func node(
    _ program: PatternProgram, _ step: ONNXStep, _ axes: ProductAxes, weights slot: Int, values: Int
  ) -> ProgramNode? {
    var (names, slot, last) = (axes.first, slot, [step])
    if let transpose = program.maker(slot, "Transpose"), let order = transpose.ints("perm"),
      order.sorted() == Array(names.indices), let inner = transpose.inputSlots[0]
    {
      names = names.indices.compactMap { axis in order.firstIndex(of: axis).map { axes.first[$0] } }
      (slot, last) = (inner, [transpose, step])
    }
    guard let found = weights(program, slot), found.order.count == names.count else { return nil }
    // (..., queries, keys)
    names = found.order.map { names[$0] }
    let (outer, query, key) = (Array(names.dropLast(2)), names[names.count - 2], names[names.count - 1])
    let width = axes.second.filter { !axes.first.contains($0) }
    guard width.count == 1, axes.summed == [key], outer == names.filter(axes.shared.contains),
      let value = axes.second.order(of: outer + [key] + width),
      let result = (outer + [query] + width).order(of: axes.result)
    else { return nil }
    let form = ProgramNode.AttentionForm(
      scale: found.scale, query: found.queryOrder, key: found.keyOrder, value: value, result: result,
      addends: found.addends)
    return ProgramNode(
      .attention(form), found.steps + last, inputs: [found.query, found.key, values])
  }

  fileprivate struct Found {
    var query, key: Int
    /// The orders that make queries and keys (..., tokens, width), and the products (..., queries, keys).
    var queryOrder, keyOrder, order: [Int]
    var scale: Float
    var addends: (slot: Int, factor: Float)?
    var steps: [ONNXStep]
  }

  private static func weights(_ program: PatternProgram, _ slot: Int) -> Found? {
    var steps: [ONNXStep] = []
    var slot = slot
    // What is not a number becomes zero: softmax has none of those where no row is wholly masked.
    if let guarded = program.maker(slot, "Where"), let test = program.maker(guarded.inputSlots[0], "IsNaN"),
      program.scalar(guarded.inputSlots[1]) == 0, let inner = guarded.inputSlots[2],
      test.inputSlots[0] == inner
    {
      steps = [test, guarded]
      slot = inner
    }
    guard let softmax = program.maker(slot, "Softmax"), let rank = program.program.kind(slot)?.shape.count,
      softmax.version >= 13 || rank == 2,
      [-1, rank - 1].contains(softmax.int("axis") ?? (softmax.version >= 13 ? -1 : 1)),
      var scores = softmax.inputSlots[0]
    else { return nil }
    steps.insert(softmax, at: 0)
    var scale: Float = 1
    var addends: (slot: Int, factor: Float)?
    while let step = program.maker(scores, "Mul", "Div", "Add") {
      let other: Int
      if step.type == "Add" {
        guard let sum = program.orders(step).first(where: { program.program.constant($0.1) != nil }) else {
          return nil
        }
        if !program.isZero(sum.1) {
          guard addends == nil else { return nil }
          addends = (sum.1, scale)
        }
        other = sum.0
      } else {
        guard let (number, operand) = program.operand(step) else { return nil }
        scale *= step.type == "Mul" ? number : 1 / number
        other = operand
      }
      guard program.program.kind(other) == program.program.kind(scores) else { return nil }
      steps.insert(step, at: 0)
      scores = other
    }
    guard let product = program.maker(scores, "MatMul", "Einsum"),
      let axes = ProductAxes(product, in: program.program), let first = product.inputSlots[0],
      let second = product.inputSlots[1]
    else { return nil }
    steps.insert(product, at: 0)
    var found = Found(
      query: first, key: second, queryOrder: [], keyOrder: [], order: [], scale: scale, addends: addends,
      steps: steps)
    // What softmax compares are keys.
    guard let key = axes.result.last else { return nil }
    if axes.second.contains(key) { return found.takesOrders(of: axes) ? found : nil }
    (found.query, found.key) = (second, first)
    return found.takesOrders(of: axes.swapped) ? found : nil
  }
}

extension AttentionPattern.Found {
  /// Takes the orders from the product of queries by keys; whether it is one.
  fileprivate mutating func takesOrders(of axes: ProductAxes) -> Bool {
    let (shared, summed) = (axes.shared, axes.summed)
    let tokens = axes.result.filter { !shared.contains($0) }
    guard summed.count == 1, tokens.count == 2, tokens[1] == axes.result.last,
      let query = axes.first.order(of: shared + [tokens[0]] + summed),
      let key = axes.second.order(of: shared + [tokens[1]] + summed),
      let order = axes.result.order(of: shared + tokens),
      // Addends lie as the products are written.
      addends == nil || order == Array(order.indices)
    else { return false }
    (queryOrder, keyOrder, self.order) = (query, key, order)
    return true
  }
}

extension [Character] {
  /// The order that makes these names those of `others`; nil where they are not the same.
  fileprivate func order(of others: [Character]) -> [Int]? {
    let order = others.compactMap { firstIndex(of: $0) }
    return order.count == others.count && count == others.count ? order : nil
  }
}
