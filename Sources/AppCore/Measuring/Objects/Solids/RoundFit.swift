/// A number of a round solid that a fit sweeps.
struct RoundChange<Solid> {
  /// Whether it moves the top, of which readings tell more than of where a curved side ends.
  var isTop = false
  /// Changes a solid's number by so many meters.
  let apply: (inout Solid, Double) -> Void
}

extension FittedSolid {
  /// The likeliest round solid near one.
  ///
  /// - Parameters:
  ///   - readings: The object's cells and those around.
  ///   - first: Where the search begins.
  ///   - changes: The numbers that are swept in turn.
  ///   - diameter: The diameter of a solid, more than a cell of one that is found.
  ///   - combined: The standard errors of a `SettledSolid`, of those of the changes.
  /// - Returns: The solid; nil where none explains the object.
  static func settledRound(
    _ readings: SolidReadings, _ first: Self, by changes: [RoundChange<Self>], diameter: (Self) -> Double,
    errors combined: ([Double]) -> [Double]
  ) -> SettledSolid<Self>? {
    let few = readings.likelihood.thinned(to: SolidFit.few)
    var likelihood = few
    var solid = first
    var errors = changes.map { _ in 0.0 }
    var reaches = changes.map { $0.isTop ? 3 * readings.cell : SolidFit.reach.cells * readings.length }
    for round in 0..<SolidFit.rounds {
      let isWide = round < SolidFit.wide
      likelihood = isWide ? few : readings.likelihood
      likelihood.measureNoise(solid, usual: readings.noise)
      let least = isWide ? 1.5 * readings.length : 0.3 * readings.cell
      for (index, change) in changes.enumerated() {
        errors[index] = likelihood.sweep(&solid, by: reaches[index], change.apply)
        let wide = SolidFit.reach.errors * errors[index]
        reaches[index] = min(max(wide, change.isTop ? 0.1 * readings.cell : least), reaches[index])
      }
      if round + 1 == SolidFit.hopeless.rounds,
        likelihood.explained(solid, object: readings.object) < SolidFit.hopeless.share
      {
        return nil
      }
      if likelihood.isOutOfReach(solid, of: SolidFit.least, readings.object, after: round) { return nil }
    }
    likelihood.measureNoise(solid, usual: readings.noise)
    let explained = likelihood.explained(solid, object: readings.object)
    guard explained >= SolidFit.least, diameter(solid) > readings.cell else { return nil }
    return SettledSolid(
      solid: solid, errors: combined(errors), explained: explained,
      roughness: likelihood.roughness(solid, usual: readings.noise), cost: likelihood.cost(solid))
  }
}
