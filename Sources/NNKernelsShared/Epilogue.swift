// What happens to sums on their way to memory: bias, activation, residual.

import NNKernelInterface

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

enum SiLU: ElementaryFunction {
  @inline(__always) static func of(_ x: Vector) -> Vector { silu(x) }
}

enum GELU: ElementaryFunction {
  @inline(__always) static func of(_ x: Vector) -> Vector { gelu(x) }
}

enum Sigmoid: ElementaryFunction {
  @inline(__always) static func of(_ x: Vector) -> Vector { sigmoid(x) }
}

/// A tile of sums, rows `panelWidth` apart, and the output channels `first...` of the pixels that they become.
///
/// `residuals` is nil or one pointer a row.
typealias FinishedTile = (
  sums: UnsafePointer<Float>, rows: Int, first: Int, columns: Int, bias: UnsafePointer<Float>,
  residuals: UnsafePointer<UnsafePointer<Float>>?, outputs: UnsafePointer<UnsafeMutablePointer<Float>>
)

/// out[r] = activation(sums[r] + bias) + residual[r].
@inline(never)
func storeTile(_ tile: FinishedTile, _ activation: Activation) {
  switch activation {
  case .none: storeTile(Identity.self, tile)
  case .relu: storeTile(Rectifier.self, tile)
  case .silu: storeTile(SiLU.self, tile)
  case .gelu: storeTile(GELU.self, tile)
  case .sigmoid: storeTile(Sigmoid.self, tile)
  }
}

@inline(__always)
private func storeTile<Function: ElementaryFunction>(_: Function.Type, _ tile: FinishedTile) {
  let bias = tile.bias + tile.first
  let whole = tile.columns & ~15
  for row in 0..<tile.rows {
    let sums = tile.sums + row &* InstructionSet.panelWidth
    let output = tile.outputs[row] + tile.first
    let residual = tile.residuals.map { $0[row] + tile.first }
    for c in stride(from: 0, to: whole, by: 16) {
      var x = Function.of(load(sums + c) + load(bias + c))
      if let residual { x += load(residual + c) }
      store(x, output + c)
    }
    if whole < tile.columns {
      let rest = tile.columns &- whole
      var x = Function.of(load(sums + whole) + load(bias + whole))
      if let residual { x += loadPartial(residual + whole, count: rest) }
      storePartial(x, output + whole, count: rest)
    }
  }
}
