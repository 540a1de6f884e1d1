import ONNX

/// Types and shapes of what a step makes, by those of what it takes.
///
/// Operators with much work have a formula here. Of those that move or compare elements the shape is found by running them
/// on zeros; any other is unknown, and so is all that follows from it.
enum ShapeRules {
  private static let unary: Set<String> = [
    "Relu", "Sigmoid", "Tanh", "Erf", "Exp", "Log", "Sqrt", "Abs", "Neg", "Reciprocal", "HardSwish",
    "HardSigmoid", "LeakyRelu", "Elu", "Selu", "Celu", "Gelu", "Mish", "Softplus", "Softsign", "Clip",
    "Softmax", "LogSoftmax", "Floor", "Ceil", "Round", "Sin", "Cos", "BatchNormalization",
    "InstanceNormalization", "GroupNormalization", "LayerNormalization", "PRelu", "Identity", "Dropout",
    "RMSNormalization", "LpNormalization", "Swish", "ThresholdedRelu", "com.microsoft.QuickGelu",
    "com.microsoft.Gelu",
  ]
  private static let binary: Set<String> = ["Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Sum", "Mean"]
  /// Those whose shape is that of a run on zeros, and which of their inputs it depends on as values.
  private static let moving: [String: [Int]] = [
    "Reshape": [1], "Flatten": [], "Squeeze": [1], "Unsqueeze": [1], "Transpose": [], "Concat": [],
    "Slice": [1, 2, 3, 4], "Split": [1], "Gather": [], "GatherElements": [], "GatherND": [], "Expand": [1],
    "Tile": [1, 2], "Pad": [1, 3], "Cast": [], "DepthToSpace": [], "SpaceToDepth": [], "Where": [],
    "Equal": [], "Greater": [], "Less": [], "GreaterOrEqual": [], "LessOrEqual": [], "And": [], "Or": [],
    "Not": [], "IsNaN": [], "IsInf": [], "ReduceMean": [1], "ReduceSum": [1], "ReduceMax": [1],
    "ReduceMin": [1], "ReduceProd": [1], "ReduceL2": [1], "ReduceL1": [1], "ReduceSumSquare": [1],
    "ArgMax": [], "ArgMin": [], "TopK": [1], "CumSum": [1], "OneHot": [1], "Mod": [], "ScatterND": [],
    "ScatterElements": [], "Trilu": [1], "Resize": [1, 2, 3], "Upsample": [1],
    "GlobalAveragePool": [], "GlobalMaxPool": [], "ConvTranspose": [], "QuantizeLinear": [],
    "DequantizeLinear": [], "GridSample": [],
  ]

  /// Most that a size, a stride or a padding may be: products of two of them are numbers.
  private static let mostSize = 1 << 30

  /// nil where nothing is known.
  static func kinds(
    of step: ONNXStep, in program: FixedProgram, _ scratch: StepScratch
  ) -> [TensorKind?]? {
    let inputs = step.inputSlots.map { program.kind($0) }
    guard zip(step.inputSlots, inputs).allSatisfy({ $0 == nil || $1 != nil }), let first = inputs.first ?? nil
    else { return nil }
    if unary.contains(step.type) { return [first] }
    if binary.contains(step.type) {
      return broadcast(inputs.compactMap { $0?.shape }).map { [TensorKind(type: first.type, shape: $0)] }
    }
    switch step.type {
    case "Conv": return convolution(step, first, inputs[1]?.shape ?? [])
    case "MaxPool", "AveragePool", "LpPool": return pool(step, first)
    case "MatMul": return product(first, inputs[1]?.shape ?? [])
    case "Gemm": return general(step, first, inputs[1]?.shape ?? [])
    case "ConvTranspose": if let found = transposed(step, first, inputs[1]?.shape ?? []) { return [found] }
    case "Resize": if let found = resized(step, first, program) { return [found] }
    case "Concat": if let found = joined(step, inputs.compactMap(\.self)) { return [found] }
    case "Transpose":
      let order = step.ints("perm") ?? Array(first.shape.indices.reversed())
      guard order.sorted() == Array(first.shape.indices) else { return nil }
      return [TensorKind(type: first.type, shape: order.map { first.shape[$0] })]
    case "GlobalAveragePool", "GlobalMaxPool":
      let ones = [Int](repeating: 1, count: max(first.shape.count - 2, 0))
      return [TensorKind(type: first.type, shape: first.shape.prefix(2) + ones)]
    case "Reshape": if let found = reshaped(step, first, program) { return [found] }
    case "Einsum":
      return einsum(step, inputs.compactMap { $0?.shape })
        .map { [TensorKind(type: first.type, shape: $0)] }
    case "QuantizeLinear", "DequantizeLinear": if let found = rounded(step, inputs) { return [found] }
    default: break
    }
    guard let values = moving[step.type] else { return nil }
    return onZeros(step, inputs, values, program, scratch)
  }

  private static func onZeros(
    _ step: ONNXStep, _ inputs: [TensorKind?], _ values: [Int], _ program: FixedProgram,
    _ scratch: StepScratch
  ) -> [TensorKind?]? {
    var given: [(slot: Int, value: ONNXValue)] = []
    for (position, slot) in step.inputSlots.enumerated() {
      guard let slot, let kind = inputs[position] else { continue }
      if let value = program.known[slot] {
        given.append((slot, value))
      } else {
        guard !values.contains(position) else { return nil }
        given.append((slot, .tensor(ONNXTensor.blank(kind.type, kind.shape))))
      }
    }
    return scratch.results(of: step, given)?.map { value in
      if case .tensor(let tensor) = value { tensor.kind } else { nil }
    }
  }

  private static func einsum(_ step: ONNXStep, _ shapes: [[Int]]) -> [Int]? {
    guard let names = try? Einsum(step.string("equation") ?? "", shapes), let sizes = names.sizes(shapes)
    else { return nil }
    return names.output.compactMap { sizes[$0] }
  }

  /// The shape that several broadcast to; nil where they don't.
  static func broadcast(_ shapes: [[Int]]) -> [Int]? {
    var result = [Int](repeating: 1, count: shapes.map(\.count).max() ?? 0)
    for shape in shapes {
      for (axis, size) in shape.enumerated() where size != 1 {
        let place = result.count - shape.count + axis
        guard result[place] == 1 || result[place] == size else { return nil }
        result[place] = size
      }
    }
    return result
  }

  /// nil here and in the next: another form, whose shape is found otherwise.
  private static func transposed(_ step: ONNXStep, _ input: TensorKind, _ weights: [Int]) -> TensorKind? {
    let axes = input.shape.count - 2
    guard axes > 0, weights.count == input.shape.count, input.shape[1] == weights[0],
      step.ints("output_shape") == nil, (step.string("auto_pad") ?? "NOTSET") == "NOTSET"
    else { return nil }
    func list(_ name: String, _ blank: Int, _ count: Int) -> [Int]? {
      let found = step.ints(name) ?? [Int](repeating: blank, count: count)
      return found.count == count && found.allSatisfy((0...mostSize).contains) ? found : nil
    }
    guard let strides = list("strides", 1, axes), let dilations = list("dilations", 1, axes),
      let pads = list("pads", 0, 2 * axes), let more = list("output_padding", 0, axes),
      (input.shape + weights).allSatisfy((0...mostSize).contains),
      let channels = elementCount([weights[1], step.int("group") ?? 1])
    else { return nil }
    let sizes = (0..<axes).map { axis -> Int in
      let starts: Int = (input.shape[axis + 2] - 1) * strides[axis]
      let reach: Int = dilations[axis] * (weights[axis + 2] - 1) + 1
      return starts + reach - pads[axis] - pads[axis + axes] + more[axis]
    }
    guard sizes.allSatisfy({ $0 > 0 }) else { return nil }
    return TensorKind(type: input.type, shape: [input.shape[0], channels] + sizes)
  }

  private static func rounded(_ step: ONNXStep, _ inputs: [TensorKind?]) -> TensorKind? {
    guard inputs.count > 1, let input = inputs[0], let scale = inputs[1], scale.count == 1,
      step.int("output_dtype") ?? 0 == 0, step.int("block_size") ?? 0 == 0
    else { return nil }
    let zero = inputs.count > 2 ? inputs[2] : nil
    guard zero.map({ $0.count == 1 }) ?? true else { return nil }
    let isRounded = step.type == "QuantizeLinear"
    return TensorKind(type: isRounded ? zero?.type ?? .uint8 : scale.type, shape: input.shape)
  }

  private static func resized(_ step: ONNXStep, _ input: TensorKind, _ program: FixedProgram) -> TensorKind? {
    guard step.version > 10, step.ints("axes") == nil, step.inputSlots.count > 2,
      step.string("keep_aspect_ratio_policy") ?? "stretch" == "stretch",
      step.string("coordinate_transformation_mode") != "tf_crop_and_resize"
    else { return nil }
    let sizes = step.inputSlots.count > 3 ? program.constant(step.inputSlots[3])?.integers() : nil
    if let sizes, sizes.count == input.shape.count {
      return elementCount(sizes).map { _ in TensorKind(type: input.type, shape: sizes) }
    }
    guard let scales = program.constant(step.inputSlots[2])?.doubles(), scales.count == input.shape.count
    else {
      return nil
    }
    let products = zip(input.shape, scales).map { Double($0) * $1 }
    // Where the product is whole, there is nothing to be rounded.
    guard products.allSatisfy({ $0 > 0 && $0 < 0x1p31 && $0 == $0.rounded() }) else { return nil }
    return TensorKind(type: input.type, shape: products.compactMap { Int(exactly: $0) })
  }

  private static func joined(_ step: ONNXStep, _ inputs: [TensorKind]) -> TensorKind? {
    guard inputs.count == step.inputSlots.count, var axis = step.int("axis") else { return nil }
    let rank = inputs[0].shape.count
    if axis < 0 { axis += rank }
    guard (0..<rank).contains(axis) else { return nil }
    var shape = inputs[0].shape
    for input in inputs.dropFirst() {
      guard input.shape.count == rank, input.type == inputs[0].type,
        shape.indices.allSatisfy({ $0 == axis || shape[$0] == input.shape[$0] })
      else { return nil }
      shape[axis] += input.shape[axis]
    }
    return TensorKind(type: inputs[0].type, shape: shape)
  }

  private static func reshaped(_ step: ONNXStep, _ input: TensorKind, _ program: FixedProgram) -> TensorKind?
  {
    guard step.version >= 5, step.int("allowzero") ?? 0 == 0, step.inputSlots.count == 2,
      var shape = program.constant(step.inputSlots[1])?.integers()
    else { return nil }
    for (axis, size) in shape.enumerated() where size == 0 {
      guard axis < input.shape.count else { return nil }
      shape[axis] = input.shape[axis]
    }
    if let axis = shape.firstIndex(of: -1) {
      shape[axis] = 1
      guard let rest = elementCount(shape), rest > 0, input.count % rest == 0 else { return nil }
      shape[axis] = input.count / rest
    }
    return shape.allSatisfy { $0 > 0 } && elementCount(shape) == input.count
      ? TensorKind(type: input.type, shape: shape) : nil
  }

  private static func convolution(_ step: ONNXStep, _ input: TensorKind, _ weights: [Int]) -> [TensorKind?]? {
    guard input.shape.count > 2, weights.count == input.shape.count,
      let windows = try? step.windows(over: Array(input.shape[2...]), kernel: Array(weights[2...]))
    else { return nil }
    return [TensorKind(type: input.type, shape: [input.shape[0], weights[0]] + windows.output)]
  }

  private static func pool(_ step: ONNXStep, _ input: TensorKind) -> [TensorKind?]? {
    guard input.shape.count > 2, let kernel = step.ints("kernel_shape"),
      let windows = try? step.windows(over: Array(input.shape[2...]), kernel: kernel)
    else { return nil }
    let shape = Array(input.shape[..<2]) + windows.output
    return [TensorKind(type: input.type, shape: shape), TensorKind(type: .int64, shape: shape)]
  }

  private static func product(_ a: TensorKind, _ b: [Int]) -> [TensorKind?]? {
    let (left, right) = (a.shape, b)
    if right.count == 1, left.count > 1, left[left.count - 1] == right[0] {
      return [TensorKind(type: a.type, shape: Array(left.dropLast()))]
    }
    if left.count == 1, right.count > 1, right[right.count - 2] == left[0] {
      return [TensorKind(type: a.type, shape: right.dropLast(2) + [right[right.count - 1]])]
    }
    guard left.count > 1, right.count > 1, left[left.count - 1] == right[right.count - 2],
      let outer = broadcast([Array(left.dropLast(2)), Array(right.dropLast(2))])
    else { return nil }
    return [TensorKind(type: a.type, shape: outer + [left[left.count - 2], right[right.count - 1]])]
  }

  private static func general(_ step: ONNXStep, _ a: TensorKind, _ b: [Int]) -> [TensorKind?]? {
    guard a.shape.count == 2, b.count == 2 else { return nil }
    let rows = a.shape[step.int("transA") ?? 0 != 0 ? 1 : 0]
    return [TensorKind(type: a.type, shape: [rows, b[step.int("transB") ?? 0 != 0 ? 0 : 1]])]
  }
}
