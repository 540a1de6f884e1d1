/// The objects of a head that gives each one box: no suppression.
///
/// Ported from Ultralytics 8.4.190 (`Detect.get_topk_index`): of the anchors with the best classes so many are taken,
/// then as many of their boxes and classes. Equal scores are ordered by anchor and class, which the reference leaves
/// open.
package enum EndToEndSelection {
  /// Anchors taken at least, and boxes: what `predict` sets on the head.
  static let leastCount = 300

  /// The objects, best score first.
  ///
  /// - `candidates`: of every class above the threshold.
  /// - `limit`: the most returned.
  package static func survivors(of candidates: [Candidate], limit: Int) -> [Candidate] {
    let count = max(limit, leastCount)
    var best: [Int: Float] = [:]
    for candidate in candidates { best[candidate.anchor] = max(best[candidate.anchor] ?? 0, candidate.score) }
    let anchors = Set(best.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(count).map(\.key))
    let ordered = candidates.filter { anchors.contains($0.anchor) }.sorted {
      ($1.score, $0.anchor, $0.classIndex) < ($0.score, $1.anchor, $1.classIndex)
    }
    return Array(ordered.prefix(limit))
  }

  /// Anchors and classes of the objects, best first: as many as `limit`, or anchors.
  ///
  /// - `logits`: of classes, (anchors, classCount). What is not a number counts as the greatest, as the reference's
  ///   `topk` has it.
  static func best(
    ofLogits logits: [Float], classCount: Int, atMost limit: Int = leastCount
  ) -> [(anchor: Int, classIndex: Int)] {
    let anchors = logits.count / classCount
    let count = min(max(limit, leastCount), anchors)
    func rank(_ index: Int) -> Float { logits[index].isNaN ? .infinity : logits[index] }
    var best = [Float](repeating: -.infinity, count: anchors)
    for anchor in 0..<anchors {
      for index in anchor * classCount..<(anchor + 1) * classCount {
        best[anchor] = max(best[anchor], rank(index))
      }
    }
    let taken = (0..<anchors).sorted { (best[$1], $0) < (best[$0], $1) }.prefix(count)
    let entries = taken.flatMap { $0 * classCount..<($0 + 1) * classCount }.map { ($0, rank($0)) }
    return entries.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.prefix(min(count, limit)).map {
      ($0.0 / classCount, $0.0 % classCount)
    }
  }
}
