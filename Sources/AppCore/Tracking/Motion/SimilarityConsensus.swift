import FileFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The similarity on which most pairs of points agree, whatever the others do.
///
/// Maps of two pairs each, drawn by chance, are tried until a better one is unlikely; the map is then that of all pairs that
/// agree with the best. Draws, limits and precision are those of OpenCV's `estimateAffinePartial2D`, so that of the same
/// pairs the same ones agree.
///
/// Source: M. Fischler and R. Bolles, *Random sample consensus*, Communications of the ACM 24 (1981).
package enum SimilarityConsensus {
  /// The distance, in pixels, up to which a pair agrees with a map.
  private static let nearness: Float = 3
  /// The probability with which the best map is found, and the count of draws at most.
  private static let (confidence, most) = (0.99, 2000)

  /// The map of most pairs; nil of fewer than two different points.
  package static func similarity(of pairs: [PointPair]) -> Similarity? {
    guard pairs.count > 1 else { return nil }
    var draws = MultiplyWithCarry()
    var best: [PointPair] = []
    var (tried, limit) = (0, most)
    while tried < limit {
      tried += 1
      let first = draws.index(below: pairs.count)
      var second = draws.index(below: pairs.count)
      while second == first { second = draws.index(below: pairs.count) }
      guard let map = Similarity([pairs[first], pairs[second]]) else { continue }
      let near = pairs.filter { isNear($0, map) }
      guard near.count > max(best.count, 1) else { continue }
      best = near
      limit = needed(Double(near.count) / Double(pairs.count), limit)
    }
    return Similarity(best)
  }

  private static func isNear(_ pair: PointPair, _ map: Similarity) -> Bool {
    let (from, to) = (SIMD2<Float>(pair.from), SIMD2<Float>(pair.to))
    let (turn, shift) = (SIMD2<Float>(map.turn), SIMD2<Float>(map.shift))
    let across = turn.x * from.x - turn.y * from.y + shift.x - to.x
    let down = turn.y * from.x + turn.x * from.y + shift.y - to.y
    return across * across + down * down <= nearness * nearness
  }

  /// The count of draws after which one of two agreeing pairs was among them, with the confidence; at most the limit so far.
  private static func needed(_ share: Double, _ limit: Int) -> Int {
    let missed = 1 - share * share
    guard missed >= .leastNormalMagnitude else { return 0 }
    let (wanted, each) = (log(1 - confidence), log(missed))
    guard each < 0, -wanted < Double(limit) * -each else { return limit }
    return Int(clamping: (wanted / each).rounded(.toNearestOrEven))
  }
}

/// Marsaglia's multiply-with-carry generator, with OpenCV's factor, from its first state on.
private struct MultiplyWithCarry {
  private var state = UInt64.max

  /// A number below a bound.
  mutating func index(below bound: Int) -> Int {
    state = (state & 0xffff_ffff) &* 4_164_903_690 &+ state >> 32
    return Int(truncatingIfNeeded: (state & 0xffff_ffff) % UInt64(bound))
  }
}
