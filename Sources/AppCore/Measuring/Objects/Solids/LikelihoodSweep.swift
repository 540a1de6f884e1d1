#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Means of a solid's numbers over the likelihood, one number at a time.
extension SolidLikelihood {
  /// Places of a sweep to either side of its middle.
  private static let places = 16

  /// A change's mean over the likelihood along a sweep, and its standard deviation.
  struct Sweep {
    let mean: Double
    let error: Double

    init(_ values: [Double], costs: [Double]) {
      let least = costs.min() ?? 0
      let weights = costs.map { exp(least - $0) }
      let total = weights.reduce(0, +)
      let mean = zip(values, weights).reduce(0) { $0 + $1.0 * $1.1 } / total
      let square = zip(values, weights).reduce(0) { $0 + ($1.0 - mean) * ($1.0 - mean) * $1.1 } / total
      let step = values[1] - values[0]
      self.mean = mean
      error = (square + step * step / 12).squareRoot()
    }
  }

  /// Changes a solid by from minus to plus `reach`, and leaves it at the mean of that; returns the standard deviation.
  func sweep<Solid: FittedSolid>(
    _ solid: inout Solid, by reach: Double, _ change: (inout Solid, Double) -> Void
  ) -> Double {
    func changed(by value: Double) -> Solid {
      var changed = solid
      change(&changed, value)
      return changed
    }
    let values = (-Self.places...Self.places).map { reach * Double($0) / Double(Self.places) }
    let ends = [solid, changed(by: -reach), changed(by: reach)]
    let found = Sweep(values, costs: costs(values.map(changed(by:)), apart: ends))
    change(&solid, found.mean)
    return found.error
  }
}
