import Imaging
import NNRuntime

/// A learned position for every patch of a square grid, resampled for other grids.
///
/// Ported from DINOv2 (`interpolate_pos_encoding` with `interpolate_offset` 0.1 and without antialiasing):
/// bicubic, with the scale (patches + 0.1) / grid handed to the kernel. Therefore 37 patches on a side of a grid
/// of 37 are resampled too, unless the other side also has 37.
package struct PositionEmbedding: Sendable {
  /// Added to the patches of a side, against rounding in the reference; it moves the samples.
  private static let offset = 0.1

  /// (1, 1 + grid * grid, width): the class token's, then the grid's, row-major.
  private let table: Tensor
  private let grid, width: Int

  package init(_ weights: WeightScope, grid: Int, width: Int) throws(WeightError) {
    table = try weights.tensor("pos_embed", shape: [1, 1 + grid * grid, width])
    self.grid = grid
    self.width = width
  }

  /// The positions of the class token and of a grid of patches: (1 + rows * columns, width).
  package func resampled(rows: Int, columns: Int) -> Tensor {
    guard rows != grid || columns != grid else { return table.reshaped([1 + grid * grid, width]) }
    let values = table.floats()
    // Rows first: (rows, grid, width).
    let vertical = (0..<rows).map { Taps($0, grid: grid, count: rows) }
    let horizontal = (0..<columns).map { Taps($0, grid: grid, count: columns) }
    var lines = [Float](repeating: 0, count: rows * grid * width)
    for (row, taps) in vertical.enumerated() {
      for column in 0..<grid {
        taps.sum(
          values, stride: grid * width, from: (1 + column) * width, width, into: &lines,
          at: (row * grid + column) * width)
      }
    }
    var result = Array(values[0..<width])
    result.append(contentsOf: repeatElement(0, count: rows * columns * width))
    for row in 0..<rows {
      for (column, taps) in horizontal.enumerated() {
        taps.sum(
          lines, stride: width, from: row * grid * width, width, into: &result,
          at: (1 + row * columns + column) * width)
      }
    }
    return Tensor(shape: [1 + rows * columns, width], floats: result)
  }

  /// Four cells of the grid, clamped at its border, and the weights of Keys' cubic with A = -0.75.
  private struct Taps {
    let cells: [Int]
    let weights: [Float]

    init(_ index: Int, grid: Int, count: Int) {
      let scale = Double(grid) / (Double(count) + PositionEmbedding.offset)
      let position = (Double(index) + 0.5) * scale - 0.5
      let floor = position.rounded(.down)
      let t = position - floor
      cells = (-1...2).map { min(max(Int(floor) + $0, 0), grid - 1) }
      weights = CubicConvolution.weights(t).map { Float($0) }
    }

    /// The sum of four vectors of `width` that lie `stride` apart from `start` on.
    func sum(
      _ source: [Float], stride: Int, from start: Int, _ width: Int, into target: inout [Float], at first: Int
    ) {
      let (a, b, c, d) = (
        start + cells[0] * stride, start + cells[1] * stride, start + cells[2] * stride,
        start + cells[3] * stride
      )
      for i in 0..<width {
        target[first + i] =
          weights[0] * source[a + i] + weights[1] * source[b + i] + weights[2] * source[c + i]
          + weights[3] * source[d + i]
      }
    }
  }
}
