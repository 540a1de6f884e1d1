/// The set pixels of a raster as runs along its rows: memory follows the outline and not the area, so that hundreds of
/// objects as large as their picture fit where their pixels would not.
package struct RowRuns: Sendable, Equatable {
  /// Sizes of the raster, in pixels.
  package let width, height: Int
  /// Where set pixels begin and end in turn, by column, row after row.
  private var edges: [Int32] = []
  /// End of each row's edges.
  private var ends: [Int] = []

  /// No pixel is set, and no row is there yet.
  private init(width: Int, height: Int) {
    precondition(width >= 0 && height >= 0 && Int32(exactly: width) != nil, "a raster of that size")
    (self.width, self.height) = (width, height)
    ends.reserveCapacity(height)
  }

  /// The runs of rows that are filled in one after the other.
  ///
  /// - `fill`: sets every pixel of a row, which holds what it was filled with before: 0, or anything else where set.
  package init(width: Int, height: Int, fill: (_ row: Int, _ pixels: inout MutableSpan<UInt8>) -> Void) {
    self.init(width: width, height: height)
    var pixels = [UInt8](repeating: 0, count: width)
    for row in 0..<height {
      var span = pixels.mutableSpan
      fill(row, &span)
      add(pixels.span)
    }
  }

  /// The runs of a row-major raster: any value but 0 is set.
  ///
  /// - Precondition: `elements` holds `width` times `height`.
  package init(width: Int, height: Int, elements: [UInt8]) {
    precondition(elements.count == width * height, "a raster of another size")
    self.init(width: width, height: height)
    for row in 0..<height { add(elements.span.extracting(row * width..<(row + 1) * width)) }
  }

  private mutating func add(_ row: Span<UInt8>) {
    var isSet = false
    for column in row.indices where (row[column] != 0) != isSet {
      edges.append(Int32(truncatingIfNeeded: column))
      isSet.toggle()
    }
    if isSet { edges.append(Int32(truncatingIfNeeded: width)) }
    ends.append(edges.count)
  }

  private func edges(ofRow row: Int) -> Range<Int> { (row == 0 ? 0 : ends[row - 1])..<ends[row] }

  /// Bytes that the runs take.
  package var bytes: Int { edges.count * MemoryLayout<Int32>.stride + ends.count * MemoryLayout<Int>.stride }

  /// Bytes that runs take at most where no row changes more often.
  package static func mostBytes(height: Int, changes: Int) -> Int {
    height * (changes * MemoryLayout<Int32>.stride + MemoryLayout<Int>.stride)
  }

  /// Whether no pixel is set.
  package var isEmpty: Bool { edges.isEmpty }

  /// Pixels set.
  package var area: Int {
    stride(from: 0, to: edges.count, by: 2).reduce(0) { $0 + Int(edges[$1 + 1] - edges[$1]) }
  }

  /// The columns of a row's runs of set pixels, from the left.
  package func runs(ofRow row: Int) -> [Range<Int>] {
    let part = edges(ofRow: row)
    return stride(from: part.lowerBound, to: part.upperBound, by: 2).map {
      Int(edges[$0])..<Int(edges[$0 + 1])
    }
  }

  /// Whether a pixel of the raster is set.
  package subscript(column: Int, row: Int) -> Bool {
    var (low, high) = (edges(ofRow: row).lowerBound, edges(ofRow: row).upperBound)
    let first = low
    while low < high {
      let middle = (low + high) / 2
      if edges[middle] <= column { low = middle + 1 } else { high = middle }
    }
    return !(low - first).isMultiple(of: 2)
  }

  /// The least rectangle that holds all set pixels; nil where there are none.
  package var bounds: (columns: Range<Int>, rows: Range<Int>)? {
    var (columns, rows): (Range<Int>?, Range<Int>?)
    for row in 0..<height {
      let part = edges(ofRow: row)
      guard !part.isEmpty else { continue }
      let (left, right) = (Int(edges[part.lowerBound]), Int(edges[part.upperBound - 1]))
      columns = min(columns?.lowerBound ?? left, left)..<max(columns?.upperBound ?? right, right)
      rows = (rows?.lowerBound ?? row)..<row + 1
    }
    guard let columns, let rows else { return nil }
    return (columns, rows)
  }

  /// Sets the pixels in a row-major raster `stride` wide, in which the first pixel lies at `start`.
  package func fill(_ raster: inout [UInt8], from start: Int, stride: Int, with value: UInt8) {
    var raster = raster.mutableSpan
    for row in 0..<height {
      let (part, first) = (edges(ofRow: row), start + row * stride)
      for edge in Swift.stride(from: part.lowerBound, to: part.upperBound, by: 2) {
        for index in first + Int(edges[edge])..<first + Int(edges[edge + 1]) { raster[index] = value }
      }
    }
  }

  /// Where set pixels begin and end in turn down the columns, in the order of a larger raster's columns and rows: in time
  /// that follows the outline.
  ///
  /// - `column`, `row`: where the first pixel lies in the larger raster; `rows`: how many that has.
  package func columnBoundaries(column: Int, row: Int, rows: Int) -> [Int] {
    var found: [(row: Int, column: Int)] = []
    var counts = [Int](repeating: 0, count: width + 1)
    var above = 0..<0
    for index in 0...height {
      let own = index < height ? edges(ofRow: index) : 0..<0
      var start: Int?
      changes(above, own) { edge in
        guard let first = start else {
          start = edge
          return
        }
        for changed in first..<edge {
          found.append((index, changed))
          counts[changed + 1] += 1
        }
        start = nil
      }
      above = own
    }
    for column in 0..<width { counts[column + 1] += counts[column] }
    var boundaries = [Int](repeating: 0, count: found.count)
    for change in found {
      boundaries[counts[change.column]] = (column + change.column) * rows + row + change.row
      counts[change.column] += 1
    }
    return boundaries
  }

  /// The columns at which two rows, given by their edges, begin and cease to differ.
  private func changes(_ one: Range<Int>, _ other: Range<Int>, _ body: (Int) -> Void) {
    var (first, second) = (one.lowerBound, other.lowerBound)
    while first < one.upperBound || second < other.upperBound {
      let a = first < one.upperBound ? edges[first] : .max
      let b = second < other.upperBound ? edges[second] : .max
      // An edge of both changes nothing.
      if a != b { body(Int(min(a, b))) }
      if a <= b { first += 1 }
      if b <= a { second += 1 }
    }
  }

  /// All pixels, 0 and 1, row-major.
  package var elements: [UInt8] {
    var all = [UInt8](repeating: 0, count: width * height)
    fill(&all, from: 0, stride: width, with: 1)
    return all
  }
}
