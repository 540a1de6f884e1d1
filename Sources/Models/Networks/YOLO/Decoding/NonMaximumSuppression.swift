import Geometry

/// Greedy suppression of overlapping candidates, class by class.
///
/// Ported from Ultralytics 8.4.190 (`non_max_suppression`, best class only); equal scores are ordered by
/// anchor index, which the reference leaves open.
package enum NonMaximumSuppression {
  /// Network pixels by which each class is moved aside, so that only boxes of one class overlap.
  static let classOffset: Float = 7680
  /// Candidates considered, best first.
  static let candidateLimit = 30_000

  /// The survivors, best score first.
  ///
  /// - `overlap`: a candidate is dropped if its intersection over union with a better survivor is greater.
  /// - `limit`: the most survivors returned.
  package static func survivors(of candidates: [Candidate], overlap: Float, limit: Int) -> [Candidate] {
    let ordered = candidates.sorted { ($1.score, $0.anchor) < ($0.score, $1.anchor) }
    var kept: [Candidate] = []
    var placed: [PlacedBox] = []
    for candidate in ordered.prefix(candidateLimit) {
      guard kept.count < limit else { break }
      let box = PlacedBox(candidate)
      if placed.contains(where: { $0.intersectionOverUnion(box) > overlap }) { continue }
      kept.append(candidate)
      placed.append(box)
    }
    return kept
  }

  /// A box moved aside by its class.
  ///
  /// The sum is rounded to single precision, as in the reference: to a sixteenth of a pixel in the last classes.
  private struct PlacedBox {
    let minX, minY, maxX, maxY, area: Float

    init(_ candidate: Candidate) {
      let offset = Float(candidate.classIndex) * classOffset
      minX = Float(candidate.box.minX) + offset
      minY = Float(candidate.box.minY) + offset
      maxX = Float(candidate.box.maxX) + offset
      maxY = Float(candidate.box.maxY) + offset
      area = (maxX - minX) * (maxY - minY)
    }

    func intersectionOverUnion(_ other: PlacedBox) -> Float {
      let width = max(0, min(maxX, other.maxX) - max(minX, other.minX))
      let height = max(0, min(maxY, other.maxY) - max(minY, other.minY))
      let intersection = width * height
      let union = area + other.area - intersection
      return union > 0 ? intersection / union : 0
    }
  }
}
