import NNRuntime
import ONNX

/// `QuantizeLinear` with one known scale, read by `DequantizeLinear` with the same one alone.
///
/// That is one rounding of floats to the scale's multiples: what islands hold of the integers is what they stand for.
enum QuantizationRule: Rule {
  static let types = ["QuantizeLinear", "DequantizeLinear"]

  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    guard let slot = node.outputs.first ?? nil else { return nil }
    if node.step.type == "DequantizeLinear" {
      guard let input = node.inputs[0], operands.island.rounded[input] != nil,
        let x = operands.island.tensors[input]
      else { return nil }
      return [x]
    }
    guard let form = Form(node.step, operands.program), form.areReadersAlike(slot, operands.program),
      let x = operands.settled(0), let whole = operands.island.whole(x, operands.name)
    else { return nil }
    let value = whole.value.mapped(
      .multiples(of: form.scale, low: form.low, high: form.high), name: operands.name)
    return [Lowered(value: value, view: whole.view)]
  }

  /// A scale, a zero point and the integers' bounds from there.
  private struct Form {
    var scale: Float
    var zero: Int
    var low, high: Float

    init?(_ step: ONNXStep, _ program: FixedProgram) {
      guard step.int("block_size") ?? 0 == 0, step.int("precision") ?? 0 == 0,
        let scales = program.constant(step.inputSlots[1]), scales.count == 1, scales.type == .float,
        let zeroType = Self.zero(step, program)
      else { return nil }
      let bounds: ClosedRange<Int>
      switch zeroType.type {
      case .int8: bounds = -128...127
      case .uint8: bounds = 0...255
      case .int16: bounds = -32768...32767
      case .uint16: bounds = 0...65535
      default: return nil
      }
      scale = scales.floats()[0]
      zero = zeroType.zero
      (low, high) = (Float(bounds.lowerBound - zero), Float(bounds.upperBound - zero))
      guard scale.isFinite, scale > 0 else { return nil }
    }

    /// The type of the integers, and their zero point; nil where it is not known.
    private static func zero(
      _ step: ONNXStep, _ program: FixedProgram
    ) -> (type: ONNX.ElementType, zero: Int)? {
      let output = step.type == "QuantizeLinear" ? step.outputSlots[0] : step.inputSlots[0]
      guard let type = program.kind(output)?.type else { return nil }
      guard step.inputSlots.count > 2, let slot = step.inputSlots[2] else { return (type, 0) }
      guard let tensor = program.constant(slot), tensor.count == 1, tensor.type == type else { return nil }
      return (type, tensor.integers()[0])
    }

    /// Whether all readers of the integers scale them alike.
    func areReadersAlike(_ slot: Int, _ program: FixedProgram) -> Bool {
      let readers = program.readers[slot] ?? []
      return !readers.isEmpty
        && readers.allSatisfy { index in
          guard program.steps.indices.contains(index) else { return false }
          let step = program.steps[index]
          guard step.type == "DequantizeLinear", step.defect == nil, step.inputSlots[0] == slot,
            step.inputSlots.dropFirst().allSatisfy({ $0 != slot }),
            program.kind(step.outputSlots[0])?.type == .float, let other = Form(step, program)
          else { return false }
          return other.scale == scale && other.zero == zero
        }
    }
  }
}
