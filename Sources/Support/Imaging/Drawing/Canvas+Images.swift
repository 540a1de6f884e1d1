import Geometry

extension Canvas {
  /// Draws a picture with its top-left corner at pixel (`x`, `y`), every pixel unscaled.
  public mutating func draw(_ picture: RGBImage, x: Int, y: Int, opacity: Double = 1) {
    draw(RGBAImage(picture), x: x, y: y, opacity: opacity)
  }

  /// Draws a picture with alpha, its top-left corner at pixel (`x`, `y`), every pixel unscaled.
  public mutating func draw(_ picture: RGBAImage, x: Int, y: Int, opacity: Double = 1) {
    picture.checkCount()
    let columns = max(0, -x)..<max(max(0, -x), min(picture.width, image.width - x))
    let rows = max(0, -y)..<max(max(0, -y), min(picture.height, image.height - y))
    for row in rows {
      for column in columns {
        let source = (row * picture.width + column) * 4
        let alpha = Int((Double(picture.pixels[source + 3]) * min(max(opacity, 0), 1)).rounded())
        guard alpha > 0 else { continue }
        let target = ((row + y) * image.width + column + x) * 3
        for channel in 0..<3 {
          image.pixels[target + channel] = RGBImage.blend(
            Int(picture.pixels[source + channel]), over: image.pixels[target + channel], alpha)
        }
      }
    }
  }

  /// Draws a picture with alpha stretched over a rectangle, bilinear between pixel centers.
  public mutating func draw(_ picture: RGBAImage, in rect: Rect<Frame>, opacity: Double = 1) {
    picture.checkCount()
    guard rect.isFinite, !rect.isEmpty,
      let area = CoverageMask(
        bounds: (rect.minX, rect.minY, rect.maxX, rect.maxY), canvas: (image.width, image.height))
    else { return }
    for y in area.minY..<area.minY + area.height {
      let v = (Double(y) + 0.5 - rect.minY) / rect.height * Double(picture.height) - 0.5
      for x in area.minX..<area.minX + area.width {
        let u = (Double(x) + 0.5 - rect.minX) / rect.width * Double(picture.width) - 0.5
        guard u >= -0.5, v >= -0.5, u < Double(picture.width) - 0.5, v < Double(picture.height) - 0.5
        else { continue }
        let color = picture.sampled(u, v)
        let alpha = Int((color.alpha * min(max(opacity, 0), 1)).rounded())
        guard alpha > 0 else { continue }
        let target = (y * image.width + x) * 3
        for (channel, value) in [color.red, color.green, color.blue].enumerated() {
          image.pixels[target + channel] = RGBImage.blend(
            Int(value.rounded()), over: image.pixels[target + channel], alpha)
        }
      }
    }
  }

  /// Lays a color over the picture, as opaque as the mask (0 to 255, of the picture's size) says, times
  /// the color's own alpha.
  public mutating func tint(_ mask: Plane<UInt8>, color: Color) {
    precondition(mask.width == image.width && mask.height == image.height, "the mask has the picture's size")
    mask.checkCount()
    let (red, green, blue) = (Int(color.red), Int(color.green), Int(color.blue))
    let opacities = mask.elements.span
    var pixels = image.pixels.mutableSpan
    // Most of a mask is empty: blocks of nothing are passed over.
    let block = 32
    for first in stride(from: 0, to: opacities.count, by: block) {
      let part = opacities.extracting(first..<min(first + block, opacities.count))
      var some: UInt8 = 0
      for index in part.indices { some |= part[index] }
      guard some > 0 else { continue }
      for index in first..<first + part.count where opacities[index] > 0 {
        Self.tint(&pixels, at: 3 * index, (red, green, blue), color.alpha, opacities[index])
      }
    }
  }

  @inline(__always)
  private static func tint(
    _ pixels: inout MutableSpan<UInt8>, at target: Int, _ color: (red: Int, green: Int, blue: Int),
    _ alpha: UInt8, _ opacity: UInt8
  ) {
    let alpha = (Int(opacity) * Int(alpha) + 127) / 255
    pixels[target] = RGBImage.blend(color.red, over: pixels[target], alpha)
    pixels[target + 1] = RGBImage.blend(color.green, over: pixels[target + 1], alpha)
    pixels[target + 2] = RGBImage.blend(color.blue, over: pixels[target + 2], alpha)
  }
}

extension RGBAImage {
  /// Bilinear between pixel centers, border replicated; colors weighted by their alpha.
  fileprivate func sampled(
    _ u: Double, _ v: Double
  ) -> (red: Double, green: Double, blue: Double, alpha: Double) {
    let (x, y) = (max(0, min(u, Double(width - 1))), max(0, min(v, Double(height - 1))))
    let (x0, y0) = (Int(x), Int(y))
    let (fx, fy) = (x - Double(x0), y - Double(y0))
    var sums = SIMD4<Double>()
    for (row, rowWeight) in [(y0, 1 - fy), (min(y0 + 1, height - 1), fy)] {
      for (column, columnWeight) in [(x0, 1 - fx), (min(x0 + 1, width - 1), fx)] {
        let index = (row * width + column) * 4
        let alpha = Double(pixels[index + 3]) * rowWeight * columnWeight
        sums += SIMD4(
          Double(pixels[index]) * alpha, Double(pixels[index + 1]) * alpha,
          Double(pixels[index + 2]) * alpha, alpha)
      }
    }
    let alpha = max(sums.w, .leastNormalMagnitude)
    return (sums.x / alpha, sums.y / alpha, sums.z / alpha, sums.w)
  }
}
