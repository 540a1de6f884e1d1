import Geometry

/// Pixels of the picture that is drawn on, whatever frame its canvas is labeled with.
enum CanvasPixels: PlanarFrame {}

extension RGBImage {
  /// Paints a rectangle less a hole inside it, every edge pixel by the area covered.
  ///
  /// Coverage is a product of a column's and a row's share, so only edge pixels need arithmetic and
  /// the inside of the hole is not visited.
  mutating func paint(_ color: Color, outer: Rect<CanvasPixels>, hole: Rect<CanvasPixels>? = nil) {
    let columns = Self.cells(outer.minX, outer.maxX, count: width)
    let rows = Self.cells(outer.minY, outer.maxY, count: height)
    guard !columns.isEmpty, !rows.isEmpty else { return }
    let outerShares = columns.map { Self.share($0, outer.minX, outer.maxX) }
    let holeShares = columns.map { column in hole.map { Self.share(column, $0.minX, $0.maxX) } ?? 0 }
    let firstHollow = holeShares.firstIndex(of: 1) ?? columns.count
    let lastHollow = holeShares.lastIndex(of: 1) ?? firstHollow - 1

    for y in rows {
      let outerShare = Self.share(y, outer.minY, outer.maxY)
      let holeShare = hole.map { Self.share(y, $0.minY, $0.maxY) } ?? 0
      let row = y * width + columns.lowerBound
      func paintColumns(_ range: Range<Int>, in image: inout RGBImage) {
        for column in range {
          let coverage = outerShare * outerShares[column] - holeShare * holeShares[column]
          image.blendPixel(at: row + column, color, Int(coverage * Float(color.alpha) + 0.5))
        }
      }
      if holeShare == 1 {
        paintColumns(0..<firstHollow, in: &self)
        paintColumns(lastHollow + 1..<columns.count, in: &self)
      } else {
        paintColumns(0..<columns.count, in: &self)
      }
    }
  }

  /// Blends one pixel, by its index.
  @inline(__always)
  mutating func blendPixel(at index: Int, _ color: Color, _ alpha: Int) {
    guard alpha > 0 else { return }
    pixels[index * 3] = Self.blend(Int(color.red), over: pixels[index * 3], alpha)
    pixels[index * 3 + 1] = Self.blend(Int(color.green), over: pixels[index * 3 + 1], alpha)
    pixels[index * 3 + 2] = Self.blend(Int(color.blue), over: pixels[index * 3 + 2], alpha)
  }

  /// How much of the cell [index, index + 1) lies in `low...high`.
  private static func share(_ index: Int, _ low: Double, _ high: Double) -> Float {
    Float(max(0, min(Double(index + 1), high) - max(Double(index), low)))
  }

  /// The cells of an axis that `low...high` meets.
  private static func cells(_ low: Double, _ high: Double, count: Int) -> Range<Int> {
    guard low < Double(count), high > 0, low < high else { return 0..<0 }
    return Int(max(0, low.rounded(.down)))..<Int(min(Double(count), high.rounded(.up)))
  }
}
