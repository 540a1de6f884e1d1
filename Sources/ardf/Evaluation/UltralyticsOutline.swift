import FileFormats

/// Outlines as Ultralytics 8.4.190 prepares them for `val`.
enum UltralyticsOutline {
  /// Corners that an outline is given.
  private static let corners = 1000

  /// The number of corners that all outlines of a picture are given: more than any has.
  ///
  /// - `counts`: corners of each outline.
  static func corners(for counts: [Int]) -> Int {
    let most = counts.max() ?? 0
    return most > corners ? most + 1 : corners
  }

  /// The closed outline with `count` corners: its own, and others evenly between them (`resample_segments`).
  ///
  /// - `outline`: x and y of each corner in turn.
  static func resampled(_ outline: [Float], count: Int) -> [SIMD2<Float>] {
    var points = stride(from: 0, to: outline.count - 1, by: 2).map { SIMD2(outline[$0], outline[$0 + 1]) }
    guard points.count != count, let first = points.first else { return points }
    points.append(first)
    let between = points.count < count ? count - points.count : count
    var positions = spaced(from: points.count - 1, count: between)
    if points.count < count { positions = merged(positions, with: points.count) }
    return positions.map { position in
      let index = min(Int(clamping: position), points.count - 1)
      guard index + 1 < points.count, position > Double(index) else { return points[index] }
      let (low, high) = (SIMD2<Double>(points[index]), SIMD2<Double>(points[index + 1]))
      return SIMD2<Float>((high - low) * (position - Double(index)) + low)
    }
  }

  /// `count` numbers from 0 to `last`.
  private static func spaced(from last: Int, count: Int) -> [Double] {
    guard count > 1 else { return count == 1 ? [0] : [] }
    let step = Double(last) / Double(count - 1)
    return (0..<count).map { $0 == count - 1 ? Double(last) : Double($0) * step }
  }

  /// Sorted numbers with 0, 1 and so on below `count` among them.
  private static func merged(_ positions: [Double], with count: Int) -> [Double] {
    var result: [Double] = []
    result.reserveCapacity(positions.count + count)
    var next = 0
    for position in positions {
      while next < count, Double(next) <= position {
        result.append(Double(next))
        next += 1
      }
      result.append(position)
    }
    while next < count {
      result.append(Double(next))
      next += 1
    }
    return result
  }
}
