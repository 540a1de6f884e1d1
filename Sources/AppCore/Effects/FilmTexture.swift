import Imaging

/// A film's picture as the compositor reads it: premultiplied, in floats of 0...255, halved as often as its size
/// on the screen allows.
struct FilmTexture: Sendable {
  let width: Int
  let height: Int
  private let texels: [SIMD4<Float>]

  init(_ picture: RGBAImage) {
    width = picture.width
    height = picture.height
    var texels = [SIMD4<Float>](repeating: .zero, count: width * height)
    let pixels = picture.pixels.span
    for index in texels.indices where pixels[4 * index + 3] > 0 {
      let alpha = Float(pixels[4 * index + 3])
      let share = alpha / 255
      texels[index] = SIMD4(
        Float(pixels[4 * index]) * share, Float(pixels[4 * index + 1]) * share,
        Float(pixels[4 * index + 2]) * share, alpha)
    }
    self.texels = texels
  }

  private init(width: Int, height: Int, texels: [SIMD4<Float>]) {
    self.width = width
    self.height = height
    self.texels = texels
  }

  /// The texture at half the size, as often as a texel stays smaller than a pixel of the screen.
  func reduced(pixelsPerTexel: Float) -> FilmTexture {
    guard pixelsPerTexel < 0.6, width > 1, height > 1 else { return self }
    let (columns, rows) = (width / 2, height / 2)
    var halved = [SIMD4<Float>](repeating: .zero, count: columns * rows)
    for row in 0..<rows {
      for column in 0..<columns {
        let corner = 2 * row * width + 2 * column
        let upper = texels[corner] + texels[corner + 1]
        let lower = texels[corner + width] + texels[corner + width + 1]
        halved[row * columns + column] = (upper + lower) * 0.25
      }
    }
    return FilmTexture(width: columns, height: rows, texels: halved).reduced(
      pixelsPerTexel: pixelsPerTexel * 2)
  }

  /// The colour at (u, v) in [0, 1), v down, bilinear between texel centres; clear beyond the border.
  @inline(__always)
  func color(_ u: Float, _ v: Float) -> SIMD4<Float> {
    let x = u * Float(width) + 0.5
    let y = v * Float(height) + 0.5
    guard x >= 0, y >= 0, x < Float(width + 1), y < Float(height + 1) else { return .zero }
    // Texel (column, row) has its centre at (column + 1, row + 1) here: a border of clear texels surrounds it.
    let (column, row) = (Int(x) - 1, Int(y) - 1)
    let (fx, fy) = (x - Float(column + 1), y - Float(row + 1))
    let upper = texel(column, row) * (1 - fx) + texel(column + 1, row) * fx
    let lower = texel(column, row + 1) * (1 - fx) + texel(column + 1, row + 1) * fx
    return upper + (lower - upper) * fy
  }

  @inline(__always)
  private func texel(_ column: Int, _ row: Int) -> SIMD4<Float> {
    guard column >= 0, row >= 0, column < width, row < height else { return .zero }
    return texels[row * width + column]
  }
}
