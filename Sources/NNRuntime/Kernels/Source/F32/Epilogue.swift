// Processing of sums before they are stored: bias, activation, residual.

import NNKernelInterface

/// A tile of sums, rows `panelWidth` apart, and the output channels `first...` of the pixels that they become.
///
/// `added` is nil or one pointer per row, to what is added after the activation or, where it `joinsSums`,
/// before.
typealias FinishedTile = (
  sums: UnsafePointer<Float>, rows: Int, first: Int, columns: Int, bias: UnsafePointer<Float>,
  added: UnsafePointer<UnsafePointer<Float>>?, joinsSums: Bool,
  outputs: UnsafePointer<UnsafeMutablePointer<Float>>
)

/// out[r] = activation(sums[r] + bias) + added[r], or activation(sums[r] + bias + added[r]).
@inline(never)
func storeTile(_ tile: FinishedTile, _ activation: Activation) {
  activation.run(TileStore.self, tile)
}

private enum TileStore: ActivatedLoop {
  typealias Functions = ExactFunctions

  @inline(__always)
  static func run<Function: ActivationFunction>(_ function: Function, _ tile: FinishedTile) {
    storeTile(function, tile)
  }
}

@inline(__always)
private func storeTile<Function: ActivationFunction>(_ function: Function, _ tile: FinishedTile) {
  guard let added = tile.added else {
    return storeTile(function, tile, before: Nothing(), after: Nothing())
  }
  let rows = Rows(rows: added, first: tile.first)
  if tile.joinsSums {
    storeTile(function, tile, before: rows, after: Nothing())
  } else {
    storeTile(function, tile, before: Nothing(), after: rows)
  }
}

@inline(__always)
private func storeTile<Function: ActivationFunction, Before: Added, After: Added>(
  _ function: Function, _ tile: FinishedTile, before: Before, after: After
) {
  let bias = tile.bias + tile.first
  let whole = tile.columns & ~15
  var sums = tile.sums
  /// Applies the additions and the activation to the sums of a row with their bias.
  @inline(__always) func finished(_ x: Vector, _ row: Int, _ channel: Int) -> Vector {
    after.to(function.of(before.to(x, row, channel)), row, channel)
  }
  // Both vectors of a row in one straight line.
  if InstructionSet.panelWidth == 32, tile.columns == 32 {
    let (low, high) = (load(bias), load(bias + 16))
    for row in 0..<tile.rows {
      let output = tile.outputs[row] + tile.first
      let (left, right) = (load(sums) + low, load(sums + 16) + high)
      store(finished(left, row, 0), output)
      store(finished(right, row, 16), output + 16)
      sums += 32
    }
    return
  }
  for row in 0..<tile.rows {
    let output = tile.outputs[row] + tile.first
    var c = 0
    while c < whole {
      store(finished(load(sums + c) + load(bias + c), row, c), output + c)
      c &+= 16
    }
    if whole < tile.columns {
      let rest = tile.columns &- whole
      let x = before.to(load(sums + whole) + load(bias + whole), row, whole, count: rest)
      storePartial(after.to(function.of(x), row, whole, count: rest), output + whole, count: rest)
    }
    sums += InstructionSet.panelWidth
  }
}

/// Addends of sums, before or after the activation.
///
/// A type, not an optional: a test for each sixteen channels took 1 % of a network.
private protocol Added {
  func to(_ x: Vector, _ row: Int, _ channel: Int) -> Vector
  func to(_ x: Vector, _ row: Int, _ channel: Int, count: Int) -> Vector
}

private struct Nothing: Added {
  @inline(__always) func to(_ x: Vector, _ row: Int, _ channel: Int) -> Vector { x }
  @inline(__always) func to(_ x: Vector, _ row: Int, _ channel: Int, count: Int) -> Vector { x }
}

private struct Rows: Added {
  let rows: UnsafePointer<UnsafePointer<Float>>
  let first: Int
  @inline(__always) func to(_ x: Vector, _ row: Int, _ channel: Int) -> Vector {
    x + load(rows[row] + (first &+ channel))
  }
  @inline(__always) func to(_ x: Vector, _ row: Int, _ channel: Int, count: Int) -> Vector {
    x + loadPartial(rows[row] + (first &+ channel), count: count)
  }
}
