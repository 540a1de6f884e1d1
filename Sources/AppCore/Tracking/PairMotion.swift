/// Two numbers that move together: a Kalman filter of constant velocity over a position or a size.
///
/// Each is measured by itself, so that a measurement is taken in one number after the other: the same as both at once.
/// Without a turned camera neither says anything about the other.
///
/// Source: R. Kalman, *A new approach to linear filtering and prediction problems*, Journal of Basic Engineering 82 (1960).
struct PairMotion: Sendable {
  /// The numbers.
  private(set) var value: SIMD2<Double>
  /// Their change a picture.
  private(set) var velocity = SIMD2<Double>.zero
  /// Covariance of the values, of values (rows) with velocities (columns), of the velocities.
  private var (values, both, velocities): (Square, Square, Square)

  /// A matrix of two rows.
  private struct Square: Sendable {
    var rows: (SIMD2<Double>, SIMD2<Double>)

    init(_ first: SIMD2<Double>, _ second: SIMD2<Double>) { rows = (first, second) }

    /// A diagonal matrix.
    init(diagonal: SIMD2<Double>) { self.init(SIMD2(diagonal.x, 0), SIMD2(0, diagonal.y)) }

    static let zero = Square(.zero, .zero)

    subscript(row: Int) -> SIMD2<Double> { row == 0 ? rows.0 : rows.1 }

    /// The column of an index.
    func column(_ index: Int) -> SIMD2<Double> { SIMD2(rows.0[index], rows.1[index]) }

    var transposed: Square { Square(column(0), column(1)) }

    /// Takes away the product of a column and a row, times a number.
    mutating func subtract(_ column: SIMD2<Double>, _ row: SIMD2<Double>, _ factor: Double) {
      rows.0 -= column.x * row * factor
      rows.1 -= column.y * row * factor
    }

    static func + (first: Square, second: Square) -> Square {
      Square(first.rows.0 + second.rows.0, first.rows.1 + second.rows.1)
    }

    /// The covariance of what a linear map changes: the map's matrix, times this, times the map's transposed.
    func mapped(by map: (SIMD2<Double>) -> SIMD2<Double>) -> Square {
      // Images of columns are rows here: the product is transposed, once and once more.
      let once = Square(map(column(0)), map(column(1)))
      return Square(map(once.column(0)), map(once.column(1)))
    }
  }

  /// Numbers at rest, with the standard deviations of them and of their velocities.
  init(_ value: SIMD2<Double>, deviation: SIMD2<Double>, velocityDeviation: SIMD2<Double>) {
    self.value = value
    values = Square(diagonal: deviation * deviation)
    both = .zero
    velocities = Square(diagonal: velocityDeviation * velocityDeviation)
  }

  /// Stops one of the numbers.
  mutating func stop(_ index: Int) { velocity[index] = 0 }

  /// Moves on by a picture.
  mutating func predict(noise: SIMD2<Double>, velocityNoise: SIMD2<Double>) {
    value += velocity
    values = values + (both + both.transposed + velocities + Square(diagonal: noise * noise))
    both = both + velocities
    velocities = velocities + Square(diagonal: velocityNoise * velocityNoise)
  }

  /// Takes in a measurement with the standard deviations of its numbers.
  mutating func update(_ measured: SIMD2<Double>, noise: SIMD2<Double>) {
    for index in 0..<2 {
      let innovation = measured[index] - value[index]
      let total = values[index][index] + noise[index] * noise[index]
      let gain = values.column(index) / total
      let velocityGain = both[index] / total
      value += gain * innovation
      velocity += velocityGain * innovation
      velocities.subtract(velocityGain, velocityGain, total)
      both.subtract(gain, velocityGain, total)
      values.subtract(gain, gain, total)
    }
  }

  /// Follows a camera's motion: a linear map, then a shift of the values alone.
  mutating func follow(_ map: (SIMD2<Double>) -> SIMD2<Double>, shift: SIMD2<Double>) {
    value = map(value) + shift
    velocity = map(velocity)
    values = values.mapped(by: map)
    both = both.mapped(by: map)
    velocities = velocities.mapped(by: map)
  }
}
