/// Which neighboring cells lie on one surface.
///
/// Inverse depth is linear across a plane, whatever its slant. Two cells belong together where the step between them
/// is what the surface's own slope on one side predicts, or lies between the slopes of both sides, as it does where
/// two planes meet; so a floor at a grazing view holds together, while a step that neither side predicts is an edge.
struct SurfaceLinks {
  /// Depth may change by this many cell widths a cell, 85 degrees of slant.
  private static let steepest = 12.0
  /// Greatest step in cell widths that needs no slope to predict it.
  private static let gentle = 1.5
  /// On a surface that curves away a step may be this many times the one before.
  private static let bending = 2.5
  /// Standard deviations that count as noise.
  private static let deviations = 3.0
  /// Relative rounding of readings.
  private static let rounding = 1e-3

  private let width: Int
  private var right: [Bool]
  private var down: [Bool]

  init(_ grid: SurfaceGrid) {
    width = grid.width
    right = [Bool](repeating: false, count: grid.width * grid.height)
    down = right
    for y in 0..<grid.height {
      let cells = (0..<grid.width).map { y * grid.width + $0 }
      for (cell, joined) in zip(cells, Self.joined(cells.map { grid.inverse[$0] }, grid)) {
        right[cell] = joined
      }
    }
    for x in 0..<grid.width {
      let cells = (0..<grid.height).map { $0 * grid.width + x }
      for (cell, joined) in zip(cells, Self.joined(cells.map { grid.inverse[$0] }, grid)) {
        down[cell] = joined
      }
    }
  }

  /// Whether two cells, neighbors in a row or column, lie on one surface.
  func joins(_ a: Int, _ b: Int) -> Bool {
    let first = min(a, b)
    return max(a, b) - first == 1 && width > 1 ? right[first] : down[first]
  }

  /// Whether each value of a line is joined to the next.
  private static func joined(_ line: [Double], _ grid: SurfaceGrid) -> [Bool] {
    guard line.count > 1 else { return [] }
    let steps = zip(line, line.dropFirst()).map { $1 - $0 }
    // Harmonic middle of both depths, as inverse depth.
    let middles = zip(line, line.dropFirst()).map { 2 / (1 / $0 + 1 / $1) }
    func isBelievable(_ index: Int) -> Bool {
      steps.indices.contains(index) && abs(steps[index]) < steepest * grid.pitch * middles[index]
    }
    /// The slope of steps `index` - 1 and `index`, if they agree.
    func slope(_ index: Int) -> Double? {
      guard index >= 1, isBelievable(index), isBelievable(index - 1) else { return nil }
      // A difference of neighboring steps has sqrt(6) times the noise of a reading.
      let noise = 4 * 2.45 * grid.noise * middles[index] + rounding * middles[index]
      return abs(steps[index] - steps[index - 1]) < noise ? (steps[index] + steps[index - 1]) / 2 : nil
    }
    return steps.indices.map { index in
      let (step, middle) = (steps[index], middles[index])
      guard step.isFinite else { return false }
      let noise = grid.noise * middle
      if abs(step) < gentle * grid.pitch * middle + deviations * 1.41 * noise { return true }
      let slopes = [slope(index - 1), slope(index + 2)].compactMap { $0 }
      let slack = deviations * 1.6 * noise + rounding * middle
      if let least = slopes.min(), let greatest = slopes.max(), step >= least - slack,
        step <= greatest + slack
      {
        return true
      }
      guard isBelievable(index) else { return false }
      for near in [index - 1, index + 1] where isBelievable(near) && steps[near] * step > 0 {
        let before = abs(steps[near])
        let isSlope = before > deviations * 1.41 * noise
        if isSlope, abs(step) < bending * before + grid.pitch * middle / 2 { return true }
      }
      return false
    }
  }
}
