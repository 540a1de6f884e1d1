/// A set of cells of a grid.
package struct CellSet {
  let width: Int
  let height: Int
  package private(set) var elements: [Bool]

  package init(width: Int, height: Int, _ elements: [Bool]) {
    self.width = width
    self.height = height
    self.elements = elements
  }

  subscript(cell: Int) -> Bool {
    get { elements[cell] }
    set { elements[cell] = newValue }
  }

  /// The cells of the set, row by row.
  var members: [Int] {
    var members = [Int](repeating: 0, count: elements.count + 1)
    var count = 0
    let isMember = elements.span
    for cell in isMember.indices {
      members[count] = cell
      count &+= isMember[cell] ? 1 : 0
    }
    members.removeLast(members.count - count)
    return members
  }
  /// How many they are.
  var count: Int { elements.count { $0 } }

  /// Visits the four neighbors of a cell inside the grid, with their direction.
  @inline(__always)
  func forEachNeighbor(of cell: Int, _ visit: (_ near: Int, _ dx: Int, _ dy: Int) -> Void) {
    let (x, y) = (cell % width, cell / width)
    if x + 1 < width { visit(cell + 1, 1, 0) }
    if x > 0 { visit(cell - 1, -1, 0) }
    if y + 1 < height { visit(cell + width, 0, 1) }
    if y > 0 { visit(cell - width, 0, -1) }
  }

  /// Without the cells within `steps` of one outside the set; the grid's border counts as inside.
  package func eroded(_ steps: Int) -> CellSet {
    var result = self
    for _ in 0..<steps {
      let before = result.elements
      let inside = before.span
      for y in 0..<height {
        let row = y * width
        for cell in row..<row + width where inside[cell] {
          let isSurrounded =
            (cell == row || inside[cell - 1]) && (cell + 1 == row + width || inside[cell + 1])
            && (y == 0 || inside[cell - width]) && (y + 1 == height || inside[cell + width])
          if !isSurrounded { result.elements[cell] = false }
        }
      }
    }
    return result
  }

  /// With the cells within `steps` of one of the set.
  package func dilated(_ steps: Int) -> CellSet {
    CellSet(width: width, height: height, elements.map { !$0 }).eroded(steps).inverted
  }

  /// All other cells.
  var inverted: CellSet { CellSet(width: width, height: height, elements.map { !$0 }) }

  /// The cells in both sets.
  func intersection(_ other: CellSet) -> CellSet {
    CellSet(width: width, height: height, zip(elements, other.elements).map { $0 && $1 })
  }

  /// The cells that `links` join to this set over cells of `allowed`.
  func grown(within allowed: CellSet, links: SurfaceLinks) -> CellSet {
    var result = intersection(allowed)
    var open = result.members
    while let cell = open.popLast() {
      forEachNeighbor(of: cell) { near, _, _ in
        guard allowed[near], !result[near], links.joins(cell, near) else { return }
        result[near] = true
        open.append(near)
      }
    }
    return result
  }

  /// The parts that `links` join, each as its cells in rising order, by their first cells.
  func parts(links: SurfaceLinks) -> [[Int]] {
    var rest = self
    var parts: [[Int]] = []
    for first in elements.indices where rest[first] {
      rest[first] = false
      var part = [first]
      var next = 0
      while next < part.count {
        forEachNeighbor(of: part[next]) { near, _, _ in
          guard rest[near], links.joins(part[next], near) else { return }
          rest[near] = false
          part.append(near)
        }
        next += 1
      }
      parts.append(part.sorted())
    }
    return parts
  }
}
