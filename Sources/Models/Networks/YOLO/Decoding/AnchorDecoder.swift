import Geometry

/// All that the reference's decoded output says of an anchor.
package struct AnchorDecoder: Sendable {
  private let task: YOLOTask
  private let coding: BoxCoding
  private let isDirect: Bool
  private let classCount, extraCount: Int
  private let keypoints: KeypointShape?

  package init(_ sizes: YOLOArchitecture) {
    task = sizes.task
    coding = sizes.boxCoding
    isDirect = sizes.generation == .v26
    (classCount, extraCount) = (sizes.classCount, sizes.extras)
    keypoints = sizes.keypoints
  }

  /// Numbers of an anchor: of its box, one probability per class, and extras.
  private var channels: Int { 4 + classCount + extraCount }

  /// Center x, center y, width, height (or corners), class probabilities and extras of a cell of a level, whose maps
  /// are given.
  package func column(
    of cell: Int, level: PyramidLevel, boxes: Span<Float>, classes: Span<Float>, extras: Span<Float>
  ) -> [Float] {
    precondition(boxes.count == level.count * coding.channels && classes.count == level.count * classCount)
    precondition(extras.count == level.count * extraCount)
    var column = [Float](repeating: 0, count: channels)
    decode(cell, level, boxes: boxes, classes: classes, extras: extras, into: &column, at: 0)
    return column
  }

  /// Writes the decoded values of a cell from `first` on.
  private func decode(
    _ cell: Int, _ level: PyramidLevel, boxes: Span<Float>, classes: Span<Float>, extras: Span<Float>,
    into column: inout [Float], at first: Int
  ) {
    let own = extras.extracting(cell * extraCount..<(cell + 1) * extraCount)
    let numbers = boxes.extracting(cell * coding.channels..<(cell + 1) * coding.channels)
    for index in 0..<classCount { column[first + 4 + index] = sigmoid(classes[cell * classCount + index]) }
    let rest = first + 4 + classCount
    let box: SIMD4<Float>
    switch task {
    case .orientedBoxes:
      let angle = ObjectDecoding.angle(own[0], isDirect: isDirect)
      let oriented = ObjectDecoding.orientedBox(numbers, coding, angle: angle, cell: cell, level: level)
      box = SIMD4(oriented.center.x, oriented.center.y, oriented.size.x, oriented.size.y)
      column[rest] = angle
    case .pose:
      guard let keypoints else { preconditionFailure("a pose has key points") }
      box = self.box(numbers, cell, level)
      for index in 0..<keypoints.count {
        let place = ObjectDecoding.place(
          own, keypoint: index, of: keypoints, cell: cell, level: level, isDirect: isDirect)
        let start = rest + index * keypoints.dimensions
        (column[start], column[start + 1]) = (place.x, place.y)
        if keypoints.dimensions == 3 { column[start + 2] = sigmoid(own[index * 3 + 2]) }
      }
    case .detect, .segment, .classify:
      box = self.box(numbers, cell, level)
      for index in own.indices { column[rest + index] = own[index] }
    }
    for index in 0..<4 { column[first + index] = box[index] }
  }

  /// The rows of `output`, the whole (4 + classes + extras, anchors) matrix, for the anchors of a level.
  package func decode(
    _ level: PyramidLevel, boxes: Span<Float>, classes: Span<Float>, extras: Span<Float>, anchorCount: Int,
    into output: inout [Float]
  ) {
    guard task == .orientedBoxes || task == .pose || coding.keepsCorners else {
      HeadDecoding.decode(
        level: level, boxes: boxes, classes: classes, extras: extras, coding: coding,
        classCount: classCount, extraCount: extraCount, anchorCount: anchorCount, into: &output)
      return
    }
    precondition(output.count == channels * anchorCount)
    precondition(boxes.count == level.count * coding.channels && classes.count == level.count * classCount)
    precondition(extras.count == level.count * extraCount)
    var columns = [Float](repeating: 0, count: HeadDecoding.block * channels)
    for start in stride(from: 0, to: level.count, by: HeadDecoding.block) {
      let cells = start..<min(start + HeadDecoding.block, level.count)
      for cell in cells {
        decode(
          cell, level, boxes: boxes, classes: classes, extras: extras, into: &columns,
          at: (cell - start) * channels)
      }
      HeadDecoding.transpose(
        columns.span, channels: channels, pixels: cells.count, into: &output, at: level.firstAnchor + start,
        rowStride: anchorCount)
    }
  }

  private func box(_ numbers: Span<Float>, _ cell: Int, _ level: PyramidLevel) -> SIMD4<Float> {
    let sides = HeadDecoding.sides(numbers, coding)
    guard !coding.keepsCorners else {
      let box = HeadDecoding.box(sides, cell: cell, level: level, keepsCorners: true)
      return SIMD4(Float(box.minX), Float(box.minY), Float(box.maxX), Float(box.maxY))
    }
    let (center, size) = HeadDecoding.centered(sides, cell: cell, level: level)
    return SIMD4(center.x, center.y, size.x, size.y)
  }
}
