// The maps of these kernels hold floats, and their activations are exact.

import NNKernelInterface

extension ElementType {
  /// The type as a value that loads ask.
  @inline(__always) var asked: Float32Element { Float32Element() }

  /// Runs the loop that is compiled for this type.
  @inline(__always)
  func run<Loop: ElementLoop>(_: Loop.Type, _ operands: Loop.Operands) {
    Loop.run(Float32Element(), operands)
  }
}

/// The activation functions of steps without products.
typealias StepFunctions = ExactFunctions
