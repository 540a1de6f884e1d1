import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// From raw head outputs (channels-last, one buffer per level) to boxes and scores.
///
/// Ported from Ultralytics 8.4.190 (`Detect._inference`, `DFL`, `dist2bbox`); deviations: anchors below
/// the threshold are never decoded, and the best class is that of the largest *logit*.
package enum HeadDecoding {
  /// The anchors of one level whose best score is strictly greater than `confidence`.
  ///
  /// - `boxes`: box numbers, (height, width, `coding.channels`).
  /// - `classes`: class logits, (height, width, classCount).
  /// - `everyClass`: an anchor is a candidate of each class with such a score, in the order of classes.
  package static func candidates(
    level: PyramidLevel, boxes: Span<Float>, classes: Span<Float>, classCount: Int, confidence: Float,
    everyClass: Bool = false, coding: BoxCoding = .distribution
  ) -> [Candidate] {
    let boxChannels = coding.channels
    precondition(boxes.count == level.count * boxChannels && classes.count == level.count * classCount)
    let bar = logitBar(confidence)
    var found: [Candidate] = []
    for cell in 0..<level.count {
      let row = classes.extracting(cell * classCount..<(cell + 1) * classCount)
      guard exceeds(row, bar) else { continue }
      var best = 0
      for index in 1..<max(1, classCount) where row[index] > row[best] || row[best].isNaN { best = index }
      guard sigmoid(row[best]) > confidence else { continue }
      let logits = boxes.extracting(cell * boxChannels..<(cell + 1) * boxChannels)
      let box = box(sides(logits, coding), cell: cell, level: level, keepsCorners: coding.keepsCorners)
      for index in everyClass ? 0..<classCount : best..<best + 1 where row[index] > bar {
        let score = sigmoid(row[index])
        guard score > confidence else { continue }
        found.append(
          Candidate(anchor: level.firstAnchor + cell, classIndex: index, score: score, box: box))
      }
    }
    return found
  }

  /// Left, top, right and bottom of one anchor, in cells.
  static func sides(_ numbers: Span<Float>, _ coding: BoxCoding) -> SIMD4<Float> {
    coding.bins == 1
      ? SIMD4(numbers[0], numbers[1], numbers[2], numbers[3]) : distances(numbers)
  }

  /// Distribution focal loss: the expected bin of a softmax over 16 logits, side by side for the four sides.
  package static func distances(_ logits: Span<Float>) -> SIMD4<Float> {
    let bins = BoxCoding.distribution.bins
    var distances = SIMD4<Float>(repeating: 0)
    for side in 0..<4 {
      let weights = weights(logits, at: side * bins)
      distances[side] = expectedBin { weights[$0] }
    }
    return distances
  }

  /// The mean of the bins by their weights, in the order of bins.
  @inline(__always)
  static func expectedBin(_ weight: (_ bin: Int) -> Float) -> Float {
    var (total, moment): (Float, Float) = (0, 0)
    for bin in 0..<BoxCoding.distribution.bins {
      total += weight(bin)
      moment += weight(bin) * Float(bin)
    }
    return moment / total
  }

  /// The middle of a cell, in cells.
  static func anchor(_ cell: Int, _ level: PyramidLevel) -> SIMD2<Float> {
    SIMD2<Float>(Float(cell % level.width) + 0.5, Float(cell / level.width) + 0.5)
  }

  /// Center and size in network pixels.
  static func centered(
    _ sides: SIMD4<Float>, cell: Int, level: PyramidLevel
  ) -> (center: SIMD2<Float>, size: SIMD2<Float>) {
    let anchor = anchor(cell, level)
    let low = anchor - SIMD2(sides[0], sides[1])
    let high = anchor + SIMD2(sides[2], sides[3])
    let stride = Float(level.stride)
    return ((low + high) / 2 * stride, (high - low) * stride)
  }

  /// The box by its corners, in network pixels, rounded as the reference rounds.
  static func box(
    _ sides: SIMD4<Float>, cell: Int, level: PyramidLevel, keepsCorners: Bool
  ) -> Rect<NetworkPixels> {
    let (low, high): (SIMD2<Float>, SIMD2<Float>)
    if keepsCorners {
      let anchor = anchor(cell, level)
      let stride = Float(level.stride)
      low = (anchor - SIMD2(sides[0], sides[1])) * stride
      high = (anchor + SIMD2(sides[2], sides[3])) * stride
    } else {
      let (center, size) = centered(sides, cell: cell, level: level)
      (low, high) = (center - size / 2, center + size / 2)
    }
    return Rect(minX: Double(low.x), minY: Double(low.y), maxX: Double(high.x), maxY: Double(high.y))
  }

  /// A logit that no score above `confidence` can stay below: its logit less a margin for rounding.
  private static func logitBar(_ confidence: Float) -> Float {
    guard confidence > 0 else { return -.infinity }
    guard confidence < 1 else { return .infinity }
    let value = Double(confidence)
    return Float(log(value / (1 - value)) - 1e-3)
  }

  /// Whether any element is above the bar, found without branching so that whole vectors are compared.
  @inline(__always)
  private static func exceeds(_ row: Span<Float>, _ bar: Float) -> Bool {
    var hits: UInt32 = 0
    for index in row.indices { hits |= row[index] > bar ? 1 : 0 }
    return hits != 0
  }
}

/// The logistic function.
@inline(__always)
package func sigmoid(_ x: Float) -> Float { 1 / (1 + exp(-x)) }
