// Activations as types, so that a loop is compiled once for each, and the one switch over them.

import NNKernelInterface

/// An activation, sixteen lanes at a time.
protocol ActivationFunction {
  func of(_ x: Vector) -> Vector
}

/// The functions that activations are made of, as exact as a kernel's results can show.
protocol ElementaryFunctions {
  /// 1 / (1 + exp(-x)).
  static func sigmoid(_ x: Vector) -> Vector
  /// x/2 * (1 + erf(x / sqrt 2)).
  static func gelu(_ x: Vector) -> Vector
}

/// A loop that stores an activation of sums.
protocol ActivatedLoop {
  /// How exact it is.
  associatedtype Functions: ElementaryFunctions
  /// Operands of the loop.
  associatedtype Operands

  static func run<Function: ActivationFunction>(_ function: Function, _ operands: Operands)
}

extension Activation {
  /// Runs the loop that is compiled for this activation.
  @inline(__always)
  func run<Loop: ActivatedLoop>(_: Loop.Type, _ operands: Loop.Operands) {
    switch self {
    case .none: Loop.run(Identity(), operands)
    case .relu: Loop.run(Rectifier(), operands)
    case .leakyReLU(let slope): Loop.run(LeakyRectifier(slope: slope), operands)
    case .silu: Loop.run(SiLU<Loop.Functions>(), operands)
    case .gelu: Loop.run(GELU<Loop.Functions>(), operands)
    case .sigmoid: Loop.run(Sigmoid<Loop.Functions>(), operands)
    case .hardSwish: Loop.run(HardSwish(), operands)
    case .clip(let low, let high, let scale, let shift):
      Loop.run(Clip(low: low, high: high, scale: scale, shift: shift), operands)
    }
  }
}

private struct Identity: ActivationFunction {
  @inline(__always) func of(_ x: Vector) -> Vector { x }
}

private struct Rectifier: ActivationFunction {
  @inline(__always) func of(_ x: Vector) -> Vector { larger(Vector(repeating: 0), x) }
}

private struct LeakyRectifier: ActivationFunction {
  let slope: Float
  @inline(__always) func of(_ x: Vector) -> Vector {
    let zero = Vector(repeating: 0)
    return multiplyAdd(smaller(zero, x), Vector(repeating: slope), larger(zero, x))
  }
}

private struct SiLU<Functions: ElementaryFunctions>: ActivationFunction {
  @inline(__always) func of(_ x: Vector) -> Vector { x * Functions.sigmoid(x) }
}

private struct GELU<Functions: ElementaryFunctions>: ActivationFunction {
  @inline(__always) func of(_ x: Vector) -> Vector { Functions.gelu(x) }
}

private struct HardSwish: ActivationFunction {
  @inline(__always) func of(_ x: Vector) -> Vector {
    let gate = smaller(Vector(repeating: 6), larger(Vector(repeating: 0), x + Vector(repeating: 3)))
    return x * gate * Vector(repeating: 1 / 6)
  }
}

private struct Clip: ActivationFunction {
  let low, high, scale, shift: Float
  @inline(__always) func of(_ x: Vector) -> Vector {
    let clipped = smaller(Vector(repeating: high), larger(Vector(repeating: low), x))
    return multiplyAdd(clipped, Vector(repeating: scale), Vector(repeating: shift))
  }
}

private struct Sigmoid<Functions: ElementaryFunctions>: ActivationFunction {
  @inline(__always) func of(_ x: Vector) -> Vector { Functions.sigmoid(x) }
}
