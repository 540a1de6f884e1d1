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

  /// Center x, center y, width, height (or corners), class probabilities and extras of a cell of a level, whose maps
  /// are given.
  package func column(
    of cell: Int, level: PyramidLevel, boxes: Span<Float>, classes: Span<Float>, extras: Span<Float>
  ) -> [Float] {
    precondition(boxes.count == level.count * coding.channels && classes.count == level.count * classCount)
    precondition(extras.count == level.count * extraCount)
    let own = extras.extracting(cell * extraCount..<(cell + 1) * extraCount)
    let numbers = boxes.extracting(cell * coding.channels..<(cell + 1) * coding.channels)
    let probabilities = (0..<classCount).map { sigmoid(classes[cell * classCount + $0]) }
    switch task {
    case .orientedBoxes:
      let angle = ObjectDecoding.angle(own[0], isDirect: isDirect)
      let box = ObjectDecoding.orientedBox(numbers, coding, angle: angle, cell: cell, level: level)
      return [box.centre.x, box.centre.y, box.size.x, box.size.y] + probabilities + [angle]
    case .pose:
      guard let keypoints else { preconditionFailure("a pose has key points") }
      let points = ObjectDecoding.keypoints(
        own, shape: keypoints, cell: cell, level: level, isDirect: isDirect)
      return box(numbers, cell, level) + probabilities
        + points.flatMap { [Float($0.point.x), Float($0.point.y)] + ($0.confidence.map { [$0] } ?? []) }
    case .detect, .segment, .classify:
      return box(numbers, cell, level) + probabilities + own.indices.map { own[$0] }
    }
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
    for cell in 0..<level.count {
      let column = column(of: cell, level: level, boxes: boxes, classes: classes, extras: extras)
      for (row, value) in column.enumerated() {
        output[row * anchorCount + level.firstAnchor + cell] = value
      }
    }
  }

  private func box(_ numbers: Span<Float>, _ cell: Int, _ level: PyramidLevel) -> [Float] {
    let sides = HeadDecoding.sides(numbers, coding)
    guard !coding.keepsCorners else {
      let box = HeadDecoding.box(sides, cell: cell, level: level, keepsCorners: true)
      return [Float(box.minX), Float(box.minY), Float(box.maxX), Float(box.maxY)]
    }
    let (centre, size) = HeadDecoding.centred(sides, cell: cell, level: level)
    return [centre.x, centre.y, size.x, size.y]
  }
}
