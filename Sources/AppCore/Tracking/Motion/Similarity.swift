/// A map of the plane that keeps shapes: it turns, scales and shifts them.
package struct Similarity: Sendable, Equatable {
  /// The scale times the cosine of the turn, and times its sine.
  package var turn: SIMD2<Double>
  /// The image of the origin.
  package var shift: SIMD2<Double>

  /// A map from its numbers.
  package init(turn: SIMD2<Double>, shift: SIMD2<Double>) { (self.turn, self.shift) = (turn, shift) }

  /// The map that changes nothing.
  package static let identity = Similarity(turn: SIMD2(1, 0), shift: .zero)

  /// The map that brings points closest to others, by the sum of squared distances; nil where all points are one.
  ///
  /// It is linear in its four numbers, so that the normal equations give it at once.
  ///
  /// Source: S. Umeyama, *Least-squares estimation of transformation parameters between two point patterns*, IEEE
  /// Transactions on Pattern Analysis and Machine Intelligence 13 (1991), without reflection.
  package init?(_ pairs: [PointPair]) {
    guard !pairs.isEmpty else { return nil }
    var (from, to) = (SIMD2<Double>.zero, SIMD2<Double>.zero)
    for pair in pairs {
      from += pair.from
      to += pair.to
    }
    from /= Double(pairs.count)
    to /= Double(pairs.count)
    var (square, same, crossed) = (0.0, 0.0, 0.0)
    for pair in pairs {
      let (a, b) = (pair.from - from, pair.to - to)
      square += (a * a).sum()
      same += (a * b).sum()
      crossed += a.x * b.y - a.y * b.x
    }
    guard square > 0 else { return nil }
    turn = SIMD2(same, crossed) / square
    shift = .zero
    shift = to - turned(from)
    guard turn.x.isFinite, turn.y.isFinite, shift.x.isFinite, shift.y.isFinite else { return nil }
  }

  /// A direction turned and scaled.
  func turned(_ direction: SIMD2<Double>) -> SIMD2<Double> {
    SIMD2(turn.x * direction.x - turn.y * direction.y, turn.y * direction.x + turn.x * direction.y)
  }

  /// The size of the upright box around a turned and scaled box of some size.
  func sizeOfTurnedBox(_ size: SIMD2<Double>) -> SIMD2<Double> {
    let (a, b) = (abs(turn.x), abs(turn.y))
    return SIMD2(a * size.x + b * size.y, b * size.x + a * size.y)
  }

  /// A point's image.
  package func image(of point: SIMD2<Double>) -> SIMD2<Double> { turned(point) + shift }
}

/// A point, and where it is in another picture.
package struct PointPair: Sendable {
  /// The point.
  package let from: SIMD2<Double>
  /// Its place in the other picture.
  package let to: SIMD2<Double>

  /// A pair.
  package init(from: SIMD2<Double>, to: SIMD2<Double>) { (self.from, self.to) = (from, to) }
}
