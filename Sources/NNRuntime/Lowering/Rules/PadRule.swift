import NNRuntime
import ONNX

/// `Pad` of the last two axes with zeros, the edge or what is mirrored at it.
enum PadRule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    let step = node.step
    guard let x = operands.settled(0), x.shape.count == 3 || x.shape.count == 4,
      let pads = step.ints("pads") ?? step.ints("paddings") ?? operands.constant(1)?.integers(),
      !operands.has(3), pads.count == 2 * x.shape.count, [pads[0], pads[1]] == [0, 0],
      pads.allSatisfy((-ONNXTensor.mostElements...ONNXTensor.mostElements).contains)
    else { return nil }
    let rank = x.shape.count
    guard pads[rank] == 0, pads[rank + 1] == 0 else { return nil }
    let value = step.float("value") ?? operands.constant(2)?.floats().first ?? 0
    guard !operands.has(2) || operands.constant(2) != nil else { return nil }
    let mode: MapPadding.Mode
    switch step.string("mode") ?? "constant" {
    case "constant" where value == 0: mode = .zeros
    case "reflect": mode = .reflect
    case "edge": mode = .edge
    default: return nil
    }
    let isRow = rank == 3
    let padding = MapPadding(
      top: isRow ? 0 : pads[2], bottom: isRow ? 0 : pads[rank + 2], left: pads[rank - 1],
      right: pads[2 * rank - 1], mode: mode)
    if pads.allSatisfy({ $0 == 0 }) { return [x] }
    guard let map = operands.island.map(x, operands.name), let made = padding.applied(to: map, operands)
    else {
      return nil
    }
    return [operands.island.tensor(made, rank: rank)]
  }
}
