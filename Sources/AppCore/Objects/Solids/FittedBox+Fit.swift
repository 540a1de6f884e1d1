import Geometry

extension FittedBox {
  /// The turn is swept within this first, radians.
  private static let turning = 4 * Double.pi / 180
  /// So many parts may be missing of a box.
  private static let most = 2
  /// Where they end is swept by this share of the box at first.
  private static let cutting = 0.15

  /// The likeliest box near one of several, of which parts may be missing; nil where none explains the object.
  static func settled(_ readings: SolidReadings, near boxes: [FittedBox]) -> SettledSolid<FittedBox>? {
    func isRight(_ found: SettledSolid<FittedBox>?) -> Bool {
      found.map { $0.explained >= SolidFit.least && $0.solid.isLarger(than: readings.cell) } ?? false
    }
    for box in boxes {
      if let found = settled(readings, near: box), isRight(found) { return found }
    }
    let search = NotchSearch(readings)
    for first in boxes {
      var box = first
      while box.notches.count < most, let notched = search.notched(box) {
        let found = settled(readings, near: notched)
        if isRight(found) { return found }
        box = found?.solid ?? notched
      }
    }
    return nil
  }

  /// The likeliest box near one, with as many parts missing; nil where it cannot become one that explains the object.
  private static func settled(_ readings: SolidReadings, near first: FittedBox) -> SettledSolid<FittedBox>? {
    var likelihood = readings.likelihood
    var box = first
    var errors = [Double](repeating: 0, count: 5)
    var reaches = [Double](repeating: SolidFit.reach.cells * readings.length, count: 4)
    var rise = 3 * readings.cell
    var turning = Self.turning
    var cuts = first.notches.map { _ in [Double](repeating: cutting * first.longest, count: 5) }
    for round in 0..<SolidFit.rounds {
      likelihood.measureNoise(box, usual: readings.noise)
      let least = round < SolidFit.rounds - 4 ? 1.5 * readings.length : 0.3 * readings.cell
      // First what is cut out, since the sides were seen; then the sides, wide; the turn once they are right.
      for notch in box.notches.indices {
        for side in 0..<4 where box.notches[notch].reaches[side].isFinite {
          let error = likelihood.sweep(&box, by: cuts[notch][side]) { $0.notches[notch].reaches[side] += $1 }
          cuts[notch][side] = min(max(SolidFit.reach.errors * error, least), cuts[notch][side])
        }
        let error = likelihood.sweep(&box, by: min(cuts[notch][4], rise)) { $0.notches[notch].floor += $1 }
        cuts[notch][4] = min(max(SolidFit.reach.errors * error, 0.1 * readings.cell), cuts[notch][4])
      }
      for side in 0..<4 {
        errors[side] = likelihood.sweep(&box, by: reaches[side]) { $0.reaches[side] += $1 }
        reaches[side] = min(max(SolidFit.reach.errors * errors[side], least), reaches[side])
      }
      errors[4] = likelihood.sweep(&box, by: rise) { $0.top += $1 }
      rise = min(max(SolidFit.reach.errors * errors[4], 0.1 * readings.cell), rise)
      guard round > 0 else { continue }
      let turn = likelihood.sweep(&box, by: turning) { $0 = $0.turned(by: $1) }
      turning = min(max(SolidFit.reach.errors * turn, 0.1 * .pi / 180), turning)
      if round + 1 == SolidFit.hopeless.rounds,
        likelihood.explained(box, object: readings.object) < SolidFit.hopeless.share
      {
        return nil
      }
    }
    likelihood.measureNoise(box, usual: readings.noise)
    return SettledSolid(
      solid: box, errors: errors, explained: likelihood.explained(box, object: readings.object))
  }
}
