import Geometry

/// From prototypes and coefficients to masks, only inside each object's box.
///
/// Ported from Ultralytics 8.4.190: `process_mask` with upsampling and `crop_mask` for the network's input,
/// `scale_masks` for the picture.
public struct MaskDecoder: Sendable {
  private let gridWidth, gridHeight: Int
  private let network, image: Raster

  /// A raster and how its samples are drawn from another.
  private struct Raster: Sendable {
    let columns, rows: AxisTaps
  }

  /// A decoder for pictures of one size; the prototype grid is a quarter of the network's input.
  public init(letterbox: Letterbox) {
    let (input, content, picture) = (letterbox.networkSize, letterbox.contentSize, letterbox.imageSize)
    gridWidth = input.width / 4
    gridHeight = input.height / 4
    network = Raster(
      columns: AxisTaps(source: gridWidth, content: 0..<gridWidth, count: input.width),
      rows: AxisTaps(source: gridHeight, content: 0..<gridHeight, count: input.height))
    image = Raster(
      columns: AxisTaps(
        source: input.width, content: letterbox.padLeft..<letterbox.padLeft + content.width,
        count: picture.width),
      rows: AxisTaps(
        source: input.height, content: letterbox.padTop..<letterbox.padTop + content.height,
        count: picture.height))
  }

  /// The mask on the network's input: pixels of the box, half-open, whose enlarged logit is positive.
  ///
  /// - Parameter prototypes: (grid height, grid width, coefficients), row-major.
  public func networkMask(
    prototypes: Span<Float>, coefficients: [Float], box: Rect<NetworkPixels>
  ) -> ObjectMask {
    let (width, height) = (network.columns.count, network.rows.count)
    let (columns, rows) = indices(in: box, width: width, height: height)
    var elements = [UInt8](repeating: 0, count: columns.count * rows.count)
    if !elements.isEmpty {
      let logits = LogitBlock(
        prototypes: prototypes, coefficients: coefficients, gridWidth: gridWidth,
        columns: cells(under: columns, of: network.columns), rows: cells(under: rows, of: network.rows))
      let field = ResampledColumns(
        columns: columns, taps: network.columns, of: logits.columns, rows: logits.rows
      ) { logits.values[$0] }
      field.threshold(rows: rows, taps: network.rows, above: 0, into: &elements)
    }
    return ObjectMask(
      rasterWidth: width, rasterHeight: height, columns: columns, rows: rows, elements: elements)
  }

  /// The network's mask scaled to the picture: pixels more than half covered, bilinearly.
  public func imageMask(_ mask: ObjectMask) -> ObjectMask {
    let columns = image.columns.samples(touching: mask.columns)
    let rows = image.rows.samples(touching: mask.rows)
    var elements = [UInt8](repeating: 0, count: columns.count * rows.count)
    if !elements.isEmpty {
      let sourceRows = cells(under: rows, of: image.rows)
      let width = mask.columns.count
      // Cells beside the mask's rectangle are zero.
      let sourceColumns = cells(under: columns, of: image.columns)
      var source = [Float](repeating: 0, count: sourceColumns.count * sourceRows.count)
      for row in mask.rows.clamped(to: sourceRows) {
        for column in mask.columns.clamped(to: sourceColumns) {
          source[(row - sourceRows.lowerBound) * sourceColumns.count + column - sourceColumns.lowerBound] =
            Float(mask.elements[(row - mask.rows.lowerBound) * width + column - mask.columns.lowerBound])
        }
      }
      let field = ResampledColumns(
        columns: columns, taps: image.columns, of: sourceColumns, rows: sourceRows
      ) { source[$0] }
      field.threshold(rows: rows, taps: image.rows, above: 0.5, into: &elements)
    }
    return ObjectMask(
      rasterWidth: image.columns.count, rasterHeight: image.rows.count, columns: columns, rows: rows,
      elements: elements)
  }

  /// The probabilities on the prototype grid, cropped to the box.
  public func probabilities(
    prototypes: Span<Float>, coefficients: [Float], box: Rect<NetworkPixels>
  ) -> PrototypeMask {
    let scaled = Rect<PrototypeCells>(
      minX: box.minX / 4, minY: box.minY / 4, maxX: box.maxX / 4, maxY: box.maxY / 4)
    let (columns, rows) = indices(in: scaled, width: gridWidth, height: gridHeight)
    let block = LogitBlock(
      prototypes: prototypes, coefficients: coefficients, gridWidth: gridWidth, columns: columns, rows: rows)
    return PrototypeMask(
      gridWidth: gridWidth, gridHeight: gridHeight, columns: columns, rows: rows,
      probabilities: block.values.map(sigmoid))
  }

  /// The cells that the given samples draw from.
  private func cells(under samples: Range<Int>, of taps: AxisTaps) -> Range<Int> {
    taps.starts[samples.lowerBound]..<taps.starts[samples.upperBound - 1] + 2
  }

  /// The columns c with minX <= c < maxX and the rows likewise, inside the raster.
  private func indices<Frame: PlanarFrame>(
    in box: Rect<Frame>, width: Int, height: Int
  ) -> (columns: Range<Int>, rows: Range<Int>) {
    func range(_ low: Double, _ high: Double, _ count: Int) -> Range<Int> {
      let limit = Double(count)
      guard low < high, low < limit, high > 0 else { return 0..<0 }
      let first = Int(max(0, low).rounded(.up))
      return first..<max(first, Int(min(limit, high).rounded(.up)))
    }
    return (range(box.minX, box.maxX, width), range(box.minY, box.maxY, height))
  }
}

/// Cells of the prototype grid, edge convention.
private enum PrototypeCells: PlanarFrame {}

/// Mask logits of a rectangle of the prototype grid.
private struct LogitBlock {
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
}

/// A rectangle of values with its columns resampled; rows are resampled while they are compared.
private struct ResampledColumns {
  private let firstRow, width: Int
  private let values: [Float]

  /// - Parameters:
  ///   - sourceColumns: columns of the values, which cover all that `taps` draws from.
  ///   - value: the value at a row-major position of the rectangle.
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

  /// Writes 1 where a sample is above the bar, else 0, row by row.
  func threshold(rows: Range<Int>, taps: AxisTaps, above bar: Float, into elements: inout [UInt8]) {
    precondition(elements.count == rows.count * width)
    var output = elements.mutableSpan
    var target = 0
    for row in rows {
      let weight = taps.weights[row]
      let first = (taps.starts[row] - firstRow) * width
      let upper = values.span.extracting(first..<first + width)
      let lower = values.span.extracting(first + width..<first + 2 * width)
      for column in 0..<width {
        output[target + column] = weight[0] * upper[column] + weight[1] * lower[column] > bar ? 1 : 0
      }
      target += width
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
