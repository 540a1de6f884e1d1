import Glibc
import Geometry

/// One level of the detection pyramid: a grid of anchors and the network pixels between them.
package struct PyramidLevel: Sendable, Equatable {
  /// Rows of the grid.
  package let height: Int
  /// Columns of the grid.
  package let width: Int
  /// Network pixels per cell (8, 16 or 32).
  package let stride: Int
  /// Index of this level's first anchor among all anchors.
  package let firstAnchor: Int

  /// A level from its parts.
  package init(height: Int, width: Int, stride: Int, firstAnchor: Int) {
    self.height = height
    self.width = width
    self.stride = stride
    self.firstAnchor = firstAnchor
  }

  /// Anchors of this level.
  package var count: Int { height * width }

  /// The levels P3, P4, P5 of a network input, in order, anchors row-major within a level.
  ///
  /// - Precondition: both sides are multiples of 32.
  package static func pyramid(inputHeight: Int, inputWidth: Int) -> [PyramidLevel] {
    precondition(inputHeight % 32 == 0 && inputWidth % 32 == 0, "network sides are multiples of 32")
    var first = 0
    return [8, 16, 32].map { stride in
      let level = PyramidLevel(
        height: inputHeight / stride, width: inputWidth / stride, stride: stride, firstAnchor: first)
      first += level.count
      return level
    }
  }
}

/// An anchor with a class that passed the confidence threshold.
package struct Candidate: Sendable, Equatable {
  /// Index among all anchors: P3, P4, P5, row-major within a level.
  package let anchor: Int
  /// Index of the class: the best one, unless every class counts.
  package let classIndex: Int
  /// Sigmoid of the class logit.
  package let score: Float
  /// In the network input, padding included.
  ///
  /// The edges are single-precision values.
  package let box: Rect<NetworkPixels>

  /// A candidate from its parts.
  package init(anchor: Int, classIndex: Int, score: Float, box: Rect<NetworkPixels>) {
    self.anchor = anchor
    self.classIndex = classIndex
    self.score = score
    self.box = box
  }
}

/// From raw head outputs (channels-last, one buffer a level) to boxes and scores.
///
/// Ported from Ultralytics 8.4.190 (`Detect._inference`, `DFL`, `dist2bbox`); deviations: anchors below
/// the threshold are never decoded, and the best class is that of the largest *logit*.
package enum HeadDecoding {
  /// Bins of the distance distribution of one box side (`reg_max`).
  package static let bins = 16
  /// Box logits of one anchor: left, top, right, bottom, 16 bins each.
  package static let boxChannels = 4 * bins

  /// The anchors of one level whose best score is strictly greater than `confidence`.
  ///
  /// - `boxes`: box logits, (height, width, 64).
  /// - `classes`: class logits, (height, width, classCount).
  /// - `everyClass`: an anchor is a candidate of each class with such a score, in the order of classes.
  package static func candidates(
    level: PyramidLevel, boxes: Span<Float>, classes: Span<Float>, classCount: Int, confidence: Float,
    everyClass: Bool = false
  ) -> [Candidate] {
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
      let (centre, size) = decodeBox(logits, cell: cell, level: level)
      let box = Rect<NetworkPixels>(
        minX: Double(centre.x - size.x / 2), minY: Double(centre.y - size.y / 2),
        maxX: Double(centre.x + size.x / 2), maxY: Double(centre.y + size.y / 2))
      for index in everyClass ? 0..<classCount : best..<best + 1 where row[index] > bar {
        let score = sigmoid(row[index])
        guard score > confidence else { continue }
        found.append(
          Candidate(anchor: level.firstAnchor + cell, classIndex: index, score: score, box: box))
      }
    }
    return found
  }

  /// The reference's decoded output of one level, written into `output`, the whole (4 + classCount +
  /// coefficientCount, anchorCount) matrix: centre x, centre y, width, height, class probabilities, mask
  /// coefficients.
  package static func decode(
    level: PyramidLevel, boxes: Span<Float>, classes: Span<Float>, coefficients: Span<Float>,
    classCount: Int, coefficientCount: Int, anchorCount: Int, into output: inout [Float]
  ) {
    precondition(output.count == (4 + classCount + coefficientCount) * anchorCount)
    precondition(boxes.count == level.count * boxChannels && classes.count == level.count * classCount)
    precondition(coefficients.count == level.count * coefficientCount)
    var output = output.mutableSpan
    // A block of cells is one run of memory in every row of the output.
    let block = 16
    for start in stride(from: 0, to: level.count, by: block) {
      let cells = start..<min(start + block, level.count)
      for cell in cells {
        let logits = boxes.extracting(cell * boxChannels..<(cell + 1) * boxChannels)
        let (centre, size) = decodeBox(logits, cell: cell, level: level)
        let anchor = level.firstAnchor + cell
        output[anchor] = centre.x
        output[anchorCount + anchor] = centre.y
        output[2 * anchorCount + anchor] = size.x
        output[3 * anchorCount + anchor] = size.y
      }
      var logits = SIMD16<Float>.zero
      for index in 0..<classCount {
        let row = (4 + index) * anchorCount + level.firstAnchor
        for cell in cells { logits[cell - start] = classes[cell * classCount + index] }
        let scores = sigmoids(logits)
        for cell in cells { output[row + cell] = scores[cell - start] }
      }
      for index in 0..<coefficientCount {
        let row = (4 + classCount + index) * anchorCount + level.firstAnchor
        for cell in cells { output[row + cell] = coefficients[cell * coefficientCount + index] }
      }
    }
  }

  /// The logistic function of sixteen numbers, within 3e-7 of it; NaN of NaN.
  package static func sigmoids(_ x: SIMD16<Float>) -> SIMD16<Float> {
    var result = SIMD16<Float>.zero
    for lane in 0..<16 { result[lane] = branchlessSigmoid(x[lane]) }
    return result
  }

  /// Distribution focal loss: the expected bin of a softmax over 16 logits, side by side for the four sides.
  package static func distances(_ logits: Span<Float>) -> SIMD4<Float> {
    var distances = SIMD4<Float>(repeating: 0)
    for side in 0..<4 {
      let first = side * bins
      var peak = logits[first]
      for bin in 1..<bins { peak = max(peak, logits[first + bin]) }
      var total: Float = 0
      var moment: Float = 0
      for bin in 0..<bins {
        let weight = exp(logits[first + bin] - peak)
        total += weight
        moment += weight * Float(bin)
      }
      distances[side] = moment / total
    }
    return distances
  }

  /// Centre and size in network pixels.
  private static func decodeBox(
    _ logits: Span<Float>, cell: Int, level: PyramidLevel
  ) -> (centre: SIMD2<Float>, size: SIMD2<Float>) {
    let anchor = SIMD2<Float>(Float(cell % level.width) + 0.5, Float(cell / level.width) + 0.5)
    let sides = distances(logits)
    let low = anchor - SIMD2(sides[0], sides[1])
    let high = anchor + SIMD2(sides[2], sides[3])
    let stride = Float(level.stride)
    return ((low + high) / 2 * stride, (high - low) * stride)
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
func sigmoid(_ x: Float) -> Float { 1 / (1 + exp(-x)) }

/// Without a call or a branch, so that several become vector code.
@inline(__always)
private func branchlessSigmoid(_ x: Float) -> Float {
  // exp(-x) = 2^n exp(r) with |r| <= ln(2) / 2; beyond +-87 the function is 0 or 1 in single precision.
  let t = min(max(-x, -87), 87)
  // In the sum, whose last digit is 1, n is rounded, and lies in the lowest bits.
  let shifted = t * 1.442_695_04 + 0x1.8p23
  let n = shifted - 0x1.8p23
  let r = (t - n * 0.693_359_375) - n * -2.121_944_4e-4
  var p = r * 1.987_569_15e-4 + 1.398_199_95e-3
  p = p * r + 8.333_451_9e-3
  p = p * r + 4.166_579_6e-2
  p = p * r + 0.166_666_65
  p = p * r + 0.5
  let power = Float(bitPattern: (shifted.bitPattern &+ 127) &<< 23)
  return 1 / (1 + (p * r * r + r + 1) * power)
}
