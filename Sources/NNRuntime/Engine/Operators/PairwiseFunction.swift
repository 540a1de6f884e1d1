import NNKernelInterface

/// Function of two elements.
public enum ElementPairing: String, Hashable, Sendable, CaseIterable {
  /// The difference, the product, the quotient, the greater and the less of the two.
  case subtract, multiply, divide, maximum, minimum
}

/// A function of the elements of two maps of one shape; sums are `Add`'s.
struct PairwiseFunction: VectorOperator {
  var pairing: ElementPairing

  /// The arguments of a kernel.
  struct Task {
    var pairing: ElementPairing
    var width, channels: Int
    var a, b: MapPointer
    var output: MutableMapPointer
  }

  var name: String { pairing.rawValue }
  var parameterCount: Int { 0 }
  func longestSum(of input: MapShape) -> Int { 1 }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .all }
  var elementwiseStep: ElementwiseStep { .none }
  var multiples: ResultMultiples { .any }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    try commonShape(of: inputs)
  }

  func step(_ layer: PlacedNode, _ kernel: Kernel<Task>, _ builder: StepBuilder) -> Step {
    let node = layer.node
    let output = builder.shapes[node.output]
    let task = TaskMemory(
      Task(
        pairing: pairing, width: output.width, channels: output.channels, a: builder.map(node.inputs[0]),
        b: builder.map(node.inputs[1]), output: builder.mutableMap(node.output)),
      keeping: [builder.arena] + builder.operands)
    return builder.step(
      layer.index, kernel, task, items: output.pixels, together: builder.pixelsTogether(output))
  }

  /// Items are pixels.
  static let plain = PlainKernel<Task>(
    name: "pairwise-f32", computes: "function of two maps", tolerance: .product
  ) { task, share in
    share.forEachPixel(width: task.width) { y, x in
      let (a, b) = unsafe (task.a.pixel(y, x), task.b.pixel(y, x))
      let output = unsafe task.output.pixel(y, x)
      switch task.pairing {
      case .subtract: for i in 0..<task.channels { unsafe output[i] = a[i] - b[i] }
      case .multiply: for i in 0..<task.channels { unsafe output[i] = a[i] * b[i] }
      case .divide: for i in 0..<task.channels { unsafe output[i] = a[i] / b[i] }
      case .maximum: for i in 0..<task.channels { unsafe output[i] = greater(a[i], b[i]) }
      case .minimum: for i in 0..<task.channels { unsafe output[i] = -greater(-a[i], -b[i]) }
      }
    }
  }

  /// The larger of two numbers; NaN if either is NaN.
  @inline(__always)
  private static func greater(_ a: Float, _ b: Float) -> Float { a.isNaN || a > b ? a : b }
}

extension Value {
  /// A function of the elements of this map and of one of the same shape.
  public func paired(_ pairing: ElementPairing, with other: Value, name: String) -> Value {
    applying(PairwiseFunction(pairing: pairing), to: [other], name: name)
  }
}
