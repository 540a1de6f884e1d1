import Geometry

/// The rows and columns of an upright picture that something covers.
struct PixelArea: Sendable, Equatable {
  let columns: Range<Int>
  let rows: Range<Int>

  /// The smallest area that shows all points; the whole picture if only some of them lie before the camera, nil if none do or
  /// nothing is in view.
  init?(around points: [Point3<World>], in frame: CapturedFrame, intrinsics: Intrinsics) {
    let size = frame.orientation.apply(to: frame.imageSize)
    let toCamera = frame.cameraToWorld.inverse
    let seen = points.compactMap { intrinsics.project(toCamera.apply($0)) }.map {
      frame.orientation.upright($0, stored: frame.imageSize)
    }
    guard !seen.isEmpty else { return nil }
    guard seen.count == points.count else {
      columns = 0..<size.width
      rows = 0..<size.height
      return
    }
    func range(_ values: [Double], count: Int) -> Range<Int> {
      let low = min(max((values.min() ?? 0).rounded(.down), 0), Double(count))
      let high = min(max((values.max() ?? 0).rounded(.up), low), Double(count))
      return Int(low)..<Int(high)
    }
    columns = range(seen.map(\.x), count: size.width)
    rows = range(seen.map(\.y), count: size.height)
    if columns.isEmpty || rows.isEmpty { return nil }
  }

  /// The pixels whose centers lie in a rectangle; nil of none.
  init?(centersIn rect: Rect<UprightPixels>, of size: PixelSize) {
    let inside = rect.clipped(to: size.bounds())
    guard inside.isFinite else { return nil }
    func range(_ low: Double, _ high: Double, count: Int) -> Range<Int>? {
      let first = Int((low - 0.5).rounded(.up))
      let end = min(count, Int((high - 0.5).rounded(.up)))
      return first < end ? first..<end : nil
    }
    guard let columns = range(inside.minX, inside.maxX, count: size.width),
      let rows = range(inside.minY, inside.maxY, count: size.height)
    else { return nil }
    (self.columns, self.rows) = (columns, rows)
  }

  /// Its edges.
  var rect: Rect<UprightPixels> {
    Rect(
      x: Double(columns.lowerBound), y: Double(rows.lowerBound), width: Double(columns.count),
      height: Double(rows.count))
  }
}
