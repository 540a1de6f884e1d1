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

  /// Network pixels per cell of every level, the finest first.
  package static let strides = [8, 16, 32]

  /// Anchors of this level.
  package var count: Int { height * width }

  /// The levels P3, P4, P5 of a network input, in order, anchors row-major within a level.
  ///
  /// - Precondition: both sides are multiples of `ObjectInput.step`.
  package static func pyramid(inputHeight: Int, inputWidth: Int) -> [PyramidLevel] {
    precondition(
      inputHeight % ObjectInput.step == 0 && inputWidth % ObjectInput.step == 0,
      "network sides are multiples of \(ObjectInput.step)")
    var first = 0
    return strides.map { stride in
      let level = PyramidLevel(
        height: inputHeight / stride, width: inputWidth / stride, stride: stride, firstAnchor: first)
      first += level.count
      return level
    }
  }
}
