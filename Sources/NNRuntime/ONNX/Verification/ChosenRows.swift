/// Results of nodes that choose by scores: two whose scores are nearer than rounding swap places, and either order is right.
enum ChosenRows {
  /// A node's results in the order that was recorded, where both hold the same rows; nil elsewhere, and of nodes that
  /// choose nothing.
  ///
  /// - `recorded`: by the number of the output; nil of one that was not recorded.
  static func ordered(
    _ step: Step, _ made: [Value?], as recorded: (Int) throws -> Tensor?
  ) throws -> [Value?]? {
    switch step.type {
    case "TopK":
      guard made.count == 2, case .tensor(let values)? = made[0], case .tensor(let indices)? = made[1],
        let expected = try recorded(1), indices.shape == expected.shape, values.shape == expected.shape,
        let places = places(of: expected, in: indices, axis: step.int("axis") ?? -1)
      else { return nil }
      return [.tensor(values.picking(places, shape: values.shape)), .tensor(expected)]
    case "NonMaxSuppression":
      guard made.count == 1, case .tensor(let rows)? = made[0], let expected = try recorded(0),
        rows.type == expected.type, rows.shape == expected.shape, rows.rank == 2,
        sorted(rows) == sorted(expected)
      else { return nil }
      return [.tensor(expected)]
    default: return nil
    }
  }

  /// For each index that was recorded, the place of the same index in its own line of the axis; nil where one is missing.
  private static func places(of expected: Tensor, in indices: Tensor, axis: Int) -> [Int]? {
    let axis = axis < 0 ? axis + expected.rank : axis
    guard expected.shape.indices.contains(axis) else { return nil }
    let (length, inner) = (expected.shape[axis], expected.shape[(axis + 1)...].reduce(1, *))
    let (wanted, found) = (expected.doubles(), indices.doubles())
    var places = [Int](repeating: 0, count: wanted.count)
    for line in 0..<(length == 0 ? 0 : wanted.count / length) {
      let start = line / inner * length * inner + line % inner
      var own: [Double: Int] = [:]
      for step in 0..<length { own[found[start + step * inner]] = start + step * inner }
      for step in 0..<length {
        guard let place = own.removeValue(forKey: wanted[start + step * inner]) else { return nil }
        places[start + step * inner] = place
      }
    }
    return places
  }

  /// The rows of a matrix in the order of their numbers.
  private static func sorted(_ matrix: Tensor) -> [[Double]] {
    let (values, width) = (matrix.doubles(), matrix.shape[1])
    return (0..<matrix.shape[0]).map { Array(values[$0 * width..<($0 + 1) * width]) }
      .sorted { $0.lexicographicallyPrecedes($1) }
  }
}
