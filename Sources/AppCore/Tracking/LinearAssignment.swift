/// The least-cost pairing of rows with columns: the linear assignment problem, solved by shortest augmenting paths.
///
/// Source: R. Jonker and A. Volgenant, *A shortest augmenting path algorithm for dense and sparse linear assignment
/// problems*, Computing 38 (1987).
enum LinearAssignment {
  /// Pairs rows with columns such that the sum of the pairs' costs, and of `limit` for each row without a column, is
  /// least; a pair that does not cost less than `limit` is therefore never made.
  ///
  /// - `costs`: rows of equal length, finite.
  /// - Returns: the column of each row; nil for none.
  /// - Complexity: rows squared times rows and columns.
  static func columns(_ costs: [[Double]], limit: Double) -> [Int?] {
    guard let width = costs.first?.count else { return [] }
    // Each row has a column of its own besides, for staying alone.
    let count = width + costs.count
    func cost(_ row: Int, _ column: Int) -> Double {
      guard column < width else { return column == width + row ? limit : .infinity }
      return costs[row][column] < limit ? costs[row][column] : .infinity
    }
    var rowOfColumn = [Int?](repeating: nil, count: count)
    var columnOfRow = [Int](repeating: 0, count: costs.count)
    var rowPrices = [Double](repeating: 0, count: costs.count)
    var columnPrices = [Double](repeating: 0, count: count)
    for free in costs.indices {
      // Dijkstra's algorithm from the free row to the nearest free column, over reduced costs.
      var distance = [Double](repeating: .infinity, count: count)
      var previous = [Int?](repeating: nil, count: count)
      var isDone = [Bool](repeating: false, count: count)
      var row = free
      var reached: Int?
      var length = 0.0
      var end = -1
      while end < 0 {
        var next = -1
        for column in 0..<count where !isDone[column] {
          let through = length + cost(row, column) - rowPrices[row] - columnPrices[column]
          if through < distance[column] {
            distance[column] = through
            previous[column] = reached
          }
          if next < 0 || distance[column] < distance[next] { next = column }
        }
        isDone[next] = true
        length = distance[next]
        if let owner = rowOfColumn[next] {
          row = owner
          reached = next
        } else {
          end = next
        }
      }
      for column in 0..<count where isDone[column] && column != end {
        columnPrices[column] += distance[column] - length
        if let owner = rowOfColumn[column] { rowPrices[owner] += length - distance[column] }
      }
      rowPrices[free] += length
      // The path's pairs change places.
      var column = end
      while let before = previous[column], let owner = rowOfColumn[before] {
        rowOfColumn[column] = owner
        columnOfRow[owner] = column
        column = before
      }
      rowOfColumn[column] = free
      columnOfRow[free] = column
    }
    return columnOfRow.map { $0 < width ? $0 : nil }
  }
}
