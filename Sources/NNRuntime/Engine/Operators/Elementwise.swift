// Operators that make each element of one, two or a constant. They share a task and its kernels.

@_exported import enum NNKernelInterface.Activation
import FileFormats
import NNKernelInterface

/// One factor and one addend per channel: x * scale + shift.
package struct Affine: VectorOperator {
  package var scale, shift: [Float]

  package init(scale: [Float], shift: [Float]) {
    self.scale = scale
    self.shift = shift
  }

  /// The one line of all channels, where they share it.
  package var uniform: (scale: Float, shift: Float)? {
    guard let scale = scale.first, let shift = shift.first, self.scale.allSatisfy({ $0 == scale }),
      self.shift.allSatisfy({ $0 == shift })
    else { return nil }
    return (scale, shift)
  }

  package var name: String { "affine" }
  package var parameterCount: Int { scale.count + shift.count }
  package func longestSum(of input: MapShape) -> Int { 1 }
  package func floats(_ reduced: ReducedProducts) -> FloatMaps { .none }
  package var elementwiseStep: ElementwiseStep { .line(self) }
  package var multiples: ResultMultiples { .any }

  package func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    for count in [scale.count, shift.count] { try inputs[0].checkOneAChannel([count]) }
    return inputs[0]
  }

  package func step(_ layer: PlacedNode, _ kernel: Kernel<ElementwiseTask>, _ builder: StepBuilder) -> Step {
    elementwise(layer, kernel, builder, .affine, scale: FloatMemory(scale), shift: FloatMemory(shift))
  }
}

/// An activation, elementwise.
package struct Activate: VectorOperator {
  package var activation: Activation

  package init(_ activation: Activation) { self.activation = activation }

  package var name: String { activation.name }
  package var parameterCount: Int { 0 }
  package func shape(of inputs: [MapShape]) -> MapShape { inputs[0] }
  package func longestSum(of input: MapShape) -> Int { 1 }
  package func floats(_ reduced: ReducedProducts) -> FloatMaps { .none }
  package var elementwiseStep: ElementwiseStep { .activation(activation) }
  package var multiples: ResultMultiples { .any }

  package func step(_ layer: PlacedNode, _ kernel: Kernel<ElementwiseTask>, _ builder: StepBuilder) -> Step {
    elementwise(layer, kernel, builder, .unary, activation)
  }
}

/// The shape of two maps, which must be the same.
func commonShape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
  guard inputs[0] == inputs[1] else {
    throw .wrongInputs(inputs, needed: "two maps of one shape are needed")
  }
  return inputs[0]
}

/// The sum of two maps of one shape.
struct Add: VectorOperator {
  var name: String { "add" }
  var parameterCount: Int { 0 }
  func longestSum(of input: MapShape) -> Int { 1 }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .none }
  var elementwiseStep: ElementwiseStep { .addition }
  var multiples: ResultMultiples { .any }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    try commonShape(of: inputs)
  }

  func step(_ layer: PlacedNode, _ kernel: Kernel<ElementwiseTask>, _ builder: StepBuilder) -> Step {
    elementwise(layer, kernel, builder, .add)
  }
}

/// The same numbers elsewhere.
struct Copy: VectorOperator {
  var name: String { "copy" }
  var parameterCount: Int { 0 }
  func shape(of inputs: [MapShape]) -> MapShape { inputs[0] }
  func longestSum(of input: MapShape) -> Int { 1 }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .none }
  var elementwiseStep: ElementwiseStep { .none }
  var multiples: ResultMultiples { .any }

  func step(_ layer: PlacedNode, _ kernel: Kernel<ElementwiseTask>, _ builder: StepBuilder) -> Step {
    elementwise(layer, kernel, builder, .unary)
  }
}

/// A token sequence with one constant token before it: the token is all that a step writes.
struct PrependToken: VectorOperator {
  var token: [Float]

  var name: String { "prepend" }
  var placing: Placing { .afterToken }
  var parameterCount: Int { token.count }
  func longestSum(of input: MapShape) -> Int { 1 }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .all }
  var elementwiseStep: ElementwiseStep { .none }
  var multiples: ResultMultiples { .any }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    guard inputs[0].height == 1 else { throw .wrongInputs(inputs, needed: "a sequence of tokens is needed") }
    try inputs[0].checkOneAChannel([token.count])
    return try .result(height: 1, width: inputs[0].width + 1, channels: inputs[0].channels)
  }

  func step(_ layer: PlacedNode, _ kernel: Kernel<ElementwiseTask>, _ builder: StepBuilder) -> Step {
    let token = FloatMemory(self.token)
    let target = unsafe builder.pointer(layer.node.output)
    let channels = builder.shapes[layer.node.output].channels
    let task = unsafe TaskMemory(
      ElementwiseTask(
        operation: .unary, activation: .none, width: 1, channels: channels,
        a: MapPointer(base: token.base, pixelStride: channels, rowStride: channels), b: nil, scale: nil,
        shift: nil, output: MutableMapPointer(base: target, pixelStride: channels, rowStride: channels)),
      keeping: [builder.arena, token])
    return builder.step(layer.index, kernel, task, items: 1, together: 1)
  }
}

extension VectorOperator where Task == ElementwiseTask {
  /// A step over all pixels.
  func elementwise(
    _ layer: PlacedNode, _ kernel: Kernel<ElementwiseTask>, _ builder: StepBuilder,
    _ operation: ElementwiseOperation, _ activation: Activation = .none, scale: FloatMemory? = nil,
    shift: FloatMemory? = nil
  ) -> Step {
    let node = layer.node
    let output = builder.shapes[node.output]
    let task = unsafe TaskMemory(
      ElementwiseTask(
        operation: operation, activation: activation, width: output.width, channels: output.channels,
        a: builder.map(node.inputs[0]), b: node.inputs.count > 1 ? builder.map(node.inputs[1]) : nil,
        scale: scale.map { unsafe UnsafePointer($0.base) },
        shift: shift.map { unsafe UnsafePointer($0.base) },
        output: builder.mutableMap(node.output)),
      keeping: [builder.arena, scale, shift].compactMap(\.self) + builder.operands)
    return builder.step(
      layer.index, kernel, task, items: output.pixels, together: builder.pixelsTogether(output))
  }
}

extension Affine {
  /// Elementwise steps by their definition; items are pixels.
  static let plain = PlainKernel<ElementwiseTask>(
    name: "elementwise-f32", computes: "elementwise", tolerance: .function
  ) { task, share in
    share.forEachPixel(width: task.width) { y, x in
      for channel in 0..<task.channels {
        var value = task.a[y, x, channel]
        switch task.operation {
        case .unary: break
        case .add, .subtract, .multiply, .divide, .maximum, .minimum:
          if let b = task.b { value = task.operation.of(value, b[y, x, channel]) }
        case .affine:
          if let scale = unsafe task.scale, let shift = unsafe task.shift {
            value = unsafe value * scale[channel] + shift[channel]
          }
        }
        task.output[y, x, channel] = PlainKernels.activate(value, task.activation)
      }
    }
  }
}

extension ElementwiseOperation {
  /// The function of two elements; `a` of operations of one.
  fileprivate func of(_ a: Float, _ b: Float) -> Float {
    /// The larger of two numbers; NaN if either is NaN.
    func greater(_ a: Float, _ b: Float) -> Float { a.isNaN || a > b ? a : b }
    return switch self {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    case .maximum: greater(a, b)
    case .minimum: -greater(-a, -b)
    case .unary, .affine: a
    }
  }
}

extension MapShape {
  /// Checks that numbers of a shape are one per channel.
  func checkOneAChannel(_ found: [Int]) throws(GraphError.Kind) {
    guard found == [channels] else {
      throw .wrongWeights(
        found: found, needed: "one number for each of \(counted(channels, "channel")) is needed")
    }
  }
}

extension Value {
  /// The activation, elementwise.
  public func activation(_ activation: Activation, name: String) -> Value {
    applying(Activate(activation), name: name)
  }

  /// The shape of two maps, which must be the same.
  func commonShape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    guard inputs[0] == inputs[1] else {
      throw .wrongInputs(inputs, needed: "two maps of one shape are needed")
    }
    return inputs[0]
  }

  /// The sum of two maps of one shape.
  public func adding(_ other: Value, name: String) -> Value { applying(Add(), to: [other], name: name) }

  /// The sequence with one constant token before it.
  public func prependingToken(_ token: Tensor, name: String) -> Value {
    applying(PrependToken(token: token.floats()), name: name)
  }

  /// x * gamma, one factor a channel (LayerScale).
  public func scaled(by gamma: Tensor, name: String) -> Value {
    do throws(GraphError.Kind) { try shape.checkOneAChannel(gamma.shape) } catch {
      return failed(error, name)
    }
    let shift = [Float](repeating: 0, count: shape.channels)
    return applying(Affine(scale: gamma.floats(), shift: shift), name: name)
  }

  /// x * scale + shift, one of each a channel.
  public func affine(scale: [Float], shift: [Float], name: String) -> Value {
    applying(Affine(scale: scale, shift: shift), name: name)
  }

  /// Batch normalization with fixed statistics: (x - mean) / sqrt(variance + epsilon) * gamma + beta.
  public func batchNorm(
    gamma: Tensor, beta: Tensor, mean: Tensor, variance: Tensor, epsilon: Float, name: String
  ) -> Value {
    do throws(GraphError.Kind) {
      for statistic in [gamma, beta, mean, variance] { try shape.checkOneAChannel(statistic.shape) }
    } catch {
      return failed(error, name)
    }
    let (gamma, beta, mean, variance) = (gamma.floats(), beta.floats(), mean.floats(), variance.floats())
    let channels = shape.channels
    let scale = (0..<channels).map { gamma[$0] / (variance[$0] + epsilon).squareRoot() }
    let shift = (0..<channels).map { beta[$0] - mean[$0] * scale[$0] }
    return applying(Affine(scale: scale, shift: shift), name: name)
  }
}
