extension FittedCylinder {
  /// A change of the cylinder's numbers that the fit sweeps.
  ///
  /// A view shows a cylinder's front, back and width, which depend on each other.
  private enum Change: Int, CaseIterable {
    case across, back, front, along, top

    func apply(_ cylinder: inout FittedCylinder, _ change: Double) {
      switch self {
      case .across: cylinder.across += change
      case .back: cylinder.radius += change / 2
      case .front:
        cylinder.near += change
        cylinder.radius -= change / 2
      case .along: cylinder.near += change
      case .top: cylinder.top += change
      }
    }
  }

  /// The likeliest cylinder near one; nil where none explains the object.
  static func settled(_ readings: SolidReadings, _ first: FittedCylinder) -> SettledSolid<FittedCylinder>? {
    let few = readings.likelihood.thinned(to: SolidFit.few)
    var likelihood = few
    var cylinder = first
    var errors = Change.allCases.map { _ in 0.0 }
    var reaches = Change.allCases.map {
      $0 == .top ? 3 * readings.cell : SolidFit.reach.cells * readings.length
    }
    for round in 0..<SolidFit.rounds {
      let isWide = round < SolidFit.wide
      likelihood = isWide ? few : readings.likelihood
      likelihood.measureNoise(cylinder, usual: readings.noise)
      let least = isWide ? 1.5 * readings.length : 0.3 * readings.cell
      for change in Change.allCases {
        let index = change.rawValue
        errors[index] = likelihood.sweep(&cylinder, by: reaches[index], change.apply)
        let wide = SolidFit.reach.errors * errors[index]
        reaches[index] = min(max(wide, change == .top ? 0.1 * readings.cell : least), reaches[index])
      }
      if round + 1 == SolidFit.hopeless.rounds,
        likelihood.explained(cylinder, object: readings.object) < SolidFit.hopeless.share
      {
        return nil
      }
    }
    likelihood.measureNoise(cylinder, usual: readings.noise)
    let explained = likelihood.explained(cylinder, object: readings.object)
    guard explained >= SolidFit.least, 2 * cylinder.radius > readings.cell else { return nil }
    func error(_ change: Change) -> Double { errors[change.rawValue] }
    let width = (error(.across) * error(.across) + error(.back) * error(.back) / 4).squareRoot()
    return SettledSolid(
      solid: cylinder, errors: [error(.back), error(.front), width, width, error(.top)], explained: explained,
      roughness: likelihood.roughness(cylinder, usual: readings.noise),
      cost: likelihood.cost(cylinder))
  }
}
