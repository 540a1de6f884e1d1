import FileFormats

/// Rows that are chosen by scores: two whose scores are nearer than rounding may swap places.
enum RowOrder {
  /// Puts the rows of the outputs that may come in any order next to the expected ones that they are like.
  static func align(
    _ answers: inout NameTable<Value>, with expected: [(name: String, value: Value)],
    _ tolerances: CaseTolerances
  ) {
    var pairs: [(name: String, actual: Tensor, expected: Tensor)] = []
    for name in tolerances.unordered {
      guard case .tensor(let actual)? = answers[name],
        case .tensor(let wanted)? = expected.first(where: { $0.name.isSameName(as: name) })?.value,
        actual.shape == wanted.shape, actual.rank >= 2, actual.type.isFloat || actual.type.isInteger
      else { return }
      pairs.append((name, actual, wanted))
    }
    guard let first = pairs.first else { return }
    let (batch, rows) = (first.actual.shape[0], first.actual.shape[1])
    guard pairs.allSatisfy({ $0.actual.shape[0] == batch && $0.actual.shape[1] == rows }) else { return }
    let numbers = pairs.map { (a: $0.actual.doubles(), e: $0.expected.doubles()) }
    var order: [Int] = []
    for image in 0..<batch {
      // How far each row is from each expected one, in tolerances.
      var cost = [[Double]](repeating: [Double](repeating: 0, count: rows), count: rows)
      for (pair, values) in zip(pairs, numbers) {
        let width = pair.actual.count / max(batch * rows, 1)
        let tolerance = tolerances[pair.name]
        for row in 0..<rows {
          for other in 0..<rows {
            for column in 0..<width {
              let wanted = values.e[(image * rows + row) * width + column]
              let gap = abs(values.a[(image * rows + other) * width + column] - wanted)
              let absolute = tolerance.absolute[column % tolerance.absolute.count]
              cost[row][other] = max(cost[row][other], gap / (absolute + tolerance.relative * abs(wanted)))
            }
          }
        }
      }
      var (taken, found) = ([Bool](repeating: false, count: rows), [Int](repeating: 0, count: rows))
      for row in (0..<rows).sorted(by: { cost[$0].min()! < cost[$1].min()! }) {
        let best = (0..<rows).filter { !taken[$0] }.min { cost[row][$0] < cost[row][$1] }!
        taken[best] = true
        found[row] = best
      }
      order += found.map { image * rows + $0 }
    }
    for pair in pairs {
      let width = pair.actual.count / max(batch * rows, 1)
      let picked = pair.actual.picking(
        order.flatMap { $0 * width..<($0 + 1) * width }, shape: pair.actual.shape)
      answers[pair.name] = .tensor(picked)
    }
  }
}
