import Imaging

/// A film's picture as the compositor reads it: premultiplied, in floats of 0...255, halved as often as its size
/// on the screen allows.
struct FilmTexture: Sendable {
  let width: Int
  let height: Int
  /// The texels with a border of clear ones, so that every reading finds four.
  private let texels: [SIMD4<Float>]
  /// For each of the bordered rows but the last the columns in which a reading between this row and the next may find
  /// something.
  private let lit: [Range<Int32>]
  /// Texels along a bordered row.
  private var stride: Int { width + 2 }

  init(_ picture: RGBAImage) {
    let (width, height) = (picture.width, picture.height)
    let stride = width + 2
    var texels = [SIMD4<Float>](repeating: .zero, count: stride * (height + 2))
    let pixels = picture.pixels.span
    for row in 0..<height {
      let target = (row + 1) * stride + 1
      for column in 0..<width {
        let source = 4 * (row * width + column)
        let alpha = pixels[source + 3]
        guard alpha > 0 else { continue }
        let straight = SIMD4(
          Float(pixels[source]), Float(pixels[source + 1]), Float(pixels[source + 2]), 255)
        texels[target + column] = straight * (Float(alpha) / 255)
      }
    }
    self.init(width: width, height: height, bordered: texels)
  }

  private init(width: Int, height: Int, bordered texels: [SIMD4<Float>]) {
    self.width = width
    self.height = height
    self.texels = texels
    let stride = width + 2
    let rows = (0..<height + 2).map { row -> Range<Int32> in
      let start = row * stride
      guard let first = (start..<start + stride).first(where: { texels[$0].w > 0 }),
        let last = (start..<start + stride).last(where: { texels[$0].w > 0 })
      else { return 0..<0 }
      // A reading between two texels finds something if either is lit.
      return Int32(first - start - 1)..<Int32(last - start + 1)
    }
    lit = zip(rows, rows.dropFirst()).map { a, b in
      guard !a.isEmpty, !b.isEmpty else { return a.isEmpty ? b : a }
      return min(a.lowerBound, b.lowerBound)..<max(a.upperBound, b.upperBound)
    }
  }

  /// The texture at half the size, as often as a texel stays smaller than a pixel of the screen.
  func reduced(pixelsPerTexel: Float) -> FilmTexture {
    guard pixelsPerTexel < 0.6, width > 1, height > 1 else { return self }
    let (columns, rows) = (width / 2, height / 2)
    var halved = [SIMD4<Float>](repeating: .zero, count: (columns + 2) * (rows + 2))
    for row in 0..<rows {
      for column in 0..<columns {
        let corner = (2 * row + 1) * stride + 2 * column + 1
        let upper = texels[corner] + texels[corner + 1]
        let lower = texels[corner + stride] + texels[corner + stride + 1]
        halved[(row + 1) * (columns + 2) + column + 1] = (upper + lower) * 0.25
      }
    }
    return FilmTexture(width: columns, height: rows, bordered: halved).reduced(
      pixelsPerTexel: pixelsPerTexel * 2)
  }

  /// The color at (u, v) in texels, v down, bilinear between texel centers; clear beyond the border.
  @inline(__always)
  func color(_ u: Float, _ v: Float) -> SIMD4<Float> {
    // Texel (column, row) has its center at (column + 1, row + 1) here.
    let (x, y) = (u + 0.5, v + 0.5)
    guard x >= 0, y >= 0, x < Float(width + 1), y < Float(height + 1) else { return .zero }
    let (column, row) = (Int32(x), Int32(y))
    guard lit[Int(row)].contains(column) else { return .zero }
    let (fx, fy) = (x - Float(column), y - Float(row))
    let corner = Int(row) * stride + Int(column)
    let upper = mix(texels[corner], texels[corner + 1], fx)
    let lower = mix(texels[corner + stride], texels[corner + stride + 1], fx)
    return mix(upper, lower, fy)
  }

  /// Whether readings within these bounds, in texels, are sure to be clear.
  @inline(__always)
  func isClear(columns left: Float, _ right: Float, rows top: Float, _ bottom: Float) -> Bool {
    guard right >= -0.5, bottom >= -0.5, left < Float(width) + 0.5, top < Float(height) + 0.5 else {
      return true
    }
    let (first, last) = (Int(max(top + 0.5, 0)), Int(min(bottom + 0.5, Float(height))))
    guard last - first < 4 else { return false }
    let (from, to) = (Int32(max(left + 0.5, 0)), Int32(min(right + 0.5, Float(width))))
    for row in first...last where lit[row].lowerBound <= to && from < lit[row].upperBound { return false }
    return true
  }
}
