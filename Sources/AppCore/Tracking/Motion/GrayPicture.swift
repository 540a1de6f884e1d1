import FileFormats
import Imaging

/// A gray picture: levels from 0 to 255, row-major.
///
/// Rounding is that of OpenCV's functions, which are named, so that corners lie where theirs do. No sum of levels comes near
/// the ends of its integers, so that none is checked.
package struct GrayPicture: Sendable, Equatable {
  /// Columns.
  package let width: Int
  /// Rows.
  package let height: Int
  /// Levels of the pixels.
  package let levels: [Int32]

  /// A picture of levels, whose count is `width * height`.
  package init(width: Int, height: Int, levels: [Int32]) {
    precondition(width > 0 && height > 0, "an image has at least one pixel")
    precondition(levels.count == width * height, "a gray picture holds one level a pixel")
    (self.width, self.height, self.levels) = (width, height, levels)
  }

  /// A picture at half its width and height (`cv2.cvtColor`, then `cv2.resize`); nil of one that is a pixel wide or high.
  package init?(halfOf image: RGBImage, threads: Int = Parallel.threads) {
    let (width, height) = (image.width / 2, image.height / 2)
    guard width > 0, height > 0 else { return nil }
    let columns = Self.taps(from: image.width, to: width)
    let rows = Self.taps(from: image.height, to: height)
    let levels: [Int32] = Parallel.rows(height, width: width, threads: threads) { range, levels in
      var line = [Int32](repeating: 0, count: image.width)
      var upper = [Int32](repeating: 0, count: width)
      var lower = upper
      for (index, row) in range.enumerated() {
        let tap = rows[row]
        Self.fill(&upper, row: tap.first, of: image, columns, &line)
        Self.fill(&lower, row: tap.second, of: image, columns, &line)
        let start = index * width
        for x in 0..<width {
          let above = (tap.nearness &* (upper[x] &>> 4)) &>> 16
          let below = ((Self.one &- tap.nearness) &* (lower[x] &>> 4)) &>> 16
          levels[start + x] = (above &+ below &+ 2) &>> 2
        }
      }
    }
    self.init(width: width, height: height, levels: levels)
  }

  /// Half the picture's size, smoothed (`cv2.pyrDown`).
  ///
  /// Source: P. Burt and E. Adelson, *The Laplacian pyramid as a compact image code*, IEEE Transactions on Communications
  /// 31 (1983), whose weights these are.
  package func reduced(threads: Int = Parallel.threads) -> GrayPicture {
    let (own, ownHeight, source) = (width, height, levels)
    let (width, height) = ((own + 1) / 2, (ownHeight + 1) / 2)
    let reduced: [Int32] = Parallel.rows(height, width: width, threads: threads) { range, reduced in
      let all = source.span
      // Sums down the columns, with two beyond either end.
      var sums = [Int32](repeating: 0, count: own + 4)
      for (index, row) in range.enumerated() {
        let top = all.extracting(Self.row(2 * row - 2, own, ownHeight))
        let above = all.extracting(Self.row(2 * row - 1, own, ownHeight))
        let middle = all.extracting(Self.row(2 * row, own, ownHeight))
        let below = all.extracting(Self.row(2 * row + 1, own, ownHeight))
        let bottom = all.extracting(Self.row(2 * row + 2, own, ownHeight))
        for x in 0..<own {
          let outer = top[x] &+ bottom[x]
          let inner = above[x] &+ below[x]
          sums[x + 2] = outer &+ 4 &* inner &+ 6 &* middle[x]
        }
        for x in 1...2 {
          sums[2 - x] = sums[2 + Self.mirrored(-x, own)]
          sums[own + 1 + x] = sums[2 + Self.mirrored(own - 1 + x, own)]
        }
        let start = index * width
        for x in 0..<width {
          let outer = sums[2 * x] &+ sums[2 * x + 4]
          let inner = sums[2 * x + 1] &+ sums[2 * x + 3]
          reduced[start + x] = (outer &+ 4 &* inner &+ 6 &* sums[2 * x + 2] &+ 128) &>> 8
        }
      }
    }
    return GrayPicture(width: width, height: height, levels: reduced)
  }

  /// The place within `count` at which a place beyond an end lies that is mirrored there, the last one not repeated.
  static func mirrored(_ place: Int, _ count: Int) -> Int {
    guard count > 1 else { return 0 }
    var place = place
    while place < 0 || place >= count { place = place < 0 ? -place : 2 * (count - 1) - place }
    return place
  }

  /// The elements of a row, mirrored beyond the picture.
  private static func row(_ row: Int, _ width: Int, _ height: Int) -> Range<Int> {
    let start = mirrored(row, height) * width
    return start..<start + width
  }

  /// Two places, and the weight of the first, of `one`.
  private struct Tap: Sendable {
    let first, second: Int
    let nearness: Int32
  }

  private static let one: Int32 = 1 << 11

  /// The places between which those of a shorter side lie.
  private static func taps(from source: Int, to count: Int) -> [Tap] {
    let scale = Double(source) / Double(count)
    return (0..<count).map { index in
      let place = max(Float((Double(index) + 0.5) * scale - 0.5), 0)
      let first = min(Int(clamping: place), source - 1)
      guard first < source - 1 else { return Tap(first: first, second: first, nearness: one) }
      let nearness = ((1 - (place - Float(first))) * Float(one)).rounded(.toNearestOrEven)
      return Tap(first: first, second: first + 1, nearness: Int32(Int(clamping: nearness)))
    }
  }

  /// A row of an image, gray and `columns` wide; levels times `one`.
  private static func fill(
    _ sums: inout [Int32], row: Int, of image: RGBImage, _ columns: [Tap], _ line: inout [Int32]
  ) {
    let bytes = image.pixels.span.extracting(row * image.width * 3..<(row + 1) * image.width * 3)
    for x in 0..<image.width {
      let red = Int32(bytes[3 * x]) &* 9798
      let green = Int32(bytes[3 * x + 1]) &* 19235
      let blue = Int32(bytes[3 * x + 2]) &* 3735
      line[x] = (red &+ green &+ blue &+ 16384) &>> 15
    }
    for (x, tap) in columns.enumerated() {
      sums[x] = line[tap.first] &* tap.nearness &+ line[tap.second] &* (one &- tap.nearness)
    }
  }
}
