import FileFormats

/// The pixels of an outline as COCO's own tools count them.
///
/// The rule of `rleFrPoly` in pycocotools' maskApi (Dollár and Lin, 2014): the outline is walked on a grid five times as
/// fine; wherever it steps from one column of pixels into the next one's middle, the column's pixels change from there
/// down.
package enum PolygonMask {
  /// Steps of the fine grid in a pixel.
  private static let fineness = 5.0

  /// The mask of one outline.
  ///
  /// - `outline`: x and y of each corner in turn, in pixels; at least one corner.
  package static func mask(_ outline: [Double], height: Int, width: Int) -> RunLengthMask {
    var corners = stride(from: 0, to: outline.count - 1, by: 2).map { index in
      (x: fine(outline[index]), y: fine(outline[index + 1]))
    }
    guard let first = corners.first else {
      return RunLengthMask(height: height, width: width, boundaries: [])
    }
    corners.append(first)
    var boundaries: [Int] = []
    var last: (x: Int, y: Int)?
    for (start, end) in zip(corners, corners.dropFirst()) {
      walk(from: start, to: end) { point in
        if let last, last.x != point.x {
          if let position = boundary(from: last, to: point, height: height, width: width) {
            boundaries.append(position)
          }
        }
        last = point
      }
    }
    return RunLengthMask(height: height, width: width, boundaries: boundaries.sorted())
  }

  /// A coordinate on the fine grid, as C converts it: towards zero.
  private static func fine(_ coordinate: Double) -> Int { Int(clamping: coordinate * fineness + 0.5) }

  /// All points of the fine grid on an edge, both ends included.
  private static func walk(
    from start: (x: Int, y: Int), to end: (x: Int, y: Int), _ visit: ((x: Int, y: Int)) -> Void
  ) {
    let (across, down) = (abs(end.x - start.x), abs(end.y - start.y))
    let isFlat = across >= down
    // Points are computed from the lesser end, so that an edge is the same in both directions.
    let isTurned = isFlat ? start.x > end.x : start.y > end.y
    let (low, high) = isTurned ? (end, start) : (start, end)
    let steps = max(across, down)
    let slope =
      steps == 0
      ? 0 : isFlat ? Double(high.y - low.y) / Double(across) : Double(high.x - low.x) / Double(down)
    for step in 0...steps {
      let t = isTurned ? steps - step : step
      visit(
        isFlat
          ? (low.x + t, Int(clamping: Double(low.y) + slope * Double(t) + 0.5))
          : (Int(clamping: Double(low.x) + slope * Double(t) + 0.5), low.y + t))
    }
  }

  /// Where a column changes that a step between neighboring fine columns enters at its middle; nil at other steps.
  private static func boundary(
    from last: (x: Int, y: Int), to point: (x: Int, y: Int), height: Int, width: Int
  ) -> Int? {
    let column = (Double(point.x < last.x ? point.x : point.x - 1) + 0.5) / fineness - 0.5
    guard column == column.rounded(.down), column >= 0, column <= Double(width - 1) else { return nil }
    let row = (Double(min(point.y, last.y)) + 0.5) / fineness - 0.5
    return Int(clamping: column) * height + Int(clamping: min(max(row, 0), Double(height)).rounded(.up))
  }
}

extension LabeledRegion {
  /// The pixels as a mask of the picture.
  func mask(height: Int, width: Int) -> RunLengthMask {
    switch self {
    case .mask(let mask): mask
    case .polygons(let outlines):
      RunLengthMask.union(
        outlines.map { PolygonMask.mask($0, height: height, width: width) }, height: height, width: width)
    }
  }
}
