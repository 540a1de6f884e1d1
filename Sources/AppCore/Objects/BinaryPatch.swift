import Geometry
import Imaging

/// The set pixels of a large picture, kept as the rectangle that holds them all or, of a file, as its runs.
struct BinaryPatch: Sendable {
  /// Column and row of the rectangle's first pixel.
  let x: Int
  let y: Int
  /// The rectangle, non-zero where set; nil if no pixel is set.
  let cells: Plane<UInt8>?
  /// The whole picture's, in place of the rectangle.
  let runs: ColumnRuns?

  /// No pixel at all.
  static let empty = BinaryPatch(x: 0, y: 0, cells: nil)

  private init(x: Int, y: Int, cells: Plane<UInt8>?) {
    self.x = x
    self.y = y
    self.cells = cells
    runs = nil
  }

  /// The pixels of runs.
  init(_ runs: ColumnRuns) {
    (x, y, cells) = (0, 0, nil)
    self.runs = runs
  }

  /// The patch of a mask at full resolution.
  init(_ mask: Plane<UInt8>) {
    var first = (x: mask.width, y: mask.height)
    var last = (x: -1, y: -1)
    let elements = mask.elements.span
    for y in 0..<mask.height {
      let row = y * mask.width..<(y + 1) * mask.width
      guard let left = row.first(where: { elements[$0] != 0 }) else { continue }
      // What lies between the columns found so far needs no look.
      let right: Int = row.last(where: { elements[$0] != 0 || $0 - row.lowerBound <= last.x }) ?? left
      first = (min(first.x, left - row.lowerBound), min(first.y, y))
      last = (max(last.x, right - row.lowerBound), y)
    }
    let cells =
      last.x < 0
      ? nil : mask.cropped(x: first.x, y: first.y, width: last.x - first.x + 1, height: last.y - first.y + 1)
    self.init(x: cells == nil ? 0 : first.x, y: cells == nil ? 0 : first.y, cells: cells)
  }

  /// Whether the pixel in column `px` and row `py` of the picture is set.
  func isSet(_ px: Int, _ py: Int) -> Bool {
    if let runs { return runs.isSet(px, py) }
    guard let cells, px >= x, py >= y, px - x < cells.width, py - y < cells.height else { return false }
    return cells[px - x, py - y] != 0
  }

  /// A part of the picture that holds all set pixels.
  var bounds: Rect<ImagePixels> {
    if let runs { return runs.bounds }
    return Rect(
      x: Double(x), y: Double(y), width: Double(cells?.width ?? 0), height: Double(cells?.height ?? 0))
  }

  /// The patch of the upright picture, turned back to the stored picture of size `stored`.
  func turnedBack(from orientation: Orientation, stored: PixelSize) -> BinaryPatch {
    precondition(runs == nil, "a file's mask is of the stored picture")
    guard let cells else { return self }
    let bounds = orientation.stored(
      Rect<UprightPixels>(
        x: Double(x), y: Double(y), width: Double(cells.width), height: Double(cells.height)), stored: stored)
    return BinaryPatch(
      x: Int(bounds.minX), y: Int(bounds.minY), cells: cells.oriented(orientation.inverse))
  }

  /// The patch of a part of a picture, said of the whole: the part's corner is pixel (`column`, `row`).
  func moved(toColumn column: Int, row: Int) -> BinaryPatch {
    precondition(runs == nil, "a file's mask is of the whole picture")
    return cells == nil ? self : BinaryPatch(x: x + column, y: y + row, cells: cells)
  }

  /// The whole picture, 255 where set.
  func plane(of size: PixelSize) -> Plane<UInt8> {
    if let runs { return runs.plane() }
    var pixels = [UInt8](repeating: 0, count: size.width * size.height)
    if let cells {
      for row in 0..<cells.height {
        let start = (y + row) * size.width + x
        for column in 0..<cells.width where cells.elements[row * cells.width + column] != 0 {
          pixels[start + column] = 255
        }
      }
    }
    return Plane(width: size.width, height: size.height, elements: pixels)
  }
}
