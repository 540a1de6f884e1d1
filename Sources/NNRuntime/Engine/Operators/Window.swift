/// A window that slides over a map, each axis and side for itself.
public struct Window: Hashable, Sendable {
  /// Rows and columns of the window.
  public var height, width: Int
  /// Input rows, and columns, from one output pixel's window to the next one's.
  public var strideDown, strideAcross: Int
  /// Rows and columns beyond each side of the input that windows reach over.
  public var top, left, bottom, right: Int
  /// Input rows, and columns, from one row or column of a window to the next.
  public var dilationDown, dilationAcross: Int

  /// A window of `height` x `width` pixels with the same stride, padding and dilation on both axes.
  public init(height: Int, width: Int, stride: Int = 1, padding: Int = 0, dilation: Int = 1) {
    (self.height, self.width) = (height, width)
    (strideDown, strideAcross) = (stride, stride)
    (top, left, bottom, right) = (padding, padding, padding, padding)
    (dilationDown, dilationAcross) = (dilation, dilation)
  }

  /// Rows, and columns, of the input from a window's first pixel to its last, both included.
  var reach: (down: Int, across: Int) {
    (dilationDown * (height - 1) + 1, dilationAcross * (width - 1) + 1)
  }

  /// The size of a map that has a pixel for each place of the window on `input`.
  func size(on input: MapShape) throws(GraphError.Kind) -> (height: Int, width: Int) {
    try check()
    let (rows, columns) = (
      input.height + top + bottom - reach.down, input.width + left + right - reach.across
    )
    guard rows >= 0, columns >= 0 else {
      throw .wrongInputs([input], needed: "a window of \(reach.down)x\(reach.across) does not fit into that")
    }
    return (rows / strideDown + 1, columns / strideAcross + 1)
  }

  /// The size of the map whose windows are the pixels of `input`: that of a transposed convolution.
  func transposedSize(on input: MapShape) throws(GraphError.Kind) -> (height: Int, width: Int) {
    try check()
    return (
      (input.height - 1) * strideDown + reach.down - top - bottom,
      (input.width - 1) * strideAcross + reach.across - left - right
    )
  }

  /// Checks what does not depend on a map; no product of two of these numbers overflows.
  func check() throws(GraphError.Kind) {
    let positive = [height, width, strideDown, strideAcross, dilationDown, dilationAcross]
    let most = MapShape.mostAlongSide
    guard positive.allSatisfy({ (1...most).contains($0) }),
      [top, left, bottom, right].allSatisfy({ (0...most).contains($0) })
    else {
      throw .wrongAttributes(
        "a window's sides, strides and dilations are from 1, its paddings from 0, to \(most): \(self)")
    }
  }

  /// The stride, the padding above and to the left, where both axes have the same and pixels follow each other, and that below
  /// and to the right, where it is another; nil too where a window may lie beyond the map.
  var trailing: (stride: Int, padding: Int, trailing: TrailingPadding?)? {
    if let even { return (even.stride, even.padding, nil) }
    guard strideDown == strideAcross, top == left, dilationDown == 1, dilationAcross == 1,
      max(top, bottom) < height, max(left, right) < width
    else { return nil }
    return (strideDown, top, TrailingPadding(bottom: bottom, right: right))
  }

  /// The stride and the padding, where both axes and all sides have the same, and pixels follow each other.
  var even: (stride: Int, padding: Int)? {
    guard strideDown == strideAcross, [left, bottom, right].allSatisfy({ $0 == top }),
      dilationDown == 1, dilationAcross == 1
    else { return nil }
    return (strideDown, top)
  }
}
