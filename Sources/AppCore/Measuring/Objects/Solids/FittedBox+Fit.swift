import Geometry

extension FittedBox {
  /// The turn is swept within this first, radians.
  private static let turning = 4 * Double.pi / 180
  /// Most parts that may be missing of a box.
  private static let most = 2
  /// Least gain of log-likelihood for each of them, in natural units.
  private static let part = 15.0
  /// Where they end is swept by this share of the box at first.
  private static let cutting = 0.15

  /// The likeliest box near one of several, of which parts may be missing; nil where none explains the object.
  ///
  /// The first that explains all but strays is taken, else the likeliest of all: a box over a part of the object explains
  /// much of it too.
  static func settled(
    _ readings: SolidReadings, near boxes: some Sequence<FittedBox>
  ) -> SettledSolid<FittedBox>? {
    var best: SettledSolid<FittedBox>?
    /// The likeliest whole box that explains enough but for edges that the sensor displaces.
    var displaced: SettledSolid<FittedBox>?
    /// Whether a box is good enough to look no further.
    func isTaken(_ found: SettledSolid<FittedBox>?) -> Bool {
      guard let found, found.solid.isLarger(than: readings.cell) else { return false }
      guard found.explained >= SolidFit.least else {
        let isNear = found.solid.notches.isEmpty && found.explained >= readings.least
        if isNear, found.cost < displaced?.cost ?? .infinity { displaced = found }
        return false
      }
      if found.cost(part) < best?.cost(part) ?? .infinity { best = found }
      return found.explained >= SolidFit.most
    }
    lazy var search = NotchSearch(readings)
    /// Takes parts out of a box; whether it then explains enough.
    func isTakenCut(_ first: FittedBox) -> Bool {
      var box = first
      while box.notches.count < most, let notched = search.notched(box) {
        let found = settled(readings, near: notched)
        // What is less deep may be the sensor's own: a box without it that explains enough is preferred.
        let isDeep = found?.solid.isCut(deeperThan: readings.leastStep) ?? true
        guard isDeep || best == nil else { break }
        if isTaken(found) { return true }
        box = found?.solid ?? notched
      }
      return false
    }
    var tried: [FittedBox] = []
    // Errors that neighbors share look like parts that are missing of a box at a wrong turn: a whole one at another turn is
    // preferred.
    let prefersWhole = readings.leastStep > 0
    for first in boxes {
      if tried.first?.turn != first.turn, isTaken(settled(readings, near: first)) { return best }
      tried.append(first)
      if !prefersWhole, isTakenCut(first) { return best }
    }
    if prefersWhole, best == nil { _ = tried.first(where: isTakenCut) }
    return best ?? displaced
  }

  /// The likeliest box near one, with as many parts missing; nil where it cannot become one that explains the object.
  private static func settled(_ readings: SolidReadings, near first: FittedBox) -> SettledSolid<FittedBox>? {
    let few = readings.likelihood.thinned(to: SolidFit.few)
    var likelihood = few
    var box = first
    var errors = [Double](repeating: 0, count: 5)
    var reaches = [Double](repeating: SolidFit.reach.cells * readings.length, count: 4)
    var rise = 3 * readings.cell
    var turning = Self.turning
    var cuts = first.notches.map { _ in [Double](repeating: cutting * first.longest, count: 5) }
    for round in 0..<SolidFit.rounds {
      let isWide = round < SolidFit.wide
      likelihood = isWide ? few : readings.likelihood
      likelihood.measureNoise(box, usual: readings.noise)
      let least = isWide ? 1.5 * readings.length : 0.3 * readings.cell
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
      // It is kept: with a part missing it may explain more.
      if likelihood.isOutOfReach(box, of: readings.least, readings.object, after: round) { break }
    }
    likelihood = readings.likelihood
    likelihood.measureNoise(box, usual: readings.noise)
    return SettledSolid(
      solid: box, errors: errors, explained: likelihood.explained(box, object: readings.object),
      roughness: likelihood.roughness(box, usual: readings.noise),
      cost: likelihood.cost(box))
  }
}

extension SettledSolid<FittedBox> {
  /// Minus the logarithm of the likelihood, with a penalty for each missing part.
  fileprivate func cost(_ part: Double) -> Double { cost + part * Double(solid.notches.count) }
}
