import Geometry

/// Suppression of overlapping oriented boxes, class by class.
///
/// Ported from Ultralytics 8.4.190 (`TorchNMS.fast_nms`, `batch_probiou`; Llerena et al., 2021, arXiv:2106.06072): a box
/// goes if any better one overlaps it, also one that goes itself. Equal scores are ordered by anchor index.
package enum OrientedSuppression {
  /// Suppresses overlapping boxes; returns the survivors' indices in `candidates`, best score first.
  ///
  /// `boxes` are the candidates' boxes in the plane, by index.
  ///
  /// - `overlap`: a candidate is dropped if its probabilistic intersection over union with a better one is greater.
  /// - `limit`: the most survivors returned.
  package static func survivors(
    of candidates: [Candidate], _ boxes: [OrientedBox], overlap: Float, limit: Int
  ) -> [Int] {
    precondition(candidates.count == boxes.count)
    let ordered = candidates.indices.sorted { first, second in
      let (a, b) = (candidates[first], candidates[second])
      return (b.score, a.anchor, a.classIndex) < (a.score, b.anchor, b.classIndex)
    }.prefix(NonMaximumSuppression.candidateLimit)
    // Boxes of different classes are moved apart.
    let placed = ordered.map { index in
      let (box, aside) = (
        boxes[index], Float(candidates[index].classIndex) * NonMaximumSuppression.classOffset
      )
      return GaussianBox(center: box.center + aside, size: box.size, angle: box.angle)
    }
    var kept: [Int] = []
    for (position, index) in ordered.enumerated() {
      guard kept.count < limit else { break }
      let box = placed[position]
      if placed[..<position].contains(where: { $0.overlap(box) > overlap }) { continue }
      kept.append(index)
    }
    return kept
  }
}
