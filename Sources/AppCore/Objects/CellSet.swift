/// A set of cells of a grid.
struct CellSet {
  let width: Int
  let height: Int
  private(set) var elements: [Bool]

  init(width: Int, height: Int, _ elements: [Bool]) {
    self.width = width
    self.height = height
    self.elements = elements
  }

  subscript(cell: Int) -> Bool {
    get { elements[cell] }
    set { elements[cell] = newValue }
  }

  /// The cells of the set, row by row.
  var members: [Int] { elements.indices.filter { elements[$0] } }
  /// How many they are.
  var count: Int { elements.count { $0 } }

  /// The four neighbours of a cell inside the grid, with their direction.
  func neighbours(_ cell: Int) -> [(cell: Int, dx: Int, dy: Int)] {
    let (x, y) = (cell % width, cell / width)
    var found: [(cell: Int, dx: Int, dy: Int)] = []
    if x + 1 < width { found.append((cell + 1, 1, 0)) }
    if x > 0 { found.append((cell - 1, -1, 0)) }
    if y + 1 < height { found.append((cell + width, 0, 1)) }
    if y > 0 { found.append((cell - width, 0, -1)) }
    return found
  }

  /// Without the cells within `steps` of one outside the set; the grid's border counts as inside.
  func eroded(_ steps: Int) -> CellSet {
    var result = self
    for _ in 0..<steps {
      let before = result
      for cell in before.members where before.neighbours(cell).contains(where: { !before[$0.cell] }) {
        result[cell] = false
      }
    }
    return result
  }

  /// With the cells within `steps` of one of the set.
  func dilated(_ steps: Int) -> CellSet {
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
      for near in neighbours(cell)
      where allowed[near.cell] && !result[near.cell] && links.joins(cell, near.cell) {
        result[near.cell] = true
        open.append(near.cell)
      }
    }
    return result
  }
}
