import Geometry
import Imaging

/// From prototypes and coefficients to masks, only inside each object's box.
///
/// Ported from Ultralytics 8.4.190: `process_mask` with upsampling and `crop_mask` for the network's input,
/// `scale_masks` for the picture; `process_mask_native` for the picture in one go.
package struct MaskDecoder: Sendable {
  private let gridWidth, gridHeight: Int
  /// The network's input from the grid, the picture from the network's input.
  private let network, image: Raster
  /// The grid enlarged so that the letterbox's padding is whole cells; nil where it is without.
  private let enlarged: Raster?
  /// The picture from that.
  private let native: Raster

  /// A decoder for pictures of one size; the prototype grid is a quarter of the network's input.
  package init(letterbox: Letterbox) {
    let input = letterbox.networkSize
    gridWidth = input.width / 4
    gridHeight = input.height / 4
    let grid = PixelSize(width: gridWidth, height: gridHeight)
    network = Raster(enlarging: grid, to: input)
    image = Raster(content: letterbox)
    let factor = Self.factor(padding: letterbox)
    let cells = PixelSize(width: gridWidth * factor, height: gridHeight * factor)
    enlarged = factor > 1 ? Raster(enlarging: grid, to: cells) : nil
    native = Raster(content: Letterbox(imageSize: letterbox.imageSize, networkSize: cells))
  }

  /// The least enlargement of the grid (1, 2 or 4) at which the padding on both sides of an axis is whole cells.
  private static func factor(padding letterbox: Letterbox) -> Int {
    let (size, content) = (letterbox.networkSize, letterbox.contentSize)
    let padding = (size.height - content.height) | (size.width - content.width)
    // Of each side it is a half; both halves are whole cells where the sum and the half are multiples of one.
    let both = padding | padding / 2
    return both % 4 == 0 ? 1 : both % 2 == 0 ? 2 : 4
  }

  /// The mask on the network's input: pixels of the box, half-open, whose enlarged logit is positive.
  ///
  /// `prototypes`: (grid height, grid width, coefficients), row-major.
  package func networkMask(
    prototypes: Span<Float>, coefficients: [Float], box: Rect<NetworkPixels>
  ) -> ObjectMask {
    let (width, height) = (network.columns.count, network.rows.count)
    let (columns, rows) = indices(in: box, width: width, height: height)
    let runs = runs(columns, rows) {
      let logits = LogitBlock(
        prototypes: prototypes, coefficients: coefficients, gridWidth: gridWidth,
        columns: cells(under: columns, of: network.columns), rows: cells(under: rows, of: network.rows))
      return ResampledColumns(
        columns: columns, taps: network.columns, of: logits.columns, rows: logits.rows
      ) { logits.values[$0] }.runs(rows: rows, taps: network.rows, above: 0)
    }
    return ObjectMask(rasterWidth: width, rasterHeight: height, columns: columns, rows: rows, runs: runs)
  }

  /// The runs of a rectangle, made by `body` unless it is empty.
  private func runs(_ columns: Range<Int>, _ rows: Range<Int>, _ body: () -> RowRuns) -> RowRuns {
    columns.isEmpty || rows.isEmpty
      ? RowRuns(width: columns.count, height: rows.count, elements: []) : body()
  }

  /// The network's mask scaled to the picture: pixels more than half covered, bilinearly.
  package func imageMask(_ mask: ObjectMask) -> ObjectMask {
    let columns = image.columns.samples(touching: mask.columns)
    let rows = image.rows.samples(touching: mask.rows)
    let runs = runs(columns, rows) {
      let sourceRows = cells(under: rows, of: image.rows)
      let (width, elements) = (mask.columns.count, mask.elements)
      // Cells beside the mask's rectangle are zero.
      let sourceColumns = cells(under: columns, of: image.columns)
      var source = [Float](repeating: 0, count: sourceColumns.count * sourceRows.count)
      for row in mask.rows.clamped(to: sourceRows) {
        for column in mask.columns.clamped(to: sourceColumns) {
          source[(row - sourceRows.lowerBound) * sourceColumns.count + column - sourceColumns.lowerBound] =
            Float(elements[(row - mask.rows.lowerBound) * width + column - mask.columns.lowerBound])
        }
      }
      return ResampledColumns(
        columns: columns, taps: image.columns, of: sourceColumns, rows: sourceRows
      ) { source[$0] }.runs(rows: rows, taps: image.rows, above: 0.5)
    }
    return ObjectMask(
      rasterWidth: image.columns.count, rasterHeight: image.rows.count, columns: columns, rows: rows,
      runs: runs)
  }

  /// The mask on the picture: pixels of the box, half-open, whose logit is positive, bilinear between prototypes.
  ///
  /// `prototypes`: (grid height, grid width, coefficients), row-major.
  package func imageMask(
    prototypes: Span<Float>, coefficients: [Float], box: Rect<UprightPixels>
  ) -> ObjectMask {
    let (width, height) = (native.columns.count, native.rows.count)
    let (columns, rows) = indices(in: box, width: width, height: height)
    let runs = runs(columns, rows) {
      let logits = logits(
        prototypes, coefficients, columns: cells(under: columns, of: native.columns),
        rows: cells(under: rows, of: native.rows))
      return ResampledColumns(
        columns: columns, taps: native.columns, of: logits.columns, rows: logits.rows
      ) { logits.values[$0] }.runs(rows: rows, taps: native.rows, above: 0)
    }
    return ObjectMask(rasterWidth: width, rasterHeight: height, columns: columns, rows: rows, runs: runs)
  }

  /// Logits on the grid, enlarged where the padding needs it.
  private func logits(
    _ prototypes: Span<Float>, _ coefficients: [Float], columns: Range<Int>, rows: Range<Int>
  ) -> LogitBlock {
    func block(_ columns: Range<Int>, _ rows: Range<Int>) -> LogitBlock {
      LogitBlock(
        prototypes: prototypes, coefficients: coefficients, gridWidth: gridWidth, columns: columns, rows: rows
      )
    }
    guard let enlarged else { return block(columns, rows) }
    return block(cells(under: columns, of: enlarged.columns), cells(under: rows, of: enlarged.rows))
      .resampled(columns: columns, by: enlarged.columns, rows: rows, by: enlarged.rows)
  }

  /// The probabilities on the prototype grid, cropped to the box.
  package func probabilities(
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

  /// Bytes that an object takes at most while it is made: its runs in the picture and, of `fast`, in the network's input
  /// too, its probabilities, and logits with their columns resampled.
  ///
  /// Along a row the logit changes its sign once a cell of what it is drawn from, at most.
  package func mostBytes(_ method: MaskMethod?) -> Int {
    let cells = gridWidth * gridHeight * MemoryLayout<Float>.stride
    switch method {
    case .retina:
      let sourceRows = enlarged?.rows.count ?? gridHeight
      return cells
        + RowRuns.mostBytes(height: native.rows.count, changes: changes(native.columns, gridWidth * 4))
        + sourceRows * native.columns.count * MemoryLayout<Float>.stride
    case .fast:
      return cells
        + RowRuns.mostBytes(height: image.rows.count, changes: changes(image.columns, gridWidth * 4))
        + RowRuns.mostBytes(height: network.rows.count, changes: changes(network.columns, gridWidth))
        + network.rows.count * image.columns.count * MemoryLayout<Float>.stride
    case nil: return cells
    }
  }

  private func changes(_ samples: AxisTaps, _ cells: Int) -> Int { min(samples.count, cells) + 1 }

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

/// A raster and how its samples are drawn from another.
private struct Raster: Sendable {
  let columns, rows: AxisTaps

  /// All of a raster drawn larger.
  init(enlarging source: PixelSize, to size: PixelSize) {
    columns = AxisTaps(source: source.width, content: 0..<source.width, count: size.width)
    rows = AxisTaps(source: source.height, content: 0..<source.height, count: size.height)
  }

  /// A letterbox's picture drawn from what its network's input holds of it.
  init(content letterbox: Letterbox) {
    let (input, content, picture) = (letterbox.networkSize, letterbox.contentSize, letterbox.imageSize)
    let (left, top) = (letterbox.padLeft, letterbox.padTop)
    columns = AxisTaps(source: input.width, content: left..<left + content.width, count: picture.width)
    rows = AxisTaps(source: input.height, content: top..<top + content.height, count: picture.height)
  }
}

/// Cells of the prototype grid, edge convention.
private enum PrototypeCells: PlanarFrame {}
