import Geometry

extension HeadDecoding {
  /// The reference's decoded output of one level of a network that finds boxes or masks, written into `output`, the whole
  /// (4 + classCount + extraCount, anchorCount) matrix: center x, center y, width, height, class probabilities, mask
  /// coefficients.
  static func decode(
    level: PyramidLevel, boxes: Span<Float>, classes: Span<Float>, extras: Span<Float>, coding: BoxCoding,
    classCount: Int, extraCount: Int, anchorCount: Int, into output: inout [Float]
  ) {
    precondition(output.count == (4 + classCount + extraCount) * anchorCount && !coding.keepsCorners)
    precondition(boxes.count == level.count * coding.channels && classes.count == level.count * classCount)
    precondition(extras.count == level.count * extraCount)
    var output = output.mutableSpan
    // A block of cells is one run of memory in every row of the output.
    let block = 16
    for start in stride(from: 0, to: level.count, by: block) {
      let cells = start..<min(start + block, level.count)
      for cell in cells {
        let numbers = boxes.extracting(cell * coding.channels..<(cell + 1) * coding.channels)
        let (centre, size) = centred(sides(numbers, coding), cell: cell, level: level)
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
      for index in 0..<extraCount {
        let row = (4 + classCount + index) * anchorCount + level.firstAnchor
        for cell in cells { output[row + cell] = extras[cell * extraCount + index] }
      }
    }
  }

  /// The logistic function of sixteen numbers, within 3e-7 of it; NaN of NaN.
  package static func sigmoids(_ x: SIMD16<Float>) -> SIMD16<Float> {
    var result = SIMD16<Float>.zero
    for lane in 0..<16 { result[lane] = branchlessSigmoid(x[lane]) }
    return result
  }
}

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
