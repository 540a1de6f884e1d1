// Activations as types: those that are the same in every precision. The others stand with the arithmetic that they take.

/// An activation as a type, so that a loop is compiled once for each.
protocol ElementaryFunction {
  static func of(_ x: Vector) -> Vector
}

enum Identity: ElementaryFunction {
  @inline(__always) static func of(_ x: Vector) -> Vector { x }
}

enum Rectifier: ElementaryFunction {
  @inline(__always) static func of(_ x: Vector) -> Vector { relu(x) }
}
