import FileFormats
import Geometry
import Imaging

/// A sensor's grid without gaps: its readings, and where there is none what those around it make of the shape that
/// relative depth has there.
///
/// A cell without a reading is asked of the nearest readings in eight directions. Two that lie opposite predict the
/// mean between them, corrected where the guide leaves the line between them by more than its own unrest: exact on planes,
/// whatever scale the guide has. A single one predicts its own value, corrected by the guide's difference as long as that is small. Both
/// count the less the more the guide says that an edge lies between (as in joint bilateral upsampling: Kopf, Cohen,
/// Lischinski, Uyttendaele, SIGGRAPH 2007). All inverse depths are in 1/m.
struct GuidedCells {
  /// Distance in cells beyond which a reading alone predicts nothing.
  static let reach = 16
  /// Relative distance of the guide from the line between two readings at which their weight is 4/9.
  static let curvature: Float = 0.003
  /// Relative distance of the guide from that line that is passed on by half; smaller ones are taken for the network's
  /// own unrest, since planes have none.
  static let texture: Float = 0.003
  /// Relative step between two neighboring readings at which the weight of the pair is 4/9; over n cells sqrt(n) of it.
  static let step: Float = 0.015
  /// Relative difference of the guide at which the weight of a single reading is 4/9.
  static let agreement: Float = 0.01
  /// Relative difference of the guide that is passed on by half; smaller ones are in full, larger ones are edges.
  static let transfer: Float = 0.05
  /// The weight of a single reading next to a cell, against 1 for a pair there.
  static let singleWeight: Float = 0.03
  /// The weight of the guide scaled to all readings in reach.
  static let scaledWeight: Float = 3e-5
  /// Relative noise of a reading at which it counts half.
  static let notableNoise: Float = 0.01
  /// The least inverse depth of the guide: 100 m.
  static let farthest: Float = 0.01

  /// Columns.
  let width: Int
  /// Rows.
  let height: Int
  /// Aligned inverse depth under every cell; NaN where there is no relative depth.
  let guide: [Float]
  /// Inverse depth of every cell: read, guided, or the guide carried on from the nearest readings; NaN without guide.
  private(set) var inverse: [Float]
  /// How each is known: `measured`, `guided`, `fitted` where no reading is near.
  private(set) var states: [DepthState]

  private let noise: SensorNoise

  /// Cells of `sensor` that are guided, as `GuidedRamps` leaves them, count as readings and stay guided.
  ///
  /// - `guide`: The alignment's `guides` of that size, where they are known.
  /// - `fillsGaps`: false leaves cells without reading empty, for asking a few with `predicted`.
  init(
    _ alignment: DepthAlignment, _ relative: RelativeDepth, sensor: MetricDepth, noise: SensorNoise,
    guide known: [Float]? = nil, fillsGaps: Bool = true
  ) {
    width = sensor.width
    height = sensor.height
    self.noise = noise
    guide = known ?? alignment.guides(relative, width: width, height: height)
    precondition(guide.count == sensor.values.elements.count)
    let guide = self.guide
    inverse = guide.indices.map { cell in
      let isKnown = sensor.states.elements[cell] == .measured || sensor.states.elements[cell] == .guided
      return isKnown && !guide[cell].isNaN ? 1 / sensor.values.elements[cell] : .nan
    }
    states = zip(inverse, sensor.states.elements).map { $0.isNaN ? .invalid : $1 }
    for cell in FlyingReadings.cells(inverse, width: width, height: height) {
      inverse[cell] = .nan
      states[cell] = .invalid
    }
    if fillsGaps, states.contains(.invalid) { fill() }
  }

  private mutating func fill() {
    let nearest = nearestReadings()
    let gaps = inverse.indices.filter { inverse[$0].isNaN }
    let read = self
    let (found, states): ([Float], [DepthState]) = Parallel.rows(
      gaps.count, width: 1, threads: Parallel.teamThreads
    ) { range, inverse, states in
      for index in range {
        let cell = gaps[index]
        let found = read.predicted(cell, nearest)
        inverse[index - range.lowerBound] = found?.inverse ?? .nan
        states[index - range.lowerBound] = found.map { $0.isNear ? .guided : .fitted } ?? .invalid
      }
    }
    for (index, cell) in gaps.enumerated() where states[index] != .invalid {
      (inverse[cell], self.states[cell]) = (found[index], states[index])
    }
  }

  /// The nearest readings of every cell, before gaps are filled.
  func nearestReadings() -> NearestReadings {
    NearestReadings(states.map { $0 != .invalid }, width: width, height: height)
  }

  /// The inverse depth of a cell as the readings around it predict it, its own left out, and whether one of them is
  /// in reach; nil without guide.
  func predicted(_ cell: Int, _ nearest: NearestReadings) -> (inverse: Float, isNear: Bool)? {
    let own = guide[cell]
    guard !own.isNaN else { return nil }
    var sum: Float = 0
    var weights: Float = 0
    var scale = (readings: Float(0), guides: Float(0), weight: Float(0))
    var distance = Int.max
    for axis in NearestReadings.axes.indices {
      let length: Float = axis < 2 ? 1 : 2
      let ahead = nearest.reading(from: cell, axis: axis, back: false)
      let behind = nearest.reading(from: cell, axis: axis, back: true)
      for side in 0..<2 {
        guard let found = side == 0 ? ahead : behind else { continue }
        distance = min(distance, found.steps)
        let trust = trust(found.cell) / (Float(found.steps * found.steps) * length)
        scale.readings += trust * inverse[found.cell]
        scale.guides += trust * guide[found.cell]
        scale.weight += trust
        guard found.steps <= Self.reach else { continue }
        let apart = (own - guide[found.cell]) / own
        let weight = Self.singleWeight * trust * falloff(apart / Self.agreement)
        let passed = Self.transfer * (1 + Float(found.steps - 1) / 4)
        sum += weight * (inverse[found.cell] + own * fading(apart, passed))
        weights += weight
      }
      if let ahead, let behind, max(ahead.steps, behind.steps) <= Self.reach {
        let pair = between(ahead, behind, own: own, length: length)
        sum += pair.weight * pair.inverse
        weights += pair.weight
      }
    }
    guard scale.weight > 0 else { return (own, false) }
    let ratio = scale.readings / scale.guides
    guard distance <= Self.reach else {
      // The correction fades out beyond the reach.
      let share = Float(Self.reach) / Float(distance)
      return (own * (1 + (ratio - 1) * share * share), false)
    }
    let weight = Self.scaledWeight * min(1, scale.weight)
    sum += weight * own * ratio
    weights += weight
    return (max(sum / weights, Self.farthest), true)
  }

  /// Prediction of two opposite readings for the cell between them.
  private func between(
    _ a: (cell: Int, steps: Int), _ b: (cell: Int, steps: Int), own: Float, length: Float
  ) -> (inverse: Float, weight: Float) {
    let steps = Float(a.steps + b.steps)
    let (shareA, shareB) = (Float(b.steps) / steps, Float(a.steps) / steps)
    let off = (own - shareA * guide[a.cell] - shareB * guide[b.cell]) / own
    let leap = (inverse[a.cell] - inverse[b.cell]) / own
    let scatter = max(relativeNoise(a.cell), relativeNoise(b.cell))
    let usual = (Self.step * Self.step * steps + 8 * scatter * scatter).squareRoot()
    let weight =
      min(trust(a.cell), trust(b.cell)) * falloff(off / Self.curvature) * falloff(leap / usual) * 4
      / (steps * steps * length)
    let mean = shareA * inverse[a.cell] + shareB * inverse[b.cell]
    return (mean + own * notable(off, Self.texture), weight)
  }

  /// 1 for an exact reading, 1/2 at notable noise.
  private func trust(_ cell: Int) -> Float {
    let share = relativeNoise(cell) / Self.notableNoise
    return 1 / (1 + share * share)
  }

  private func relativeNoise(_ cell: Int) -> Float {
    Float(noise.share) + Float(noise.quadratic) / inverse[cell] + Float(noise.constant) * inverse[cell]
  }
}

/// 1 at 0, 4/9 at 1: bell-shaped with a heavy tail.
@inline(__always)
private func falloff(_ x: Float) -> Float {
  let root = 1 / (1 + x * x / 2)
  return root * root
}

/// Small differences as they are, large ones less and less.
@inline(__always)
private func fading(_ difference: Float, _ bound: Float) -> Float {
  let share = difference / bound
  return difference / (1 + share * share)
}

/// Large differences as they are, small ones less and less.
@inline(__always)
private func notable(_ difference: Float, _ bound: Float) -> Float {
  let square = difference * difference
  return difference * square / (square + bound * bound)
}

extension DepthAlignment {
  /// Inverse depth that a relative depth stands for, 1/m, carried on to 100 m where the alignment has no answer; NaN
  /// for what is not a number.
  func guide(_ relative: Float) -> Float {
    guard relative.isFinite else { return .nan }
    switch model {
    case .inverse(let scale, let shift):
      return max(Float(scale * Double(relative) + shift), GuidedCells.farthest)
    case .linear: return Float(1 / meters(of: Double(relative)).meters)
    }
  }

  /// `guide` at the centers of the cells of a coarser grid, row by row.
  func guides(_ relative: RelativeDepth, width: Int, height: Int) -> [Float] {
    let values = relative.values
    let columns = GridMapping(from: width, to: values.width).pairs
    let rows = GridMapping(from: height, to: values.height).pairs
    return Parallel.rows(height, width: width, threads: Parallel.teamThreads) { range, guides in
      let cells = values.elements.span
      for row in range {
        let start = (row - range.lowerBound) * width
        for column in columns.indices {
          guides[start + column] = guide(values.bilinear(in: cells, columns[column], rows[row]))
        }
      }
    }
  }
}
