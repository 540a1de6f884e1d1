import NNKernelInterface

/// Function of two elements.
public enum ElementPairing: String, Hashable, Sendable, CaseIterable {
  /// The difference, the product, the quotient, the greater and the less of the two.
  case subtract, multiply, divide, maximum, minimum

  fileprivate var operation: ElementwiseOperation {
    switch self {
    case .subtract: .subtract
    case .multiply: .multiply
    case .divide: .divide
    case .maximum: .maximum
    case .minimum: .minimum
    }
  }
}

/// A function of the elements of two maps of one shape; sums are `Add`'s.
struct PairwiseFunction: VectorOperator {
  var pairing: ElementPairing

  var name: String { pairing.rawValue }
  var parameterCount: Int { 0 }
  func longestSum(of input: MapShape) -> Int { 1 }
  // Differences and quotients of rounded elements lose what they are made for.
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .all }
  var elementwiseStep: ElementwiseStep { .none }
  var multiples: ResultMultiples { .any }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    try commonShape(of: inputs)
  }

  func step(_ layer: PlacedNode, _ kernel: Kernel<ElementwiseTask>, _ builder: StepBuilder) -> Step {
    elementwise(layer, kernel, builder, pairing.operation)
  }
}

extension Value {
  /// A function of the elements of this map and of one of the same shape.
  public func paired(_ pairing: ElementPairing, with other: Value, name: String) -> Value {
    applying(PairwiseFunction(pairing: pairing), to: [other], name: name)
  }
}
