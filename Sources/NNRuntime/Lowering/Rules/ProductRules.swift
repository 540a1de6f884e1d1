import NNRuntime
import ONNX

/// `MatMul`: with a known matrix on either side a linear layer on every pixel.
enum ProductRule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    if let matrix = operands.constant(1), let shape = matrix.matrix, let x = operands.settled(0),
      x.shape.count > 1, matrix.shape.count <= x.shape.count
    {
      if let bytes = operands.byteWeights(1, outputs: matrix.shape.count - 1) {
        return linear(
          x, axis: x.shape.count - 1,
          bytes.integers.reshaped([shape.rows, shape.columns]).transposed(), scale: bytes.scale, operands)
      }
      return linear(x, axis: x.shape.count - 1, matrix.transposedWeights(shape), operands)
    }
    if let vector = operands.constant(1), vector.type.isHeldAsFloat, let width = vector.shape.first,
      vector.shape.count == 1, let x = operands.settled(0), x.shape.count > 1,
      let shape = operands.outputShape()
    {
      let made = linear(x, axis: x.shape.count - 1, operands.weights(1)?.reshaped([1, width]), operands)
      guard let found = made?.first, let view = found.view.reshaped(shape) else { return nil }
      return [Lowered(value: found.value, view: view, factor: found.factor)]
    }
    if let matrix = operands.constant(0), let shape = matrix.matrix, let x = operands.settled(1),
      x.shape.count > 1, matrix.shape.count <= x.shape.count
    {
      return linear(
        x, axis: x.shape.count - 2, operands.weights(0)?.reshaped([shape.rows, shape.columns]), operands)
    }
    return BatchProductRule.lower(node, operands)
  }

  /// A linear layer along an axis; `weights` is (out, in).
  static func linear(
    _ x: Lowered, axis: Int, _ weights: WeightTensor?, scale: [Float]? = nil, bias: WeightTensor? = nil,
    _ operands: Operands
  ) -> [Lowered]? {
    guard let weights, weights.count > 0, weights.shape[1] == x.shape[axis],
      let found = operands.island.pixelwise(x, channels: axis, operands.name)
    else { return nil }
    let value = found.value.linear(weights, scale: scale, bias: bias, name: operands.name)
    return [operands.replacing(axis, of: found, with: value)]
  }
}

/// `Gemm` with a known matrix and a known vector.
enum GemmRule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    let step = node.step
    guard step.int("transA") ?? 0 == 0, let x = operands.tensor(0), x.shape.count == 2,
      let matrix = operands.constant(1), let shape = matrix.matrix,
      !operands.has(2) || operands.constant(2) != nil
    else { return nil }
    let isTransposed = step.int("transB") ?? 0 != 0
    let out = isTransposed ? shape.rows : shape.columns
    var scaled = x
    scaled.factor *= step.float("alpha") ?? 1
    guard let settled = operands.island.settled(scaled, operands.name) else { return nil }
    var bias: WeightTensor?
    if let constant = operands.constant(2) {
      guard let (axis, values) = constant.vector(along: [x.shape[0], out]), axis == 1 else { return nil }
      let beta = step.float("beta") ?? 1
      bias = WeightTensor(
        shape: [out],
        floats: (0..<out).map { beta * values[values.count == 1 ? 0 : $0] })
    }
    if let bytes = operands.byteWeights(1, outputs: isTransposed ? 0 : 1) {
      let weights = isTransposed ? bytes.integers : bytes.integers.transposed()
      return ProductRule.linear(settled, axis: 1, weights, scale: bytes.scale, bias: bias, operands)
    }
    let weights =
      isTransposed ? operands.weights(1) : matrix.transposedWeights((shape.rows, shape.columns))
    return ProductRule.linear(settled, axis: 1, weights, bias: bias, operands)
  }
}

extension ONNXTensor {
  /// Rows and columns, where all axes before them are one place.
  fileprivate var matrix: (rows: Int, columns: Int)? {
    guard shape.count >= 2, shape.dropLast(2).allSatisfy({ $0 == 1 }), type.isHeldAsFloat else { return nil }
    return (shape[shape.count - 2], shape[shape.count - 1])
  }

  /// The matrix (in, out) as weights (out, in); those of a mapped file stay there.
  fileprivate func transposedWeights(_ shape: (rows: Int, columns: Int)) -> WeightTensor? {
    WeightTensor(onnx: self)?.reshaped([shape.rows, shape.columns]).transposed()
  }
}
