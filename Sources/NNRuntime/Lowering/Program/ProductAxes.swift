import ONNX

/// The axes of a sum of products, `Einsum` of two tensors or `MatMul`, by name.
///
/// Each operand has an axis once. What both have and the result lacks is summed up; nothing else is.
struct ProductAxes {
  private(set) var first, second, result: [Character]
  /// The size of each axis; operands of one place stand for all.
  let sizes: [Character: Int]

  /// The axes of a step; nil where it is another form.
  init?(_ step: ONNXStep, in program: FixedProgram) {
    let equation = step.type == "MatMul" ? "...ij,...jk->...ik" : step.string("equation")
    guard step.type == "MatMul" || step.type == "Einsum", step.defect == nil, step.inputSlots.count == 2,
      let a = program.kind(step.inputSlots[0])?.shape, let b = program.kind(step.inputSlots[1])?.shape,
      let equation, let names = try? Einsum(equation, [a, b])
    else { return nil }
    (first, second, result) = (names.inputs[0], names.inputs[1], names.output)
    guard let sizes = names.sizes([a, b]), Set(first).count == first.count,
      Set(second).count == second.count
    else { return nil }
    self.sizes = sizes
    let isSummedInBoth = Set(first).symmetricDifference(second).isSubset(of: result)
    // Where it is summed up, an axis is as long in both.
    let isWhole = summed.allSatisfy { name in
      zip(first + second, a + b).allSatisfy { $0 != name || $1 == sizes[name] }
    }
    guard isSummedInBoth, isWhole else { return nil }
  }

  /// The same product of the operands in the other order.
  var swapped: ProductAxes {
    var other = self
    (other.first, other.second) = (second, first)
    return other
  }

  /// Axes that both operands have: those of the result, and those that are summed up.
  var shared: [Character] { result.filter { first.contains($0) && second.contains($0) } }
  var summed: [Character] { first.filter { !result.contains($0) } }

  /// Sizes of axes.
  func shape(_ names: [Character]) -> [Int] { names.map { sizes[$0] ?? 1 } }
}

extension Einsum {
  /// The size of each axis of operands of these shapes; nil where two differ, neither being one place.
  func sizes(_ shapes: [[Int]]) -> [Character: Int]? {
    var sizes: [Character: Int] = [:]
    for (name, size) in zip(inputs.joined(), shapes.joined()) {
      let known = sizes[name] ?? 1
      guard known == 1 || size == 1 || known == size else { return nil }
      sizes[name] = known == 1 ? size : known
    }
    return sizes
  }
}
