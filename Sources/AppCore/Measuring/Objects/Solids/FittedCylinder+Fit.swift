extension FittedCylinder {
  /// The likeliest cylinder near one; nil where none explains the object.
  ///
  /// A view shows a cylinder's front, back and width, which depend on each other.
  static func settled(_ readings: SolidReadings, _ first: FittedCylinder) -> SettledSolid<FittedCylinder>? {
    let changes: [RoundChange<FittedCylinder>] = [
      RoundChange { $0.across += $1 },
      RoundChange { $0.radius += $1 / 2 },
      RoundChange {
        $0.near += $1
        $0.radius -= $1 / 2
      },
      RoundChange { $0.near += $1 },
      RoundChange(isTop: true) { $0.top += $1 },
    ]
    return settledRound(readings, first, by: changes, diameter: { 2 * $0.radius }) { errors in
      let (across, back, front, top) = (errors[0], errors[1], errors[2], errors[4])
      let width = (across * across + back * back / 4).squareRoot()
      return [back, front, width, width, top]
    }
  }
}
