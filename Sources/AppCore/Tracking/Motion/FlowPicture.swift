import FileFormats

/// A picture at several sizes, each half the former, prepared for `LucasKanadeFlow`.
package struct FlowPicture: Sendable {
  /// The side of the squares that are compared, in pixels of each size.
  static let side = 21
  /// The count of sizes at most.
  private static let most = 4

  /// The largest first.
  let levels: [FlowLevel]

  /// A picture, and smaller ones as long as these are larger than what is compared.
  package init(_ picture: GrayPicture, threads: Int = Parallel.threads) {
    var levels = [FlowLevel(picture, threads: threads)]
    var picture = picture
    while levels.count < Self.most, min(picture.width, picture.height) > 2 * Self.side {
      picture = picture.reduced(threads: threads)
      levels.append(FlowLevel(picture, threads: threads))
    }
    self.levels = levels
  }

  /// Whether another picture has the same size.
  package func isAsLarge(as other: FlowPicture) -> Bool {
    levels[0].width == other.levels[0].width && levels[0].height == other.levels[0].height
  }
}

/// One size of a picture with its derivatives (Scharr's), and a border in which the picture is mirrored and does not change.
struct FlowLevel: Sendable {
  /// Pixels around the picture: as far as a square reaches beyond it that touches it.
  static let border = 24

  let width, height: Int
  /// Elements of a row, with its borders.
  let stride: Int
  /// Levels, with borders.
  let levels: [Float]
  /// Derivatives across and down, 32 times the change a pixel, with borders.
  let across, down: [Float]

  init(_ picture: GrayPicture, threads: Int) {
    let (width, height, border) = (picture.width, picture.height, Self.border)
    let (stride, rows) = (width + 2 * border, height + 2 * border)
    let source = picture.levels
    let levels: [Float] = Parallel.rows(rows, width: stride, threads: threads) { range, levels in
      for (index, y) in range.enumerated() {
        let first = GrayPicture.mirrored(y - border, height) * width
        let row = source.span.extracting(first..<first + width)
        let start = index * stride + border
        for x in 0..<width { levels[start + x] = Float(row[x]) }
        for x in 1...border {
          levels[start - x] = Float(row[GrayPicture.mirrored(-x, width)])
          levels[start + width - 1 + x] = Float(row[GrayPicture.mirrored(width - 1 + x, width)])
        }
      }
    }
    let (across, down): ([Float], [Float]) = Parallel.rows(rows, width: stride, threads: threads) {
      range, across, down in
      for (index, y) in range.enumerated() {
        let start = index * stride
        guard y >= border, y < border + height else {
          for x in start..<start + stride { (across[x], down[x]) = (0, 0) }
          continue
        }
        let first = y * stride + border - 1
        let upper = levels.span.extracting(first - stride..<first - stride + width + 2)
        let own = levels.span.extracting(first..<first + width + 2)
        let lower = levels.span.extracting(first + stride..<first + stride + width + 2)
        for x in 0..<border {
          (across[start + x], down[start + x]) = (0, 0)
          (across[start + border + width + x], down[start + border + width + x]) = (0, 0)
        }
        for x in 0..<width {
          let right = 3 * (upper[x + 2] + lower[x + 2]) + 10 * own[x + 2]
          let left = 3 * (upper[x] + lower[x]) + 10 * own[x]
          let sides = (lower[x] - upper[x]) + (lower[x + 2] - upper[x + 2])
          across[start + border + x] = right - left
          down[start + border + x] = 3 * sides + 10 * (lower[x + 1] - upper[x + 1])
        }
      }
    }
    (self.width, self.height, self.stride) = (width, height, stride)
    (self.levels, self.across, self.down) = (levels, across, down)
  }

  /// Whether a square with this corner touches the picture.
  func holds(_ corner: SIMD2<Float>) -> Bool {
    let place = corner.rounded(.down)
    let least = -Float(FlowPicture.side)
    return place.x >= least && place.y >= least && place.x < Float(width) && place.y < Float(height)
  }

  /// The element of a pixel.
  func element(_ x: Int, _ y: Int) -> Int { (y + Self.border) * stride + x + Self.border }
}
