// The maps of these kernels hold floats; their activations are as exact as 16 bits.

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

/// The activation functions applied to sums.
typealias StepFunctions = RoughFunctions
