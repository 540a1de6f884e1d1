#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An oriented box as a Gaussian of the same middle and spread, in single precision (Llerena et al., 2021,
/// arXiv:2106.06072).
///
/// Ported from Ultralytics 8.4.190 (`batch_probiou`).
package struct GaussianBox: Sendable {
  private static let epsilon: Float = 1e-7

  private let x, y: Float
  /// The covariance (a, c; c, b).
  private let a, b, c: Float
  /// a b - c c, not below zero.
  private let determinant: Float

  /// - `size`: the side along the angle, and the other.
  /// - `angle`: radians, from x towards y.
  package init(center: SIMD2<Float>, size: SIMD2<Float>, angle: Float) {
    (x, y) = (center.x, center.y)
    let variances = size * size / 12
    let (cosine, sine) = (cos(angle), sin(angle))
    let (cosine2, sine2) = (cosine * cosine, sine * sine)
    a = variances.x * cosine2 + variances.y * sine2
    b = variances.x * sine2 + variances.y * cosine2
    c = (variances.x - variances.y) * cosine * sine
    determinant = max(0, a * b - c * c)
  }

  /// One less the Hellinger distance of the two: the probabilistic intersection over union.
  package func overlap(_ other: GaussianBox) -> Float {
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
