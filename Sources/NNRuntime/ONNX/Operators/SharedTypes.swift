extension Operators {
  /// Inputs of one type, by ONNX's definitions in each of an operator's versions: each list stands for one type,
  /// an empty one for that of all inputs.
  ///
  /// Operators read the second tensor as what the first is; a file may hold anything.
  package static let sharedTypes: [String: [[Int]]] = {
    var rows: [String: [[Int]]] = [:]
    func row(_ positions: [[Int]], _ names: String) {
      for name in names.split(separator: " ") { rows[String(name)] = positions }
    }
    row([[0, 1]], "Add And BitShift BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less")
    row([[0, 1]], "LessOrEqual MatMul Mod Mul Or PRelu RoiAlign StringConcat Sub SwiGLU")
    row([[0, 1]], "TensorScatter Xor")
    row([[0, 2]], "DequantizeLinear NegativeLogLikelihoodLoss Pad Scatter ScatterElements ScatterND")
    row([[0, 2]], "SoftmaxCrossEntropyLoss")
    row([[1, 2]], "MaxUnpool Where")
    row([[0, 1, 2]], "Clip Conv ConvTranspose Gemm GroupNormalization InstanceNormalization")
    row([[0, 1, 2]], "LayerNormalization Range RotaryEmbedding")
    row([[0, 1, 2, 3]], "CausalConvWithState")
    row([[0, 1, 2, 3, 4]], "DeformConv")
    row([[0, 1, 2, 3, 5]], "GRU RNN")
    row([[0, 1, 2, 3, 5, 6, 7]], "LSTM")
    row([[0, 1, 2, 4, 5]], "LinearAttention")
    row([[0, 1, 2], [3, 4]], "MelWeightMatrix")
    row([[0, 1, 4], [2, 5]], "Attention")
    row([[0, 2], [1, 3]], "ConvInteger MatMulInteger STFT")
    row([[0, 2], [3, 5]], "QLinearConv QLinearMatMul")
    row([[1, 2], [3, 4]], "BatchNormalization")
    row([[]], "Concat Einsum Max Mean Min SequenceConstruct Sum")
    return rows
  }()
}

extension Call {
  /// Refuses tensors of different types at these positions, of none given: at all.
  func checkOneType(of positions: [Int]) throws {
    var first: (index: Int, type: ElementType)?
    for index in inputs.indices where positions.isEmpty || positions.contains(index) {
      guard case .tensor(let tensor) = inputs[index] else { continue }
      guard let (other, type) = first else {
        first = (index, tensor.type)
        continue
      }
      guard tensor.type == type else {
        throw ONNXError.malformed(
          "input \(other) has elements of type \(type) and input \(index) of type \(tensor.type)")
      }
    }
  }
}
