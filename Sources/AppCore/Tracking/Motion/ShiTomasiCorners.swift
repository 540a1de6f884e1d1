import FileFormats

/// Places that can be found again in another picture: where the gradients around have two directions.
///
/// The measure is the smaller eigenvalue of the sums of products of Sobel derivatives over 3 x 3 pixels, in units of its own.
///
/// Source: J. Shi and C. Tomasi, *Good features to track*, CVPR (1994).
package enum ShiTomasiCorners {
  /// The least measure of a corner, as a share of the greatest one of the picture.
  private static let quality: Float = 0.01

  /// The corners of a picture, the surest first: pixels with no surer one around, which makes them a pixel apart at least.
  ///
  /// - Parameters:
  ///   - picture: The picture.
  ///   - most: The count of corners that are enough, by default as many as Ultralytics takes.
  ///   - threads: That work side by side.
  /// - Returns: Their columns and rows.
  package static func corners(
    of picture: GrayPicture, most: Int = 400, threads: Int = Parallel.threads
  ) -> [SIMD2<Float>] {
    let (width, height) = (picture.width, picture.height)
    guard width > 2, height > 2 else { return [] }
    // The measure, and the greatest of a pixel and those beside it.
    let (measures, greatest): ([Float], [Float]) = Parallel.rows(height, width: width, threads: threads) {
      range, measures, greatest in
      var products = ProductRows(picture, before: range.lowerBound)
      var row = [Float](repeating: 0, count: width)
      for (index, y) in range.enumerated() {
        products.advance(to: y)
        products.measure(&row)
        let start = index * width
        for x in 0..<width { measures[start + x] = row[x] }
        greatest[start] = max(row[0], row[1])
        for x in 1..<width - 1 { greatest[start + x] = max(max(row[x - 1], row[x + 1]), row[x]) }
        greatest[start + width - 1] = max(row[width - 2], row[width - 1])
      }
    }
    let all = measures.span
    var top: Float = 0
    for index in all.indices { top = max(top, all[index]) }
    let least = quality * top
    // A positive number's bits are in the order of its value.
    var found: [UInt64] = []
    for y in 1..<height - 1 {
      let own = all.extracting(y * width..<(y + 1) * width)
      let middle = greatest.span.extracting(y * width..<(y + 1) * width)
      let above = greatest.span.extracting((y - 1) * width..<y * width)
      let below = greatest.span.extracting((y + 1) * width..<(y + 2) * width)
      for x in 1..<width - 1 {
        let value = own[x]
        guard value > least, value >= middle[x], value >= above[x], value >= below[x] else { continue }
        found.append(UInt64(value.bitPattern) << 32 | UInt64(truncatingIfNeeded: y * width + x))
      }
    }
    found.sort(by: >)
    return found.prefix(most).map { key in
      let place = Int(truncatingIfNeeded: key & 0xFFFF_FFFF)
      return SIMD2(Float(place % width), Float(place / width))
    }
  }
}

/// Products of a row's derivatives: across with across, across with down, down with down.
private struct ProductRow {
  var xx, xy, yy: [Float]

  init(width: Int) {
    xx = [Float](repeating: 0, count: width)
    (xy, yy) = (xx, xx)
  }
}

/// Products of a picture's derivatives in three rows, summed over three columns.
private struct ProductRows {
  private let width: Int
  private var above, middle, below: ProductRow
  private var line: DerivativeLine

  /// Rows that `advance` fills, the first time for row `row`.
  init(_ picture: GrayPicture, before row: Int) {
    width = picture.width
    above = ProductRow(width: width)
    (middle, below) = (above, above)
    line = DerivativeLine(picture)
    line.fill(&middle, row - 1)
    line.fill(&below, row)
  }

  /// Moves on to the next row.
  mutating func advance(to row: Int) {
    swap(&above, &middle)
    swap(&middle, &below)
    line.fill(&below, row + 1)
  }

  /// The smaller eigenvalue of each pixel's sums.
  func measure(_ row: inout [Float]) {
    let all = 0..<width
    let (a, b, c) = (above.xx.span, middle.xx.span, below.xx.span)
    let (d, e, f) = (above.xy.span, middle.xy.span, below.xy.span)
    let (g, h, i) = (above.yy.span, middle.yy.span, below.yy.span)
    for x in all {
      let xx = (a[x] + b[x] + c[x]) * 0.5
      let xy = d[x] + e[x] + f[x]
      let yy = (g[x] + h[x] + i[x]) * 0.5
      let apart = (xx - yy) * (xx - yy) + xy * xy
      row[x] = xx + yy - apart.squareRoot()
    }
  }
}

/// Makes the products of a row, which is mirrored beyond the picture.
private struct DerivativeLine {
  private let picture: GrayPicture
  /// Derivatives, with one beyond either end.
  private var across, down: [Float]
  /// Levels smoothed down the columns, and their differences, with one beyond either end.
  private var smooth, steps: [Int32]

  init(_ picture: GrayPicture) {
    self.picture = picture
    across = [Float](repeating: 0, count: picture.width + 2)
    down = across
    smooth = [Int32](repeating: 0, count: picture.width + 2)
    steps = smooth
  }

  mutating func fill(_ row: inout ProductRow, _ place: Int) {
    let (width, height) = (picture.width, picture.height)
    let y = GrayPicture.mirrored(place, height)
    let (up, under) = (GrayPicture.mirrored(y - 1, height), GrayPicture.mirrored(y + 1, height))
    let source = picture.levels
    let levels = source.span
    let upper = levels.extracting(up * width..<(up + 1) * width)
    let own = levels.extracting(y * width..<(y + 1) * width)
    let lower = levels.extracting(under * width..<(under + 1) * width)
    for x in 0..<width {
      smooth[x + 1] = upper[x] &+ 2 &* own[x] &+ lower[x]
      steps[x + 1] = lower[x] &- upper[x]
    }
    let (first, last) = (1 + GrayPicture.mirrored(-1, width), 1 + GrayPicture.mirrored(width, width))
    (smooth[0], smooth[width + 1]) = (smooth[first], smooth[last])
    (steps[0], steps[width + 1]) = (steps[first], steps[last])
    for x in 0..<width {
      across[x + 1] = Float(smooth[x + 2] &- smooth[x])
      down[x + 1] = Float(steps[x] &+ 2 &* steps[x + 1] &+ steps[x + 2])
    }
    (across[0], across[width + 1]) = (across[first], across[last])
    (down[0], down[width + 1]) = (down[first], down[last])
    for x in 0..<width {
      let (x0, x1, x2) = (across[x], across[x + 1], across[x + 2])
      let (y0, y1, y2) = (down[x], down[x + 1], down[x + 2])
      row.xx[x] = x0 * x0 + x1 * x1 + x2 * x2
      row.xy[x] = x0 * y0 + x1 * y1 + x2 * y2
      row.yy[x] = y0 * y0 + y1 * y1 + y2 * y2
    }
  }
}
