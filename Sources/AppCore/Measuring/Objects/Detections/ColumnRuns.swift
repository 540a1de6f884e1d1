import FileFormats
import Geometry
import Imaging

/// The set pixels of a picture as runs down its columns, which take no more memory than the text they were read from.
struct ColumnRuns: Sendable {
  let width: Int
  let height: Int
  /// Where set pixels begin and end in turn, counted down the columns.
  private let edges: [Int32]

  /// - Precondition: The mask has at most `RunLengthMask.maximumPixels`.
  init(_ mask: RunLengthMask) {
    precondition(
      mask.width * mask.height <= RunLengthMask.maximumPixels, "the mask is larger than any that is read")
    (width, height) = (mask.width, mask.height)
    var position = 0
    edges = mask.runs.map { run in
      position += run
      return Int32(position)
    }
  }

  /// Whether the pixel in column `x` and row `y` is set.
  func isSet(_ x: Int, _ y: Int) -> Bool {
    let position = Int32(x * height + y)
    var (low, high) = (0, edges.count)
    while low < high {
      let middle = (low + high) / 2
      if edges[middle] <= position { low = middle + 1 } else { high = middle }
    }
    return !low.isMultiple(of: 2)
  }

  /// The runs of set pixels.
  private var runs: some Sequence<Range<Int>> {
    stride(from: 1, to: edges.count, by: 2).lazy.map { Int(edges[$0 - 1])..<Int(edges[$0]) }
      .filter { !$0.isEmpty }
  }

  /// A part of the picture that holds all set pixels.
  var bounds: Rect<ImagePixels> {
    var (first, last) = ((x: width, y: height), (x: -1, y: -1))
    for run in runs {
      let (start, end) = (run.lowerBound, run.upperBound - 1)
      first.x = min(first.x, start / height)
      last.x = max(last.x, end / height)
      let isOneColumn = start / height == end / height
      first.y = isOneColumn ? min(first.y, start % height) : 0
      last.y = isOneColumn ? max(last.y, end % height) : height - 1
    }
    guard last.x >= 0 else { return Rect(x: 0, y: 0, width: 0, height: 0) }
    return Rect(
      x: Double(first.x), y: Double(first.y), width: Double(last.x - first.x + 1),
      height: Double(last.y - first.y + 1))
  }

  /// The whole picture, 255 where set.
  func plane() -> Plane<UInt8> {
    var pixels = [UInt8](repeating: 0, count: width * height)
    for run in runs {
      var (column, row) = run.lowerBound.quotientAndRemainder(dividingBy: height)
      for _ in run {
        pixels[row * width + column] = 255
        row += 1
        if row == height { (column, row) = (column + 1, 0) }
      }
    }
    return Plane(width: width, height: height, elements: pixels)
  }

  /// The result of `coverage(of:width:_:)` for the plane, in time proportional to the runs and the grid.
  func coverage(width gridWidth: Int, _ gridHeight: Int) -> Plane<Float> {
    let columns = Cells(pixels: width, cells: gridWidth)
    let rows = Cells(pixels: height, cells: gridHeight)
    var set = [Int32](repeating: 0, count: gridWidth * gridHeight)
    // Columns that are set from top to bottom, by cell.
    var whole = [Int32](repeating: 0, count: gridWidth)
    func add(_ part: Range<Int>, inColumn column: Int) {
      guard !part.isEmpty else { return }
      let cell = columns.cell(of: column)
      for row in rows.cell(of: part.lowerBound)...rows.cell(of: part.upperBound - 1) {
        set[row * gridWidth + cell] += Int32(rows.pixels(in: row).clamped(to: part).count)
      }
    }
    for run in runs {
      let (first, top) = run.lowerBound.quotientAndRemainder(dividingBy: height)
      let (last, bottom) = run.upperBound.quotientAndRemainder(dividingBy: height)
      guard first < last else {
        add(top..<bottom, inColumn: first)
        continue
      }
      let firstWhole = top == 0 ? first : first + 1
      if top > 0 { add(top..<height, inColumn: first) }
      if bottom > 0 { add(0..<bottom, inColumn: last) }
      guard firstWhole < last else { continue }
      for cell in columns.cell(of: firstWhole)...columns.cell(of: last - 1) {
        whole[cell] += Int32(columns.pixels(in: cell).clamped(to: firstWhole..<last).count)
      }
    }
    var shares = [Float](repeating: 0, count: set.count)
    for row in 0..<gridHeight {
      let tall = Int32(rows.pixels(in: row).count)
      for column in 0..<gridWidth {
        let index = row * gridWidth + column
        let all = tall * Int32(columns.pixels(in: column).count)
        shares[index] = all == 0 ? 0 : Float(set[index] + whole[column] * tall) / Float(all)
      }
    }
    return Plane(width: gridWidth, height: gridHeight, elements: shares)
  }

  /// The cells of one axis; pixels count to the cell that holds their center.
  private struct Cells {
    private let ofPixel: [Int32]
    /// The first pixel of each cell, and the number of pixels.
    private let starts: [Int]

    init(pixels: Int, cells: Int) {
      ofPixel = (0..<pixels).map { Int32((2 * $0 + 1) * cells / (2 * pixels)) }
      var counts = [Int](repeating: 0, count: cells + 1)
      for cell in ofPixel { counts[Int(cell) + 1] += 1 }
      for cell in 0..<cells { counts[cell + 1] += counts[cell] }
      starts = counts
    }

    func cell(of pixel: Int) -> Int { Int(ofPixel[pixel]) }
    func pixels(in cell: Int) -> Range<Int> { starts[cell]..<starts[cell + 1] }
  }
}
