import Geometry

extension HeadDecoding {
  /// Cells that are decoded together: one run of memory in every row of the output, which stay in the cache until they
  /// are written.
  static let block = 16

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
    var probabilities = [Float](repeating: 0, count: block * classCount)
    var sides = [SIMD4<Float>](repeating: .zero, count: block)
    var weights = [Float](repeating: 0, count: block * coding.channels)
    for start in stride(from: 0, to: level.count, by: block) {
      let cells = start..<min(start + block, level.count)
      distances(
        of: boxes.extracting(start * coding.channels..<cells.upperBound * coding.channels), coding,
        through: &weights, into: &sides)
      for cell in cells {
        let (center, size) = centered(sides[cell - start], cell: cell, level: level)
        let anchor = level.firstAnchor + cell
        output[anchor] = center.x
        output[anchorCount + anchor] = center.y
        output[2 * anchorCount + anchor] = size.x
        output[3 * anchorCount + anchor] = size.y
      }
      sigmoids(
        of: classes.extracting(start * classCount..<cells.upperBound * classCount),
        into: &probabilities)
      let first = level.firstAnchor + start
      transpose(
        probabilities.span, channels: classCount, pixels: cells.count,
        into: &output, at: 4 * anchorCount + first, rowStride: anchorCount)
      transpose(
        extras.extracting(start * extraCount..<cells.upperBound * extraCount), channels: extraCount,
        pixels: cells.count, into: &output, at: (4 + classCount) * anchorCount + first, rowStride: anchorCount
      )
    }
  }

  /// Left, top, right and bottom of every cell, in cells, into the first elements of `sides`; as `sides` of one cell.
  ///
  /// Weights go through memory, so that they are computed in vectors although they are summed up one by one.
  private static func distances(
    of numbers: Span<Float>, _ coding: BoxCoding, through scratch: inout [Float],
    into sides: inout [SIMD4<Float>]
  ) {
    let bins = coding.bins
    guard bins > 1 else {
      for cell in 0..<numbers.count / 4 {
        sides[cell] = Self.sides(numbers.extracting(4 * cell..<4 * cell + 4), coding)
      }
      return
    }
    var target = scratch.mutableSpan
    for first in stride(from: 0, to: numbers.count, by: bins) {
      store(weights(numbers, at: first), in: &target, at: first)
    }
    for side in 0..<numbers.count / bins {
      sides[side / 4][side % 4] = expectedBin { scratch[side * bins + $0] }
    }
  }

  /// The logistic function of every logit, into the first elements of `probabilities`.
  private static func sigmoids(of logits: Span<Float>, into probabilities: inout [Float]) {
    var target = probabilities.mutableSpan
    let whole = logits.count & ~15
    for first in stride(from: 0, to: whole, by: 16) {
      store(sigmoids(load(logits, at: first)), in: &target, at: first)
    }
    guard whole < logits.count else { return }
    var last = SIMD16<Float>.zero
    for index in whole..<logits.count { last[index - whole] = logits[index] }
    let scores = sigmoids(last)
    for index in whole..<logits.count { target[index] = scores[index - whole] }
  }

  /// Pixels of several channels as rows of `output`, a channel each, `rowStride` apart.
  @inline(__always)
  static func transpose(
    _ elements: Span<Float>, channels: Int, pixels: Int, into output: inout [Float], at start: Int,
    rowStride: Int
  ) {
    for channel in 0..<channels {
      let row = start + channel * rowStride
      for pixel in 0..<pixels { output[row + pixel] = elements[pixel * channels + channel] }
    }
  }
}
