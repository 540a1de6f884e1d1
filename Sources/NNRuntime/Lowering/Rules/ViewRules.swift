import NNRuntime
import ONNX

/// Operators that only say how elements are counted: no work, other views.
enum ViewRule: Rule {
  static let types = [
    "Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout", "Cast", "Slice",
    "Split", "Gather", "DepthToSpace", "SpaceToDepth", "Expand",
  ]

  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    // What is not in the graph yet is not brought there to be seen otherwise.
    guard let slot = node.inputs.first ?? nil, let x = operands.island.tensors[slot] else { return nil }
    let step = node.step
    func viewed(_ view: StridedView?) -> [Lowered]? {
      guard let view, view.shape == operands.outputShape() else { return nil }
      return [Lowered(value: x.value, view: view, factor: x.factor)]
    }
    switch step.type {
    case "Transpose":
      let order = step.ints("perm") ?? Array(x.shape.indices.reversed())
      guard order.sorted() == Array(x.shape.indices) else { return nil }
      return viewed(x.view.transposed(order))
    case "Dropout":
      let isTraining = operands.constant(2).map { $0.integers().contains { $0 != 0 } } ?? operands.has(2)
      let isMaskRead =
        node.outputs.count > 1 && node.outputs[1].map { operands.program.readers[$0] != nil } ?? false
      return isTraining || isMaskRead ? nil : viewed(x.view)
    case "Cast":
      // To a half and back is a rounding, which nothing asks for: islands hold halves in single precision.
      return step.int("to") == 1 || step.int("to") == 10 ? viewed(x.view) : nil
    case "Identity": return viewed(x.view)
    case "Reshape", "Flatten", "Squeeze", "Unsqueeze":
      return operands.outputShape().flatMap { viewed(x.view.reshaped($0)) }
    case "Expand": return operands.outputShape().flatMap { viewed(x.view.broadcast(to: $0)) }
    case "Slice": return viewed(slice(x.view, step, operands))
    case "Split": return split(x, step, operands)
    case "Gather": return viewed(gather(x.view, step, operands))
    case "DepthToSpace", "SpaceToDepth": return viewed(shuffled(x.view, step))
    default: return nil
    }
  }

  private static func slice(_ view: StridedView, _ step: ONNXStep, _ operands: Operands) -> StridedView? {
    func list(_ index: Int, _ name: String) -> [Int]? {
      step.ints(name) ?? operands.constant(index)?.integers()
    }
    guard let starts = list(1, "starts"), let ends = list(2, "ends"), starts.count == ends.count,
      !operands.has(3) || operands.constant(3) != nil, !operands.has(4) || operands.constant(4) != nil
    else { return nil }
    let axes = list(3, "axes") ?? Array(starts.indices)
    let steps = operands.constant(4)?.integers() ?? starts.map { _ in 1 }
    guard axes.count == starts.count, steps.count == starts.count else { return nil }
    let rank = view.axes.count
    var found = view
    for (index, axis) in axes.enumerated() {
      let axis = axis < 0 ? axis + rank : axis
      guard (0..<rank).contains(axis), steps[index] > 0 else { return nil }
      let size = found.shape[axis]
      func place(_ place: Int) -> Int { min(max(place < 0 ? place + size : place, 0), size) }
      let (start, end) = (place(starts[index]), place(ends[index]))
      guard start < end else { return nil }
      let count = (end - start - 1) / steps[index] + 1
      guard let next = found.sliced(axis, from: start, count: count, step: count == 1 ? 1 : steps[index])
      else { return nil }
      found = next
    }
    return found
  }

  private static func split(_ x: Lowered, _ step: ONNXStep, _ operands: Operands) -> [Lowered]? {
    var axis = step.int("axis") ?? 0
    if axis < 0 { axis += x.shape.count }
    guard x.shape.indices.contains(axis) else { return nil }
    var start = 0
    var parts: [Lowered] = []
    for output in operands.node.outputs {
      guard let output, let size = operands.program.kind(output)?.shape[axis],
        let view = x.view.sliced(axis, from: start, count: size)
      else { return nil }
      parts.append(Lowered(value: x.value, view: view, factor: x.factor))
      start += size
    }
    return start == x.shape[axis] ? parts : nil
  }

  /// One index, which takes the axis away, or several in a row.
  private static func gather(_ view: StridedView, _ step: ONNXStep, _ operands: Operands) -> StridedView? {
    guard let indices = operands.constant(1), indices.count > 0, indices.shape.count <= 1 else { return nil }
    let rank = view.axes.count
    var axis = step.int("axis") ?? 0
    if axis < 0 { axis += rank }
    guard (0..<rank).contains(axis) else { return nil }
    let size = view.shape[axis]
    let list = indices.integers().map { $0 < 0 ? $0 + size : $0 }
    guard list.allSatisfy({ (0..<size).contains($0) }) else { return nil }
    let stride = list.count > 1 ? list[1] - list[0] : 1
    guard stride > 0, list.indices.allSatisfy({ list[$0] == list[0] + $0 * stride }),
      let part = view.sliced(axis, from: list[0], count: list.count, step: stride)
    else { return nil }
    guard indices.shape.isEmpty else { return part }
    var axes = part.axes
    axes.remove(at: axis)
    return StridedView(offset: part.offset, axes: axes)
  }

  private static func shuffled(_ view: StridedView, _ step: ONNXStep) -> StridedView? {
    let shape = view.shape
    guard shape.count == 4, let block = step.int("blocksize"), (1...1 << 14).contains(block)
    else { return nil }
    let (n, c, h, w) = (shape[0], shape[1], shape[2], shape[3])
    if step.type == "SpaceToDepth" {
      guard h % block == 0, w % block == 0, step.string("mode") ?? "DCR" == "DCR" else { return nil }
      return view.reshaped([n, c, h / block, block, w / block, block])?
        .transposed([0, 3, 5, 1, 2, 4]).reshaped([n, c * block * block, h / block, w / block])
    }
    guard c % (block * block) == 0 else { return nil }
    let inner = c / (block * block)
    switch step.string("mode") ?? "DCR" {
    case "DCR":
      return view.reshaped([n, block, block, inner, h, w])?
        .transposed([0, 3, 4, 1, 5, 2]).reshaped([n, inner, h * block, w * block])
    case "CRD":
      return view.reshaped([n, inner, block, block, h, w])?
        .transposed([0, 1, 4, 2, 5, 3]).reshaped([n, inner, h * block, w * block])
    default: return nil
    }
  }
}
