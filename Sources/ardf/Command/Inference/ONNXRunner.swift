import FileFormats
import NNRuntime
import ONNX
import ONNXEngine

/// A network of an ONNX file as it is run: by the planned engine, or node by node.
struct ONNXRunner {
  private let model: ONNXModel
  private let lowered: LoweredModel?

  init(_ model: ONNXModel, _ compute: ComputeOptions, plain: Bool) throws {
    self.model = model
    lowered =
      plain
      ? nil : LoweredModel(model, options: try compute.planOptions(), pool: compute.makePool())
  }

  /// Runs it on values by the names of its inputs.
  func run(_ values: NameTable<ONNX.Value>) throws -> [ONNX.Value] {
    try lowered?.run(values) ?? model.run(values)
  }
}

extension ONNXModel {
  /// Inputs of the declared shapes, free axes of one place, with numbers that are drawn from a fixed seed.
  func drawnInputs() throws -> NameTable<ONNX.Value> {
    var values = NameTable<ONNX.Value>()
    var state: UInt64 = 1
    func draw() -> Float {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(state >> 40) / Float(1 << 24)
    }
    for input in inputs {
      guard case .tensor(let number, let axes?)? = input.type,
        let type = ONNX.ElementType(rawValue: number)
      else {
        throw CommandError.input(
          "\(path): the input \"\(input.name)\" has no declared shape; give inputs to ardf infer")
      }
      let shape = axes.map { axis in if case .size(let size) = axis { size } else { 1 } }
      let count = shape.reduce(1, *)
      values[input.name] = .tensor(
        type == .float
          ? ONNX.Tensor(shape, (0..<count).map { _ in draw() }) : ONNX.Tensor.blank(type, shape))
    }
    return values
  }
}
