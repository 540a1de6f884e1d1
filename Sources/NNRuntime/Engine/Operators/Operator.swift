import NNKernelInterface

/// Operation of a layer: all that the engine asks of it.
///
/// An operator is one file of this folder: the type, its plain kernel where it has work, and the method of `Value` that
/// networks are built with. Every question is answered by every operator, or by the kind of operator that it says it is
/// (`MemoryOperator`, `VectorOperator`).
package protocol Operator: Sendable {
  /// The field's name of the operation.
  var name: String { get }
  /// Where its result lies.
  var placing: Placing { get }
  /// Numbers that a layer reads besides its inputs.
  var parameterCount: Int { get }
  /// The shape of its result.
  ///
  /// - Throws: what does not fit: inputs, weights, attributes.
  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape
  /// Multiplications and additions of the layer as it is defined: 2 x MAC.
  func operations(_ node: Node, _ shapes: [MapShape]) -> Double
  /// Products in the longest sum of an element of the result, by the shape of the first input.
  func longestSum(of input: MapShape) -> Int
  /// How it multiplies in a plan of less than single precision.
  func reduced(
    _ node: Node, _ shapes: [MapShape], _ arithmetic: Arithmetic, isOutput: Bool
  ) -> ReducedProducts
  /// Which of its maps hold floats in such a plan.
  func floats(_ reduced: ReducedProducts) -> FloatMaps
  /// Its work on each element, if the layer before it can do that on the way to memory.
  var elementwiseStep: ElementwiseStep { get }
  /// This operator with `step` done on the way to memory; nil where its kernels cannot.
  ///
  /// - `hasResidual`: whether it adds another map to its own result.
  func joined(with step: ElementwiseStep, hasResidual: Bool) -> (any Operator)?
  /// The multiples that its result consists of.
  var multiples: ResultMultiples { get }
  /// The kernel, and why it was chosen.
  func choice(_ layer: PlacedNode, _ choosing: LayerChoice) -> (AlgorithmChoice, LayerKernel)
}

/// A node of a buffer assignment and its index there, which is that of its step.
package struct PlacedNode: Sendable {
  package var node: Node
  package var index: Int
}

/// Where the result of an operator lies.
package enum Placing: Sendable {
  /// In memory of its own, or wherever an operator that reads it wants it.
  case own
  /// In memory that is filled before a run.
  case given
  /// In its input, from a channel of every pixel on.
  case channels(from: Int)
  /// In its input, from a pixel on.
  case pixels(from: Int)
  /// Around its inputs, which are made side by side in the channels of every pixel.
  case around
  /// Around its inputs, which are made one after another, pixel by pixel.
  case inSequence
  /// Around its input, which is made after one more token.
  case afterToken
}

/// How a layer multiplies in a plan of less than single precision.
package enum ReducedProducts: Sendable {
  /// Nothing, or in single precision.
  case floats
  /// A dense convolution, by a kernel.
  case kernel(KernelChoice)
  /// Anything else, by the first kernel that multiplies in these.
  case products(ProductElement)

  /// Element type of its factors.
  var element: ProductElement {
    switch self {
    case .floats: .float32
    case .kernel(let choice): choice.kernel.products
    case .products(let element): element
    }
  }

  /// The kernel of a dense convolution, if it is computed in less than single precision.
  var choice: KernelChoice? {
    switch self {
    case .floats, .products: nil
    case .kernel(let choice): choice
    }
  }
}

/// Which maps of a layer hold floats in a plan of less than single precision.
package enum FloatMaps: Sendable {
  /// None has to.
  case none
  /// The first input.
  case input
  /// The second input.
  case addend
  /// All that it reads and makes.
  case all
}

/// An elementwise operator, as the layer before it does it on the way to memory.
package enum ElementwiseStep: Sendable {
  /// The operator is not elementwise, or is done by a layer of its own.
  case none
  /// One factor and one addend per channel.
  case line(Affine)
  /// An activation.
  case activation(Activation)
  /// The addition of another map.
  case addition
}

/// Whether a result consists of multiples of a scale, as a convolution of 8-bit integers reads them.
package enum ResultMultiples: Sendable {
  /// It may hold any numbers.
  case any
  /// It moves its inputs' numbers, or puts zeros around them.
  case ofInputs
  /// These.
  case own(ByteSteps)
}

/// An operator without work: its result is memory of another value, or was there before the run.
package protocol MemoryOperator: Operator {}

extension MemoryOperator {
  package var parameterCount: Int { 0 }

  package func operations(_ node: Node, _ shapes: [MapShape]) -> Double { 0 }

  package func longestSum(of input: MapShape) -> Int { 1 }

  package func reduced(
    _ node: Node, _ shapes: [MapShape], _ arithmetic: Arithmetic, isOutput: Bool
  ) -> ReducedProducts { .floats }

  package var elementwiseStep: ElementwiseStep { .none }

  package func joined(with step: ElementwiseStep, hasResidual: Bool) -> (any Operator)? { nil }

  /// Its memory is that of its inputs.
  package var multiples: ResultMultiples { .ofInputs }

  package func choice(_ layer: PlacedNode, _ choosing: LayerChoice) -> (AlgorithmChoice, LayerKernel) {
    (AlgorithmChoice(algorithm: .none, reason: "memory of another value"), .none)
  }
}

/// An operator without products of matrices, into memory of its own: the first kernel for its task and maps computes it.
package protocol VectorOperator: Operator {
  /// The task that its kernels compute shares of; the type distinguishes them from other operations' kernels.
  associatedtype Task

  /// The step of a layer: its operands as a task, and how the work is cut.
  func step(_ layer: PlacedNode, _ kernel: Kernel<Task>, _ builder: StepBuilder) -> Step
}

extension VectorOperator {
  package var placing: Placing { .own }

  package func operations(_ node: Node, _ shapes: [MapShape]) -> Double { 0 }

  package func reduced(
    _ node: Node, _ shapes: [MapShape], _ arithmetic: Arithmetic, isOutput: Bool
  ) -> ReducedProducts { .floats }

  /// Its kernels do nothing on the way to memory.
  package func joined(with step: ElementwiseStep, hasResidual: Bool) -> (any Operator)? { nil }

  package func choice(_ layer: PlacedNode, _ choosing: LayerChoice) -> (AlgorithmChoice, LayerKernel) {
    let kernel = choosing.first(Task.self, layer.node)
    return (
      AlgorithmChoice(algorithm: .vector, reason: "elementwise or windowed"),
      .kernel(BoundKernel(kernel.fullName) { step(layer, kernel, $0) })
    )
  }
}

extension Value {
  /// The result of an operator that reads this value, and `others` after it.
  func applying(_ operation: any Operator, to others: [Value] = [], name: String) -> Value {
    guard others.allSatisfy({ $0.builder === builder }) else { return failed(.foreignValue, name) }
    return builder.append(name, operation, [id] + others.map(\.id))
  }

  /// Records the error of an invalid layer and returns a placeholder for its result; `GraphBuilder.finish` throws the
  /// first error.
  func failed(_ kind: GraphError.Kind, _ name: String) -> Value {
    builder.fail(GraphError(kind, layer: name))
    return self
  }
}
