/// A row-major grid of `height` x `width` elements, rows from the top.
public struct Plane<Element: Sendable>: Sendable {
  /// Columns.
  public let width: Int
  /// Rows.
  public let height: Int
  /// Row-major elements; their count stays `height * width`.
  public var elements: [Element]

  /// Wraps row-major elements; their count must be `width * height`.
  @inlinable
  public init(width: Int, height: Int, elements: [Element]) {
    precondition(width > 0 && height > 0, "a plane has at least one cell")
    precondition(elements.count == width * height, "a plane holds one element per cell")
    self.width = width
    self.height = height
    self.elements = elements
  }

  /// A plane with one value everywhere.
  @inlinable
  public init(width: Int, height: Int, fill value: Element) {
    precondition(width > 0 && height > 0, "a plane has at least one cell")
    self.width = width
    self.height = height
    elements = [Element](repeating: value, count: width * height)
  }

  /// A plane of `value` but for a rectangle of row-major elements, which lies inside; their count is the rectangle's.
  package init(
    width: Int, height: Int, fill value: Element, columns: Range<Int>, rows: Range<Int>,
    elements part: [Element]
  ) {
    precondition(part.count == columns.count * rows.count, "a rectangle holds one element per cell")
    self.init(width: width, height: height, fill: value)
    for (index, row) in rows.enumerated() {
      let start = index * columns.count
      elements.replaceSubrange(
        row * width + columns.lowerBound..<row * width + columns.upperBound,
        with: part[start..<start + columns.count])
    }
  }

  /// The element in column `x` and row `y`.
  @inlinable
  public subscript(x: Int, y: Int) -> Element {
    get {
      precondition(x >= 0 && x < width && y >= 0 && y < height, "cell outside the plane")
      return elements[y * width + x]
    }
    set {
      precondition(x >= 0 && x < width && y >= 0 && y < height, "cell outside the plane")
      elements[y * width + x] = newValue
    }
  }

  /// The plane of transformed elements.
  @inlinable
  public func map<Result: Sendable>(_ transform: (Element) throws -> Result) rethrows -> Plane<Result> {
    Plane<Result>(width: width, height: height, elements: try elements.map(transform))
  }

  /// The `width` x `height` part whose top-left cell is (`x`, `y`); it must lie inside the plane.
  @inlinable
  public func cropped(x: Int, y: Int, width: Int, height: Int) -> Plane {
    Plane(
      width: width, height: height,
      elements: croppedRows(
        of: elements, rowLength: self.width, rowCount: self.height, elementsPerPixel: 1,
        x: x, y: y, width: width, height: height))
  }
}

extension Plane {
  /// Checks the count that `elements`, being mutable, could have lost: for code that trusts it.
  func checkCount() {
    precondition(elements.count == width * height, "a plane holds one element per cell")
  }
}

extension Plane: Equatable where Element: Equatable {}
