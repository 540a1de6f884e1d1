import FileFormats
import Geometry
import Imaging

/// The set pixels of a large picture, kept as runs: of a rectangle that holds them all, along its rows, or of a file,
/// along the whole picture's columns.
struct BinaryPatch: Sendable {
  /// Column and row of the rectangle's first pixel.
  private let x: Int
  private let y: Int
  /// The rectangle; nil where a file says it.
  private let cells: RowRuns?
  /// The whole picture's, in place of the rectangle.
  let runs: ColumnRuns?

  /// No pixel at all.
  static let empty = BinaryPatch(RowRuns(width: 0, height: 0, elements: []), x: 0, y: 0)

  /// The pixels of a rectangle whose first is in column `x` and row `y`.
  init(_ cells: RowRuns, x: Int, y: Int) {
    (self.x, self.y, self.cells) = (x, y, cells)
    runs = nil
  }

  /// The pixels of runs.
  init(_ runs: ColumnRuns) {
    (x, y, cells) = (0, 0, nil)
    self.runs = runs
  }

  /// The patch of a mask at full resolution.
  init(_ mask: Plane<UInt8>) {
    self.init(RowRuns(width: mask.width, height: mask.height, elements: mask.elements), x: 0, y: 0)
  }

  /// Whether the pixel in column `px` and row `py` of the picture is set.
  func isSet(_ px: Int, _ py: Int) -> Bool {
    if let runs { return runs.isSet(px, py) }
    guard let cells, px >= x, py >= y, px - x < cells.width, py - y < cells.height else { return false }
    return cells[px - x, py - y]
  }

  /// The set columns of the pixels' row at a height, from the left to the right; nil where a file says them.
  func runs(ofRow y: Double) -> [Range<Int>]? {
    guard let cells else { return nil }
    guard y >= 0, y < Double(self.y + cells.height), Int(y) >= self.y else { return [] }
    return cells.runs(ofRow: Int(y) - self.y).map { $0.lowerBound + x..<$0.upperBound + x }
  }

  /// A part of the picture that holds all set pixels.
  var bounds: Rect<ImagePixels> {
    if let runs { return runs.bounds }
    guard let bounds = cells?.bounds else { return Rect(x: 0, y: 0, width: 0, height: 0) }
    return Rect(
      x: Double(x + bounds.columns.lowerBound), y: Double(y + bounds.rows.lowerBound),
      width: Double(bounds.columns.count), height: Double(bounds.rows.count))
  }

  /// The patch of the upright picture, turned back to the stored picture of size `stored`.
  func turnedBack(from orientation: Orientation, stored: PixelSize) -> BinaryPatch {
    precondition(runs == nil, "a file's mask is of the stored picture")
    guard let cells, !cells.isEmpty else { return .empty }
    let bounds = orientation.stored(
      Rect<UprightPixels>(
        x: Double(x), y: Double(y), width: Double(cells.width), height: Double(cells.height)), stored: stored)
    let turned = Plane(width: cells.width, height: cells.height, elements: cells.elements)
      .oriented(orientation.inverse)
    return BinaryPatch(
      RowRuns(width: turned.width, height: turned.height, elements: turned.elements), x: Int(bounds.minX),
      y: Int(bounds.minY))
  }

  /// The patch of a part of a picture, in coordinates of the whole: the part's corner is pixel (`column`,
  /// `row`).
  func moved(toColumn column: Int, row: Int) -> BinaryPatch {
    precondition(runs == nil, "a file's mask is of the whole picture")
    return cells.map { BinaryPatch($0, x: x + column, y: y + row) } ?? self
  }

  /// The pixels of all of some patches of the upright picture.
  static func union(_ patches: [BinaryPatch]) -> BinaryPatch {
    let parts = patches.compactMap { patch in patch.cells.map { (x: patch.x, y: patch.y, cells: $0) } }
    precondition(parts.count == patches.count, "a file's mask is of the stored picture")
    guard let left = parts.map(\.x).min(), let top = parts.map(\.y).min() else { return .empty }
    let right = parts.reduce(left) { max($0, $1.x + $1.cells.width) }
    let bottom = parts.reduce(top) { max($0, $1.y + $1.cells.height) }
    let cells = RowRuns(width: right - left, height: bottom - top) { row, pixels in
      for column in pixels.indices { pixels[column] = 0 }
      for part in parts where part.y <= top + row && top + row < part.y + part.cells.height {
        for run in part.cells.runs(ofRow: top + row - part.y) {
          for column in run { pixels[part.x - left + column] = 1 }
        }
      }
    }
    return BinaryPatch(cells, x: left, y: top)
  }

  /// The rectangle's pixels, where it begins; nil where a file says them.
  var rectangle: (cells: RowRuns, x: Int, y: Int)? { cells.map { ($0, x, y) } }

  /// The run lengths of the whole picture.
  func runLengths(of size: PixelSize) -> RunLengthMask {
    guard let cells else {
      let plane = plane(of: size)
      return RunLengthMask(height: plane.height, width: plane.width, mask: plane.elements)
    }
    return RunLengthMask(
      height: size.height, width: size.width,
      boundaries: cells.columnBoundaries(column: x, row: y, rows: size.height))
  }

  /// The whole picture, 255 where set.
  func plane(of size: PixelSize) -> Plane<UInt8> {
    if let runs { return runs.plane() }
    var pixels = [UInt8](repeating: 0, count: size.width * size.height)
    cells?.fill(&pixels, from: y * size.width + x, stride: size.width, with: 255)
    return Plane(width: size.width, height: size.height, elements: pixels)
  }
}
