import Glibc

/// Suppression of overlapping oriented boxes, class by class.
///
/// Ported from Ultralytics 8.4.190 (`TorchNMS.fast_nms`, `batch_probiou`; Llerena et al., 2021, arXiv:2106.06072): a box
/// goes if any better one overlaps it, also one that goes itself. Equal scores are ordered by anchor index.
package enum OrientedSuppression {
  /// What a candidate is in the plane, by index of the candidates given, best score first.
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
    let placed = ordered.map { GaussianBox(boxes[$0], classIndex: candidates[$0].classIndex) }
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

/// A box moved aside by its class, as a Gaussian of the same middle and spread.
struct GaussianBox {
  private static let epsilon: Float = 1e-7

  private let x, y: Float
  /// The covariance (a, c; c, b).
  private let a, b, c: Float
  /// a b - c c, not below zero.
  private let determinant: Float

  init(_ box: OrientedBox, classIndex: Int) {
    let offset = Float(classIndex) * NonMaximumSuppression.classOffset
    (x, y) = (box.centre.x + offset, box.centre.y + offset)
    let variances = box.size * box.size / 12
    let (cosine, sine) = (cos(box.angle), sin(box.angle))
    let (cosine2, sine2) = (cosine * cosine, sine * sine)
    a = variances.x * cosine2 + variances.y * sine2
    b = variances.x * sine2 + variances.y * cosine2
    c = (variances.x - variances.y) * cosine * sine
    determinant = max(0, a * b - c * c)
  }

  /// One less the Hellinger distance of the two.
  func overlap(_ other: GaussianBox) -> Float {
    let (sumA, sumB, sumC) = (a + other.a, b + other.b, c + other.c)
    let (dx, dy) = (x - other.x, y - other.y)
    let joint = sumA * sumB - sumC * sumC
    let spread = joint + Self.epsilon
    let first = (sumA * (dy * dy) + sumB * (dx * dx)) / spread * 0.25
    let second = sumC * -dx * dy / spread * 0.5
    let third =
      log(joint / (4 * (determinant * other.determinant).squareRoot() + Self.epsilon) + Self.epsilon) * 0.5
    let distance = min(max(first + second + third, Self.epsilon), 100)
    return 1 - (1 - exp(-distance) + Self.epsilon).squareRoot()
  }
}
