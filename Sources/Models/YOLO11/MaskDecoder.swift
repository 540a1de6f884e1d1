import Geometry

/// From prototypes and coefficients to masks, only inside each object's box.
///
/// Ported from Ultralytics 8.4.190 (`process_mask` with upsampling, `process_mask_native`, `crop_mask`).
/// Deviation: the native mask's two bilinear passes are applied as one (`AxisTaps`).
public struct MaskDecoder: Sendable {
  private let gridWidth, gridHeight: Int
  private let network, image: Raster

  /// A target raster and how its samples are drawn from the prototype grid.
  private struct Raster: Sendable {
    let columns, rows: AxisTaps
  }

  /// A decoder for images of one size; the prototype grid is a quarter of the network input.
  public init(letterbox: Letterbox) {
    let input = letterbox.networkSize
    let content = letterbox.contentSize
    let picture = letterbox.imageSize
    gridWidth = input.width / 4
    gridHeight = input.height / 4
    network = Raster(
      columns: AxisTaps(source: gridWidth, count: input.width),
      rows: AxisTaps(source: gridHeight, count: input.height))
    // The smallest enlargement of the grid on which the padding has whole sides.
    let factor = Self.enlargement(padding: (input.width - content.width) | (input.height - content.height))
    image = Raster(
      columns: AxisTaps(
        source: gridWidth, factor: factor,
        content: Self.crop(from: letterbox.padLeft, count: content.width, factor), count: picture.width),
      rows: AxisTaps(
        source: gridHeight, factor: factor,
        content: Self.crop(from: letterbox.padTop, count: content.height, factor), count: picture.height))
  }

  /// The mask in pixels of the original image.
  ///
  /// - Parameters:
  ///   - prototypes: (grid height, grid width, coefficients).
  ///   - box: only pixels whose index is in it, half-open, can be set.
  public func imageMask(
    prototypes: Span<Float>, coefficients: [Float], box: Rect<ImagePixels>
  ) -> ObjectMask {
    mask(prototypes, coefficients, box, image)
  }

  /// The mask in pixels of the network input.
  public func networkMask(
    prototypes: Span<Float>, coefficients: [Float], box: Rect<NetworkPixels>
  ) -> ObjectMask {
    mask(prototypes, coefficients, box, network)
  }

  /// Whether `networkMask` would have no pixel set: such a detection is dropped by the reference.
  public func networkMaskIsEmpty(
    prototypes: Span<Float>, coefficients: [Float], box: Rect<NetworkPixels>
  ) -> Bool {
    let (columns, rows) = indices(in: box, width: network.columns.count, height: network.rows.count)
    guard !columns.isEmpty, !rows.isEmpty else { return true }
    let field = LogitField(
      logits(prototypes, coefficients, columns: columns, rows: rows, of: network),
      columns: columns, of: network.columns)
    var line = [UInt8](repeating: 0, count: columns.count)
    // Most objects cover the middle of their box.
    for row in [rows.lowerBound + rows.count / 2] + rows {
      field.threshold(row: row, of: network.rows, into: &line, at: 0)
      if line.contains(1) { return false }
    }
    return true
  }

  /// The probabilities on the prototype grid, cropped to the box (in network pixels).
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
      probabilities: block.logits.map(sigmoid))
  }

  // MARK: - Steps

  private func mask<Frame: PlanarFrame>(
    _ prototypes: Span<Float>, _ coefficients: [Float], _ box: Rect<Frame>, _ raster: Raster
  ) -> ObjectMask {
    let (columns, rows) = indices(in: box, width: raster.columns.count, height: raster.rows.count)
    var elements = [UInt8](repeating: 0, count: columns.count * rows.count)
    if !elements.isEmpty {
      let field = LogitField(
        logits(prototypes, coefficients, columns: columns, rows: rows, of: raster),
        columns: columns, of: raster.columns)
      for row in rows {
        field.threshold(
          row: row, of: raster.rows, into: &elements, at: (row - rows.lowerBound) * columns.count)
      }
    }
    return ObjectMask(
      rasterWidth: raster.columns.count, rasterHeight: raster.rows.count, columns: columns, rows: rows,
      elements: elements)
  }

  /// The logits of every cell that the given samples draw from.
  private func logits(
    _ prototypes: Span<Float>, _ coefficients: [Float], columns: Range<Int>, rows: Range<Int>,
    of raster: Raster
  ) -> LogitBlock {
    LogitBlock(
      prototypes: prototypes, coefficients: coefficients, gridWidth: gridWidth,
      columns: raster.columns.starts[columns.lowerBound]..<raster.columns.starts[columns.upperBound - 1] + 3,
      rows: raster.rows.starts[rows.lowerBound]..<raster.rows.starts[rows.upperBound - 1] + 3)
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

  /// 1, 2 or 4: the least for which a side of the padding is a whole number of cells.
  private static func enlargement(padding: Int) -> Int {
    let bits = padding | padding / 2
    return bits % 4 == 0 ? 1 : bits % 2 == 0 ? 2 : 4
  }

  /// The content on the enlarged grid.
  private static func crop(from pad: Int, count: Int, _ factor: Int) -> Range<Int> {
    let step = 4 / factor
    return pad / step..<(pad + count) / step
  }
}

/// Cells of the prototype grid, edge convention.
private enum PrototypeCells: PlanarFrame {}

/// Mask logits of a rectangle of the prototype grid.
private struct LogitBlock {
  let columns, rows: Range<Int>
  let logits: [Float]

  init(
    prototypes: Span<Float>, coefficients: [Float], gridWidth: Int, columns: Range<Int>, rows: Range<Int>
  ) {
    self.columns = columns
    self.rows = rows
    let channels = coefficients.count
    var logits: [Float] = []
    logits.reserveCapacity(columns.count * rows.count)
    for row in rows {
      let first = (row * gridWidth + columns.lowerBound) * channels
      let line = prototypes.extracting(first..<first + columns.count * channels)
      for column in 0..<columns.count {
        logits.append(dot(line, from: column * channels, coefficients.span))
      }
    }
    self.logits = logits
  }
}

/// Mask logits with their columns already resampled; rows are resampled one by one.
private struct LogitField {
  private let firstRow, width: Int
  private let values: [Float]

  init(_ block: LogitBlock, columns: Range<Int>, of taps: AxisTaps) {
    firstRow = block.rows.lowerBound
    width = columns.count
    var values: [Float] = []
    values.reserveCapacity(block.rows.count * width)
    for row in 0..<block.rows.count {
      let base = row * block.columns.count - block.columns.lowerBound
      for column in columns {
        let first = base + taps.starts[column]
        let weight = taps.weights[column]
        values.append(
          weight[0] * block.logits[first] + weight[1] * block.logits[first + 1]
            + weight[2] * block.logits[first + 2])
      }
    }
    self.values = values
  }

  /// Writes 1 where the logit of the sample row is positive, else 0.
  func threshold(row: Int, of taps: AxisTaps, into elements: inout [UInt8], at target: Int) {
    let weight = taps.weights[row]
    let first = (taps.starts[row] - firstRow) * width
    let lines = values.span.extracting(first..<first + 3 * width)
    precondition(target >= 0 && target + width <= elements.count)
    var output = elements.mutableSpan
    for column in 0..<width {
      let logit =
        weight[0] * lines[column] + weight[1] * lines[width + column] + weight[2] * lines[2 * width + column]
      output[target + column] = logit > 0 ? 1 : 0
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
