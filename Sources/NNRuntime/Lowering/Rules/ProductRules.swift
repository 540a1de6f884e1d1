import NNRuntime
import ONNX

/// `MatMul`: with a known matrix on either side a linear layer on every pixel.
enum ProductRule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    if let matrix = operands.constant(1), matrix.matrix != nil, let x = operands.settled(0),
      x.shape.count > 1, matrix.shape.count <= x.shape.count
    {
      return linear(x, axis: x.shape.count - 1, operands.matrixWeights(1, isTransposed: false), operands)
    }
    if let vector = operands.constant(1), vector.type.isHeldAsFloat, let width = vector.shape.first,
      vector.shape.count == 1, let x = operands.settled(0), x.shape.count > 1,
      let shape = operands.outputShape()
    {
      let weights = operands.weights(1).map { LinearWeights($0.reshaped([1, width])) }
      let made = linear(x, axis: x.shape.count - 1, weights, operands)
      guard let found = made?.first, let view = found.view.reshaped(shape) else { return nil }
      return [Lowered(value: found.value, view: view, factor: found.factor)]
    }
    if let matrix = operands.constant(0), matrix.matrix != nil, let x = operands.settled(1),
      x.shape.count > 1, matrix.shape.count <= x.shape.count
    {
      return linear(x, axis: x.shape.count - 2, operands.matrixWeights(0, isTransposed: true), operands)
    }
    return BatchProductRule.lower(node, operands)
  }

  /// A linear layer along an axis.
  static func linear(
    _ x: Lowered, axis: Int, _ weights: LinearWeights?, bias: WeightTensor? = nil, _ operands: Operands
  ) -> [Lowered]? {
    guard let weights, weights.factors.count > 0, weights.factors.shape[1] == x.shape[axis],
      let found = operands.island.pixelwise(x, channels: axis, operands.name)
    else { return nil }
    let value = found.value.linear(weights.factors, scale: weights.scale, bias: bias, name: operands.name)
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
    return ProductRule.linear(
      settled, axis: 1, operands.matrixWeights(1, isTransposed: isTransposed), bias: bias, operands)
  }
}

/// Weights of a linear layer.
struct LinearWeights {
  /// (out, in).
  var factors: WeightTensor
  /// One per output channel, where the factors are integers of 8 bits.
  var scale: [Float]?

  init(_ factors: WeightTensor, scale: [Float]? = nil) {
    self.factors = factors
    self.scale = scale
  }
}

extension Operands {
  /// A known matrix as weights of a linear layer; it is (in, out) unless `isTransposed`.
  ///
  /// Those of a mapped file stay there.
  fileprivate func matrixWeights(_ index: Int, isTransposed: Bool) -> LinearWeights? {
    guard let matrix = constant(index), let (rows, columns) = matrix.matrix else { return nil }
    let bytes = byteWeights(index, outputs: matrix.shape.count - (isTransposed ? 2 : 1))
    guard let found = (bytes?.integers ?? weights(index))?.reshaped([rows, columns]) else { return nil }
    return LinearWeights(isTransposed ? found : found.transposed(), scale: bytes?.scale)
  }
}

extension ONNXTensor {
  /// Rows and columns, where all axes before them are one place.
  fileprivate var matrix: (rows: Int, columns: Int)? {
    guard shape.count >= 2, shape.dropLast(2).allSatisfy({ $0 == 1 }), type.isHeldAsFloat else { return nil }
    return (shape[shape.count - 2], shape[shape.count - 1])
  }
}
