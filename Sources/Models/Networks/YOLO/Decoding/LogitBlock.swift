import Imaging

/// Mask logits of a rectangle of the prototype grid.
struct LogitBlock {
  let columns, rows: Range<Int>
  let values: [Float]

  init(
    prototypes: Span<Float>, coefficients: [Float], gridWidth: Int, columns: Range<Int>, rows: Range<Int>
  ) {
    self.columns = columns
    self.rows = rows
    let channels = coefficients.count
    var values: [Float] = []
    values.reserveCapacity(columns.count * rows.count)
    for row in rows {
      let first = (row * gridWidth + columns.lowerBound) * channels
      let line = prototypes.extracting(first..<first + columns.count * channels)
      for column in 0..<columns.count {
        values.append(dot(line, from: column * channels, coefficients.span))
      }
    }
    self.values = values
  }

  private init(columns: Range<Int>, rows: Range<Int>, values: [Float]) {
    (self.columns, self.rows, self.values) = (columns, rows, values)
  }

  /// A rectangle of the raster that `columnTaps` and `rowTaps` draw from this one.
  func resampled(
    columns: Range<Int>, by columnTaps: AxisTaps, rows: Range<Int>, by rowTaps: AxisTaps
  ) -> LogitBlock {
    let field = ResampledColumns(columns: columns, taps: columnTaps, of: self.columns, rows: self.rows) {
      values[$0]
    }
    return LogitBlock(columns: columns, rows: rows, values: field.values(rows: rows, taps: rowTaps))
  }
}

/// A rectangle of values with its columns resampled; rows are resampled while they are compared.
struct ResampledColumns {
  private let firstRow, width: Int
  private let values: [Float]

  /// - `sourceColumns`: columns of the values, which cover all that `taps` draws from.
  /// - `value`: the value at a row-major position of the rectangle.
  init(
    columns: Range<Int>, taps: AxisTaps, of sourceColumns: Range<Int>, rows: Range<Int>,
    value: (Int) -> Float
  ) {
    firstRow = rows.lowerBound
    width = columns.count
    var values: [Float] = []
    values.reserveCapacity(rows.count * width)
    for row in 0..<rows.count {
      let base = row * sourceColumns.count - sourceColumns.lowerBound
      for column in columns {
        let first = base + taps.starts[column]
        let weight = taps.weights[column]
        values.append(weight[0] * value(first) + weight[1] * value(first + 1))
      }
    }
    self.values = values
  }

  /// The samples, row by row.
  func values(rows: Range<Int>, taps: AxisTaps) -> [Float] {
    var result: [Float] = []
    result.reserveCapacity(rows.count * width)
    for row in rows {
      let weight = taps.weights[row]
      let first = (taps.starts[row] - firstRow) * width
      for column in first..<first + width {
        result.append(weight[0] * values[column] + weight[1] * values[column + width])
      }
    }
    return result
  }

  /// The samples above the bar, made row by row: never all of them at once.
  func runs(rows: Range<Int>, taps: AxisTaps, above bar: Float) -> RowRuns {
    RowRuns(width: width, height: rows.count) { index, pixels in
      let row = rows.lowerBound + index
      let weight = taps.weights[row]
      let first = (taps.starts[row] - firstRow) * width
      let upper = values.span.extracting(first..<first + width)
      let lower = values.span.extracting(first + width..<first + 2 * width)
      for column in 0..<width {
        pixels[column] = weight[0] * upper[column] + weight[1] * lower[column] > bar ? 1 : 0
      }
    }
  }
}

/// The sum of products of `weights` with as many elements of `values` from `start` on.
@inline(__always)
private func dot(_ values: Span<Float>, from start: Int, _ weights: Span<Float>) -> Float {
  precondition(start >= 0 && start + weights.count <= values.count)
  var lanes = SIMD8<Float>(repeating: 0)
  var index = 0
  while index + 8 <= weights.count {
    lanes += eight(values, start + index) * eight(weights, index)
    index += 8
  }
  var sum = lanes.sum()
  while index < weights.count {
    sum += values[start + index] * weights[index]
    index += 1
  }
  return sum
}

@inline(__always)
private func eight(_ v: Span<Float>, _ i: Int) -> SIMD8<Float> {
  SIMD8(v[i], v[i + 1], v[i + 2], v[i + 3], v[i + 4], v[i + 5], v[i + 6], v[i + 7])
}
