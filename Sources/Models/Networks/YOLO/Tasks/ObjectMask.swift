import Imaging

/// The pixels of one object: a binary raster of a rectangle of the image, zero everywhere else.
///
/// Held as runs, so that memory follows the outline and not the area.
public struct ObjectMask: Sendable, Equatable {
  /// Size of the whole raster.
  public let rasterWidth, rasterHeight: Int
  /// The rectangle held, by its first column and row.
  public let columns, rows: Range<Int>
  /// The set pixels of the rectangle.
  package let runs: RowRuns

  /// A mask from its rectangle.
  ///
  /// - Precondition: `elements` holds exactly the rectangle, which lies in the raster.
  public init(rasterWidth: Int, rasterHeight: Int, columns: Range<Int>, rows: Range<Int>, elements: [UInt8]) {
    self.init(
      rasterWidth: rasterWidth, rasterHeight: rasterHeight, columns: columns, rows: rows,
      runs: RowRuns(width: columns.count, height: rows.count, elements: elements))
  }

  /// A mask from the runs of its rectangle.
  ///
  /// - Precondition: `runs` are of the rectangle, which lies in the raster.
  package init(rasterWidth: Int, rasterHeight: Int, columns: Range<Int>, rows: Range<Int>, runs: RowRuns) {
    precondition(runs.width == columns.count && runs.height == rows.count)
    precondition(columns.lowerBound >= 0 && columns.upperBound <= rasterWidth)
    precondition(rows.lowerBound >= 0 && rows.upperBound <= rasterHeight)
    self.rasterWidth = rasterWidth
    self.rasterHeight = rasterHeight
    self.columns = columns
    self.rows = rows
    self.runs = runs
  }

  /// 0 or 1, row-major over the rectangle; made anew with each call.
  public var elements: [UInt8] { runs.elements }

  /// Pixels set.
  public var area: Int { runs.area }

  /// Whether no pixel is set.
  public var isEmpty: Bool { runs.isEmpty }

  /// Whether the pixel is set; pixels outside the rectangle are not.
  public subscript(column: Int, row: Int) -> Bool {
    columns.contains(column) && rows.contains(row)
      && runs[column - columns.lowerBound, row - rows.lowerBound]
  }

  /// The rectangle held, 0 and 1; nil where it has no pixel.
  public var rectangle: Plane<UInt8>? {
    columns.isEmpty || rows.isEmpty
      ? nil : Plane(width: columns.count, height: rows.count, elements: elements)
  }

  /// The whole raster, 0 and `value`.
  public func plane(value: UInt8 = 1) -> Plane<UInt8> {
    var all = [UInt8](repeating: 0, count: rasterWidth * rasterHeight)
    runs.fill(
      &all, from: rows.lowerBound * rasterWidth + columns.lowerBound, stride: rasterWidth, with: value)
    return Plane(width: rasterWidth, height: rasterHeight, elements: all)
  }
}

/// The probabilities of one object on the prototype grid, zero outside its box.
package struct PrototypeMask: Sendable, Equatable {
  /// Size of the whole grid (a quarter of the network input).
  package let gridWidth, gridHeight: Int
  /// The cells held: those whose index lies in the box, half-open.
  package let columns, rows: Range<Int>
  /// Sigmoids of the mask logits, row-major over the cells held.
  package let probabilities: [Float]

  /// A mask from its cells.
  package init(
    gridWidth: Int, gridHeight: Int, columns: Range<Int>, rows: Range<Int>, probabilities: [Float]
  ) {
    precondition(probabilities.count == columns.count * rows.count)
    precondition(columns.lowerBound >= 0 && columns.upperBound <= gridWidth)
    precondition(rows.lowerBound >= 0 && rows.upperBound <= gridHeight)
    self.gridWidth = gridWidth
    self.gridHeight = gridHeight
    self.columns = columns
    self.rows = rows
    self.probabilities = probabilities
  }

  /// The whole grid.
  package func plane() -> Plane<Float> {
    Plane(
      width: gridWidth, height: gridHeight, fill: 0, columns: columns, rows: rows, elements: probabilities)
  }
}
