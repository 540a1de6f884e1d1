#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How near key points are to labeled ones: object keypoint similarity, 0 to 1.
enum KeypointSimilarity {
  /// In the arithmetic of pycocotools' `computeOks`.
  ///
  /// Of a label without a labeled key point it tells how near the key points are to twice its box on every side.
  static func coco(_ found: [SIMD3<Double>], _ truth: LabeledObject, sigmas: [Double]) -> Double {
    precondition(found.count == sigmas.count && truth.keypoints.count == sigmas.count)
    let area = (truth.area ?? 0) + Double.ulpOfOne
    let isLabeled = truth.keypoints.contains(where: \.isLabeled)
    let box = truth.box
    let (left, right) = (box.x - box.width, box.x + box.width * 2)
    let (top, bottom) = (box.y - box.height, box.y + box.height * 2)
    var (sum, count) = (0.0, 0.0)
    for (index, point) in truth.keypoints.enumerated() {
      let place = found[index]
      let (dx, dy): (Double, Double)
      if isLabeled {
        guard point.isLabeled else { continue }
        (dx, dy) = (place.x - point.x, place.y - point.y)
      } else {
        dx = max(0, left - place.x) + max(0, place.x - right)
        dy = max(0, top - place.y) + max(0, place.y - bottom)
      }
      let spread = 2 * sigmas[index]
      sum += exp(-(dx * dx + dy * dy) / (spread * spread) / area / 2)
      count += 1
    }
    return sum / count
  }

  /// In the arithmetic of Ultralytics 8.4.190's `kpt_iou`.
  ///
  /// - `truth`: x, y, and 0 for a key point that is not labeled.
  /// - `area`: square pixels.
  static func ultralytics(
    _ found: [SIMD2<Float>], _ truth: [SIMD3<Float>], area: Float, sigmas: [Double]
  ) -> Float {
    let epsilon: Float = 1e-7
    var (sum, count): (Float, Float) = (0, 0)
    for (index, point) in truth.enumerated() where point.z != 0 {
      let (dx, dy) = (point.x - found[index].x, point.y - found[index].y)
      let spread = 2 * Float(sigmas[index])
      sum += exp(-((dx * dx + dy * dy) / (spread * spread * (area + epsilon) * 2)))
      count += 1
    }
    return sum / (count + epsilon)
  }
}
