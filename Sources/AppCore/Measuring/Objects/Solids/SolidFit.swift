import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The solid of greatest likelihood near one found from an object's ends: where an object is a box, a box of which parts are
/// missing, or an upright cylinder, all of its cells and all around it say together where it ends, to far less than a
/// cell.
///
/// Each of a solid's numbers is swept in turn, and becomes its mean over the likelihood along the sweep, whose spread is its
/// standard error.
package struct SolidFit {
  /// An object is a solid where the solid explains this share of the cells on it and of the object's.
  static let least = 0.95
  /// The right solid explains all but strays, this share at least.
  static let most = 0.985
  /// Most that readings of a face may scatter, in multiples of what noise alone explains.
  static let roughest = 2.0
  /// A solid that explains less than this after this many rounds is given up.
  static let hopeless = (rounds: 3, share: 0.6)
  /// After the wide rounds, sweeps raise the share that a solid explains by less than this.
  static let outOfReach = 0.06
  /// Reach of the first sweeps in cells to either side, and of the last in standard errors.
  static let reach = (cells: 5.0, errors: 5.0)
  /// Rounds of sweeps; the first are wide, and this number of readings is enough for them.
  static let rounds = 8
  static let wide = 4
  static let few = 1500
  /// Ratio of true standard errors to the likelihood's, since neighboring cells do not err independently.
  private static let dispersion = 2.0

  let isRound: Bool
  /// From world x towards world z.
  let turn: Double
  /// As `FittedBox.reaches`.
  let reaches: [Double]
  /// Their standard errors, meters.
  let errors: [Double]
  /// The height of its top.
  let top: Double
  let topError: Double

  /// Whether it leaves more than strays unexplained.
  let isIncomplete: Bool
  /// How many times as much as the sensor's errors make them the readings of a face scatter about it, at most.
  let roughness: Double
  /// Whether parts of its box are missing.
  let isNotched: Bool
  /// Whether one of these is no deeper than the sensor's neighborhoods differ by.
  let isShallow: Bool
  /// Whether the camera sees where each side ends: as `FittedBox.showsEnds`.
  let showsEnds: [Bool]

  /// Nil where no solid explains the object.
  ///
  /// The first that explains all but strays is taken, else the likeliest of all.
  ///
  /// - Parameters:
  ///   - readings: The object's cells and those around.
  ///   - boxes: The boxes that the object's ends make at likely turns, the likeliest first.
  ///   - cylinder: The cylinder that they make.
  ///   - isRound: Whether no turn of a box is clearly better than others.
  init?(
    _ readings: SolidReadings, boxes: some Sequence<FittedBox>, cylinder: FittedCylinder, isRound: Bool
  ) {
    func isTaken(_ explained: Double?) -> Bool { explained.map { $0 >= Self.most } ?? false }
    let lying = FittedBall(cylinder, bottom: readings.bottom)
    var round = isRound ? FittedCylinder.settled(readings, cylinder) : nil
    var ball = isRound && !isTaken(round?.explained) ? FittedBall.settled(readings, lying) : nil
    let isFound = isTaken(round?.explained) || isTaken(ball?.explained)
    let box = isFound ? nil : FittedBox.settled(readings, near: boxes)
    if !isRound, !isTaken(box?.explained) {
      round = FittedCylinder.settled(readings, cylinder)
      ball = isTaken(round?.explained) ? nil : FittedBall.settled(readings, lying)
    }
    if let ball, ball.cost < min(round?.cost ?? .infinity, box?.cost ?? .infinity) {
      self.init(
        ball, of: readings, reaches: ball.solid.reaches, turn: ball.solid.turn, top: ball.solid.top,
        isRound: true, isNotched: false, isShallow: false, showsEnds: [false, false, false, false])
    } else if let round, round.cost < box?.cost ?? .infinity {
      self.init(
        round, of: readings, reaches: round.solid.reaches, turn: round.solid.turn, top: round.solid.top,
        isRound: true, isNotched: false, isShallow: false,
        showsEnds: [false, false, false, false])
    } else if let box {
      self.init(
        box, of: readings, reaches: (0..<4).map { box.solid.reaches[$0] }, turn: box.solid.turn,
        top: box.solid.top,
        isRound: false, isNotched: !box.solid.notches.isEmpty,
        isShallow: !box.solid.isCut(deeperThan: readings.leastStep),
        showsEnds: box.solid.showsEnds(to: readings.camera, above: readings.bottom))
    } else {
      return nil
    }
  }

  /// Whether a face's readings scatter about it more than the sensor's errors do, or what is missing of it may be one of them.
  var isIrregular: Bool { isShallow || roughness > Self.roughest }

  package init(
    isRound: Bool, turn: Double, reaches: [Double], errors: [Double], top: Double, topError: Double,
    isIncomplete: Bool = false, roughness: Double = 1, isNotched: Bool = false,
    isShallow: Bool = false, showsEnds: [Bool] = [false, false, false, false]
  ) {
    (self.isRound, self.isIncomplete, self.turn) = (isRound, isIncomplete, turn)
    (self.isNotched, self.isShallow, self.showsEnds) = (isNotched, isShallow, showsEnds)
    (self.reaches, self.errors, self.top, self.topError) = (reaches, errors, top, topError)
    self.roughness = roughness
  }

  private init<Solid>(
    _ settled: SettledSolid<Solid>, of readings: SolidReadings, reaches: [Double], turn: Double, top: Double,
    isRound: Bool, isNotched: Bool, isShallow: Bool, showsEnds: [Bool]
  ) {
    (self.isRound, self.isNotched) = (isRound, isNotched)
    (self.isShallow, self.showsEnds) = (isShallow, showsEnds)
    self.turn = turn
    self.reaches = reaches
    self.top = top
    isIncomplete = settled.explained < readings.most
    roughness = settled.roughness
    errors = settled.errors[..<4].map { Self.dispersion * $0 }
    topError = Self.dispersion * settled.errors[4]
  }
}

extension SolidLikelihood {
  /// Whether further sweeps cannot make a solid explain a share of the readings: it is far from that after the wide rounds.
  func isOutOfReach(
    _ solid: some FittedSolid, of share: Double, _ object: CellSet, after round: Int
  ) -> Bool {
    round + 1 >= SolidFit.wide && explained(solid, object: object) < share - SolidFit.outOfReach
  }
}

/// A solid of greatest likelihood.
struct SettledSolid<Solid: FittedSolid> {
  let solid: Solid
  /// Standard errors of how far it reaches, in the order of `FittedBox.reaches`, then of its top, meters.
  let errors: [Double]
  /// The share of the readings that it explains.
  let explained: Double
  /// The most that readings scatter about a face, in multiples of what noise alone explains.
  let roughness: Double
  /// Minus the logarithm of the readings' density.
  let cost: Double
}
