import FileFormats

extension RunLengthMask {
  /// Pixels set in both masks, which are of one size.
  package func intersection(_ other: RunLengthMask) -> Int {
    precondition(height == other.height && width == other.width, "masks of different sizes")
    let (mine, theirs) = (runs.span, other.runs.span)
    var common = 0
    var (index, otherIndex) = (0, 0)
    var (end, otherEnd) = (mine.isEmpty ? 0 : mine[0], theirs.isEmpty ? 0 : theirs[0])
    var position = 0
    while index < mine.count, otherIndex < theirs.count {
      let next = min(end, otherEnd)
      if index % 2 == 1, otherIndex % 2 == 1 { common += next - position }
      position = next
      if end == next {
        index += 1
        if index < mine.count { end += mine[index] }
      }
      if otherEnd == next {
        otherIndex += 1
        if otherIndex < theirs.count { otherEnd += theirs[otherIndex] }
      }
    }
    return common
  }

  /// The least rectangle around what is set, nothing for an empty mask.
  package var box: COCOBox {
    var (left, right, top, bottom) = (width, 0, height, 0)
    var start = 0
    for (index, run) in runs.enumerated() {
      defer { start += run }
      guard index % 2 == 1, run > 0, height > 0 else { continue }
      let last = start + run - 1
      let (firstColumn, lastColumn) = (start / height, last / height)
      left = min(left, firstColumn)
      right = max(right, lastColumn + 1)
      let isOneColumn = firstColumn == lastColumn
      top = min(top, isOneColumn ? start % height : 0)
      bottom = max(bottom, isOneColumn ? last % height + 1 : height)
    }
    guard right > left else { return COCOBox(x: 0, y: 0, width: 0, height: 0) }
    return COCOBox(
      x: Double(left), y: Double(top), width: Double(right - left), height: Double(bottom - top))
  }

  /// The union of masks of one size.
  package static func union(_ masks: [RunLengthMask], height: Int, width: Int) -> RunLengthMask {
    if masks.count == 1 { return masks[0] }
    // How many masks are set changes by one at each end of a run.
    var changes: [(position: Int, by: Int)] = []
    for mask in masks {
      precondition(mask.height == height && mask.width == width, "masks of different sizes")
      var start = 0
      for (index, run) in mask.runs.enumerated() {
        if index % 2 == 1, run > 0 { changes += [(start, 1), (start + run, -1)] }
        start += run
      }
    }
    changes.sort { ($0.position, -$0.by) < ($1.position, -$1.by) }
    var boundaries: [Int] = []
    var depth = 0
    for change in changes {
      let before = depth
      depth += change.by
      if (before == 0) != (depth == 0) { boundaries.append(change.position) }
    }
    return RunLengthMask(height: height, width: width, boundaries: boundaries)
  }
}
