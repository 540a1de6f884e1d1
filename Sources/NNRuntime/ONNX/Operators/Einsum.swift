import FileFormats

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Einstein's summation, pairwise and as products of matrices where that is what it is.
package struct Einsum {
  /// The names of the axes of each operand, and of the result.
  package let inputs: [[Character]]
  package let output: [Character]

  /// Letters name axes; an ellipsis stands for those that broadcast, which get names of their own here.
  package init(_ equation: String, _ shapes: [[Int]]) throws {
    let text = equation.filter { $0 != " " }
    let sides = text.split(separator: ">", omittingEmptySubsequences: false)
    let hasOutput = text.contains("->")
    let terms = (hasOutput ? String(sides[0].dropLast()) : text)
      .split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard terms.count == shapes.count, sides.count <= 2 else {
      throw ONNXError.malformed("equation \"\(equation)\" is of \(counted(terms.count, "input"))")
    }
    // Named from the back, since broadcast axes are aligned there.
    func free(_ count: Int) -> [Character] {
      (0..<count).reversed().map { Character(UnicodeScalar(UInt32(0x2460 + $0)) ?? "?") }
    }
    var most = 0
    var found: [[Character]] = []
    for (term, shape) in zip(terms, shapes) {
      let parts = term.split(separator: "...", omittingEmptySubsequences: false)
      let letters = parts.joined()
      let rest = shape.count - letters.count
      guard parts.count <= 2, rest >= 0, parts.count == 2 || rest == 0, letters.allSatisfy(\.isLetter) else {
        throw ONNXError.malformed("term \"\(term)\" does not fit shape \(Shape.text(shape))")
      }
      most = max(most, rest)
      found.append(Array(parts[0]) + free(rest) + (parts.count == 2 ? Array(parts[1]) : []))
    }
    inputs = found
    if hasOutput {
      let parts = sides[1].split(separator: "...", omittingEmptySubsequences: false)
      output = Array(parts[0]) + (parts.count == 2 ? free(most) + Array(parts[1]) : [])
    } else {
      let letters = terms.joined().filter(\.isLetter)
      let single = Set(letters).filter { letter in letters.count { $0 == letter } == 1 }
      output = free(most) + single.sorted()
    }
    guard Set(output).count == output.count,
      output.allSatisfy({ letter in found.contains { $0.contains(letter) } })
    else { throw ONNXError.malformed("the result of equation \"\(equation)\"") }
  }

  func run(_ tensors: [Tensor]) throws -> Tensor {
    var (axes, result) = try simplified(inputs[0], tensors[0], keeping: needed(after: 0))
    for index in tensors.indices.dropFirst() {
      let keeping = needed(after: index)
      let next = try simplified(inputs[index], tensors[index], keeping: keeping.union(axes))
      (axes, result) = try product((axes, result), next, keeping)
    }
    (axes, result) = try simplified(axes, result, keeping: Set(output))
    // An axis of the result that no input has kept cannot be: `output` was checked.
    return result.transposed(output.map { axes.firstIndex(of: $0)! })
  }

  private func needed(after index: Int) -> Set<Character> { Set(inputs[(index + 1)...].joined() + output) }

  /// Diagonals of axes that are named twice, sums over those that nothing needs.
  private func simplified(
    _ axes: [Character], _ tensor: Tensor, keeping: Set<Character>
  ) throws -> ([Character], Tensor) {
    let strides = Shape.strides(tensor.shape)
    var (names, shape, steps): ([Character], [Int], [Int]) = ([], [], [])
    for (axis, name) in axes.enumerated() {
      if let known = names.firstIndex(of: name) {
        guard shape[known] == tensor.shape[axis] else {
          throw ONNXError.malformed("the axes \"\(name)\" differ in size")
        }
        steps[known] += strides[axis]
      } else {
        names.append(name)
        shape.append(tensor.shape[axis])
        steps.append(strides[axis])
      }
    }
    let diagonal = names.count == axes.count ? tensor : tensor.strided(shape, steps)
    let summed = names.indices.filter { !keeping.contains(names[$0]) }
    guard !summed.isEmpty else { return (names, diagonal) }
    let plan = try Reduction(diagonal, axes: summed, keepsAxes: false)
    let sums = plan.groups(of: plan.ordered.doubles()).map { $0.reduce(0, +) }
    return (names.filter(keeping.contains), Tensor(tensor.type, plan.result, doubles: sums))
  }

  /// Axes of both that are kept are a batch, those that are not are summed, the others are rows and columns.
  private func product(
    _ a: (axes: [Character], tensor: Tensor), _ b: (axes: [Character], tensor: Tensor),
    _ keeping: Set<Character>
  ) throws -> ([Character], Tensor) {
    let shared = a.axes.filter(b.axes.contains)
    let (batch, summed) = (shared.filter(keeping.contains), shared.filter { !keeping.contains($0) })
    let (rows, columns) = (a.axes.filter { !shared.contains($0) }, b.axes.filter { !shared.contains($0) })
    func size(_ name: Character) throws -> Int {
      let sizes = [(a.axes, a.tensor.shape), (b.axes, b.tensor.shape)].compactMap { axes, shape in
        axes.firstIndex(of: name).map { shape[$0] }
      }
      guard let greatest = sizes.max(), sizes.allSatisfy({ $0 == greatest || $0 == 1 }) else {
        throw ONNXError.malformed("the axes \"\(name)\" differ in size")
      }
      return greatest
    }
    func ordered(_ side: (axes: [Character], tensor: Tensor), _ order: [[Character]]) throws -> Tensor {
      let moved = side.tensor.transposed(order.joined().map { side.axes.firstIndex(of: $0)! })
      return try moved.broadcast(to: order.joined().map(size))
        .reshaped(order.map { try $0.map(size).reduce(1, *) })
    }
    let result = try Operators.multiplied(
      ordered(a, [batch, rows, summed]), ordered(b, [batch, summed, columns]))
    let names = batch + rows + columns
    return (names, result.reshaped(try names.map(size)))
  }
}
