import FileFormats

/// The similarity on which most pairs of points agree, whatever the others do.
///
/// Maps of two pairs each, drawn by chance, are tried until a better one is unlikely; the map is then that of all pairs that
/// agree with the best. The same pairs give the same map, as the draws do.
///
/// Source: M. Fischler and R. Bolles, *Random sample consensus*, Communications of the ACM 24 (1981). Limits are those of
/// OpenCV's `estimateAffinePartial2D`.
package enum SimilarityConsensus {
  /// The distance, in pixels, up to which a pair agrees with a map.
  private static let nearness = 3.0
  /// The probability with which the best map is found, and the count of draws at most.
  private static let (confidence, most) = (0.99, 2000)
  /// How often the pairs that agree are looked for anew.
  private static let refinements = 10

  /// The map of most pairs; nil of fewer than two different points.
  package static func similarity(of pairs: [PointPair]) -> Similarity? {
    guard pairs.count > 1 else { return nil }
    var draws = SplitMix64(seed: 1)
    func draw() -> PointPair {
      pairs[Int(truncatingIfNeeded: draws.next() % UInt64(pairs.count))]
    }
    var best: (map: Similarity, count: Int)?
    var (tried, limit) = (0, most)
    while tried < limit {
      tried += 1
      guard let map = Similarity([draw(), draw()]) else { continue }
      let count = pairs.reduce(into: 0) { count, pair in if isNear(pair, map) { count += 1 } }
      guard count > best?.count ?? 1 else { continue }
      best = (map, count)
      limit = min(limit, needed(Double(count) / Double(pairs.count)))
    }
    guard var (map, count) = best else { return nil }
    for _ in 0..<refinements {
      let near = pairs.filter { isNear($0, map) }
      guard near.count >= count, let finer = Similarity(near) else { break }
      if near.count == count, finer == map { break }
      (map, count) = (finer, near.count)
    }
    return map
  }

  private static func isNear(_ pair: PointPair, _ map: Similarity) -> Bool {
    let apart = map.image(of: pair.from) - pair.to
    return (apart * apart).sum() <= nearness * nearness
  }

  /// The count of draws after which one of two agreeing pairs was among them, with the confidence.
  private static func needed(_ share: Double) -> Int {
    var (count, missed) = (0, 1.0)
    while count < most, missed > 1 - confidence {
      missed *= 1 - share * share
      count += 1
    }
    return count
  }
}
