/// Source cells of every output cell under a triangle as wide as the reduction, with weights of 22 fractional bits, as
/// Pillow 13 computes them for 8-bit pictures (`Image.BILINEAR`).
struct TriangleTaps {
  /// First source cell of every output cell that is wanted.
  let starts: [Int]
  /// Weights of the cells from there on, output cell by output cell.
  let weights: [[Int32]]

  /// The source cells that are read.
  var cells: Range<Int> {
    guard let first = starts.first, let last = starts.last, let end = weights.last else { return 0..<0 }
    return first..<last + end.count
  }

  /// Fractional bits of a weight: 32 less those of a byte and two to spare.
  static let bits = 22

  /// - `wanted`: the output cells to compute taps for.
  init(from source: Int, to target: Int, wanted: Range<Int>) {
    let scale = Double(source) / Double(target)
    let reach = max(scale, 1)
    var starts: [Int] = []
    var weights: [[Int32]] = []
    for index in wanted {
      let center = (Double(index) + 0.5) * scale
      let first = max(0, Int(center - reach + 0.5))
      let end = min(source, Int(center + reach + 0.5))
      let shares = (first..<end).map { max(0, 1 - abs((Double($0) - center + 0.5) * (1 / reach))) }
      let total = shares.reduce(0, +)
      starts.append(first)
      weights.append(
        shares.map { Int32(0.5 + (total == 0 ? $0 : $0 / total) * Double(1 << Self.bits)) })
    }
    self.starts = starts
    self.weights = weights
  }
}

extension RGBImage {
  /// A part of this picture at another size, each pixel the mean of what it covers under a triangle, rounded to bytes between
  /// the two directions, as Pillow 13's `Image.resize(..., BILINEAR)`.
  ///
  /// Every row is resized, then every column; the other way round where more than twice as many rows go as columns.
  ///
  /// - Parameters:
  ///   - newWidth: Columns of the whole picture at the other size.
  ///   - newHeight: Its rows.
  ///   - columns: Those of the columns that are wanted.
  ///   - rows: Those of the rows that are wanted.
  /// - Returns: The part, `columns` by `rows` pixels.
  public func resizedAveraging8(
    width newWidth: Int, height newHeight: Int, columns: Range<Int>, rows: Range<Int>
  ) -> RGBImage {
    precondition(newWidth > 0 && newHeight > 0 && !columns.isEmpty && !rows.isEmpty, "at least one pixel")
    precondition(
      columns.lowerBound >= 0 && columns.upperBound <= newWidth && rows.lowerBound >= 0
        && rows.upperBound <= newHeight, "the part lies in the picture")
    let across = newWidth == width ? nil : TriangleTaps(from: width, to: newWidth, wanted: columns)
    let down = newHeight == height ? nil : TriangleTaps(from: height, to: newHeight, wanted: rows)
    let (x, y) = (across?.cells ?? columns, down?.cells ?? rows)
    let part =
      x == 0..<width && y == 0..<height
      ? self : cropped(x: x.lowerBound, y: y.lowerBound, width: x.count, height: y.count)
    return height - newHeight > max(0, 2 * (width - newWidth))
      ? part.resizedColumns(down).resizedRows(across) : part.resizedRows(across).resizedColumns(down)
  }

  /// Every row by these taps, whose first cell is this picture's first column; the picture itself without taps.
  private func resizedRows(_ taps: TriangleTaps?) -> RGBImage {
    guard let taps else { return self }
    let (newWidth, first) = (taps.starts.count, taps.cells.lowerBound)
    var result = [UInt8](repeating: 0, count: newWidth * height * 3)
    let source = pixels.span
    var output = result.mutableSpan
    var target = 0
    for row in 0..<height {
      for column in 0..<newWidth {
        var sums = SIMD3<Int32>(repeating: 1 << (Int32(TriangleTaps.bits) - 1))
        var index = (row * width + taps.starts[column] - first) * 3
        for weight in taps.weights[column] {
          sums &+= SIMD3(Int32(source[index]), Int32(source[index + 1]), Int32(source[index + 2])) &* weight
          index += 3
        }
        for channel in 0..<3 { output[target + channel] = byte(sums[channel]) }
        target += 3
      }
    }
    return RGBImage(width: newWidth, height: height, pixels: result)
  }

  /// Every column by these taps, whose first cell is this picture's first row; the picture itself without taps.
  private func resizedColumns(_ taps: TriangleTaps?) -> RGBImage {
    guard let taps else { return self }
    let (newHeight, first) = (taps.starts.count, taps.cells.lowerBound)
    let count = width * 3
    var result = [UInt8](repeating: 0, count: count * newHeight)
    let source = pixels.span
    var output = result.mutableSpan
    for row in 0..<newHeight {
      for column in 0..<count {
        var sum: Int32 = 1 << (Int32(TriangleTaps.bits) - 1)
        var index = (taps.starts[row] - first) * count + column
        for weight in taps.weights[row] {
          sum &+= Int32(source[index]) &* weight
          index += count
        }
        output[row * count + column] = byte(sum)
      }
    }
    return RGBImage(width: width, height: newHeight, pixels: result)
  }
}

/// The whole part of a sum, within a byte.
@inline(__always)
private func byte(_ sum: Int32) -> UInt8 { UInt8(min(max(sum >> Int32(TriangleTaps.bits), 0), 255)) }
