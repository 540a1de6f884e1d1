// What happens to a finished sum on its way to memory: bias, activation, residual.

import NNKernelInterface

@_transparent
func activate(_ x: Vector, _ activation: Activation) -> Vector {
  switch activation {
  case .none: x
  case .relu: relu(x)
  case .silu: silu(x)
  case .gelu: gelu(x)
  case .sigmoid: sigmoid(x)
  }
}

/// Calls `body` with the activation as a constant, so that each loop inside is compiled for one activation.
@inline(__always)
func specialised(_ activation: Activation, _ body: (Activation) -> Void) {
  switch activation {
  case .none: body(.none)
  case .relu: body(.relu)
  case .silu: body(.silu)
  case .gelu: body(.gelu)
  case .sigmoid: body(.sigmoid)
  }
}

/// Stores a tile of sums, rows `panelWidth` apart, as output channels `first...` of its pixels:
/// out[r] = activation(tile[r] + bias) + residual[r].
///
/// `residuals` is nil or one pointer a row.
@inline(never)
func storeTile(
  _ tile: UnsafePointer<Float>, rows: Int, first: Int, columns: Int, bias: UnsafePointer<Float>,
  activation: Activation, residuals: UnsafePointer<UnsafePointer<Float>>?,
  outputs: UnsafePointer<UnsafeMutablePointer<Float>>
) {
  let bias = bias + first
  specialised(activation) { activation in
    for row in 0..<rows {
      let sums = tile + row &* InstructionSet.panelWidth
      let output = outputs[row] + first
      var c = 0
      while c &+ 16 <= columns {
        var x = activate(load(sums + c) + load(bias + c), activation)
        if let residuals { x += load(residuals[row] + first + c) }
        store(x, output + c)
        c &+= 16
      }
      if c < columns {
        var x = activate(load(sums + c) + load(bias + c), activation)
        if let residuals { x += loadPartial(residuals[row] + first + c, count: columns - c) }
        storePartial(x, output + c, count: columns - c)
      }
    }
  }
}
