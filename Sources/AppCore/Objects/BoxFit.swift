import Geometry
import Glibc

/// The box of greatest likelihood near one found from the object's ends: where an object is a box, all of its cells and all
/// around it say together where it ends, to far less than a cell.
///
/// Each of six numbers is swept in turn, and becomes its mean over the likelihood along the sweep, whose spread is its
/// standard error.
struct BoxFit {
  /// The first sweeps reach so many cells to either side, the last so many standard errors.
  private static let reach = (cells: 5.0, errors: 5.0)
  /// Places of a sweep to either side of its middle.
  private static let places = 16
  private static let rounds = 8
  /// The turn is swept within this first, radians.
  private static let turning = 4 * Double.pi / 180
  /// An object is a box where the box explains this share of the cells on it and of the object's.
  private static let least = 0.95
  /// It cannot become one where, after so many rounds, a box explains less than this.
  private static let hopeless = (rounds: 3, share: 0.6)

  /// Neighboring cells do not err independently: so many times the likelihood's standard errors are the true ones.
  private static let dispersion = 2.0

  let box: FittedBox
  /// Standard errors of the sides, then of the top, meters.
  let errors: [Double]

  /// Nil where no box explains the object.
  init?(_ grid: SurfaceGrid, _ object: ObjectCells, support: SupportPlane, near first: FittedBox) {
    let cell = quantile(object.cells.members.map { grid.pitch * grid.meters($0) }, 0.5)
    let around = object.cells.dilated(8)
    var likelihood = BoxLikelihood(
      grid, support: support, cells: around.members.filter { !grid.inverse[$0].isNaN })
    var box = first
    var errors = [Double](repeating: 0, count: 5)
    // A cell's length along the top, away from the camera.
    let rays = object.cells.members.map { grid.rays[$0] }
    let fall = quantile(rays.map { abs($0.y) / $0.length }, 0.5)
    let length = min(cell / max(fall, 0.1), 6 * cell)
    var reaches = [Double](repeating: Self.reach.cells * length, count: 4)
    var rise = 3 * cell
    var turning = Self.turning
    for round in 0..<Self.rounds {
      likelihood.measureNoise(box, usual: grid.noise)
      // First the sides, wide; the turn once they are right.
      for side in 0..<4 {
        let sweep = Self.swept(likelihood, box, \.reaches[side], by: reaches[side])
        box.reaches[side] = sweep.mean
        errors[side] = sweep.error
        let least = round < Self.rounds - 4 ? 1.5 * length : 0.3 * cell
        reaches[side] = min(max(Self.reach.errors * sweep.error, least), reaches[side])
      }
      let top = Self.swept(likelihood, box, \.top, by: rise)
      box.top = top.mean
      errors[4] = top.error
      rise = min(max(Self.reach.errors * top.error, 0.1 * cell), rise)
      guard round > 0 else { continue }
      let turn = Self.turned(likelihood, box, by: turning)
      box = turn.box
      turning = min(max(Self.reach.errors * turn.error, 0.1 * .pi / 180), turning)
      if round + 1 == Self.hopeless.rounds,
        likelihood.explained(box, object: object.cells) < Self.hopeless.share
      {
        return nil
      }
    }
    likelihood.measureNoise(box, usual: grid.noise)
    guard likelihood.explained(box, object: object.cells) >= Self.least,
      box.reaches[0] + box.reaches[1] > cell, box.reaches[2] + box.reaches[3] > cell
    else { return nil }
    self.box = box
    self.errors = errors.map { Self.dispersion * $0 }
  }

  /// The mean of one of the box's numbers over the likelihood around its value, and its standard deviation.
  private static func swept(
    _ likelihood: BoxLikelihood, _ box: FittedBox, _ number: WritableKeyPath<FittedBox, Double>,
    by reach: Double
  ) -> (mean: Double, error: Double) {
    let middle = box[keyPath: number]
    let values = (-places...places).map { middle + reach * Double($0) / Double(places) }
    var (least, greatest) = (box, box)
    least[keyPath: number] = values[0]
    greatest[keyPath: number] = values[values.count - 1]
    let cells = likelihood.affected(least, greatest)
    let costs = values.map { value in
      var tried = box
      tried[keyPath: number] = value
      let prepared = likelihood.prepared(tried)
      return cells.reduce(0) { $0 + likelihood.cost($1, likelihood.meets($1, prepared)) }
    }
    return weighed(values, costs)
  }

  /// The same of the turn, about the box's middle.
  private static func turned(_ likelihood: BoxLikelihood, _ box: FittedBox, by reach: Double)
    -> (box: FittedBox, error: Double)
  {
    let values = (-places...places).map { reach * Double($0) / Double(places) }
    let found = weighed(values, values.map { likelihood.cost(box.turned(by: $0)) })
    return (box.turned(by: found.mean), found.error)
  }

  private static func weighed(_ values: [Double], _ costs: [Double]) -> (mean: Double, error: Double) {
    let least = costs.min() ?? 0
    let weights = costs.map { exp(least - $0) }
    let total = weights.reduce(0, +)
    let mean = zip(values, weights).reduce(0) { $0 + $1.0 * $1.1 } / total
    let square = zip(values, weights).reduce(0) { $0 + ($1.0 - mean) * ($1.0 - mean) * $1.1 } / total
    let step = values[1] - values[0]
    return (mean, (square + step * step / 12).squareRoot())
  }
}

extension FittedBox {
  /// The box turned about its middle.
  fileprivate func turned(by angle: Double) -> FittedBox {
    let half = [(reaches[0] + reaches[1]) / 2, (reaches[2] + reaches[3]) / 2]
    let (along, across) = ((reaches[0] - reaches[1]) / 2, (reaches[2] - reaches[3]) / 2)
    let (c, s) = (cos(angle), sin(angle))
    // The middle along the axes after the turn.
    let (first, second) = (c * along + s * across, c * across - s * along)
    return FittedBox(
      turn: turn + angle, reaches: [half[0] + first, half[0] - first, half[1] + second, half[1] - second],
      top: top)
  }
}
