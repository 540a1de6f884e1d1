import Geometry
import Imaging

/// A picture in the making: light with alpha, both premultiplied, in floats.
///
/// Coordinates: y from 0 at the lower edge to 2 at the upper one, x from 0 in the middle, same unit. Light
/// may exceed its alpha: it then adds to the background, as flames do, and covers what `pixels` needs it to.
///
/// A buffer holds some rows of the picture, so that a picture can be made by several side by side; a pixel's value does
/// not depend on which rows its buffer holds.
package struct LightBuffer {
  let width: Int
  let height: Int
  /// The rows that are held, counted from the picture's top.
  let rows: Range<Int>
  /// Red, green, blue, alpha of each pixel, rows from the top.
  package private(set) var texels: [SIMD4<Float>]
  /// Pixels to one unit.
  let scale: Float

  /// - Precondition: `rows` are rows of the picture.
  package init(size: PixelSize, rows: Range<Int>) {
    precondition(rows.lowerBound >= 0 && rows.upperBound <= size.height, "rows outside the picture")
    width = size.width
    height = size.height
    self.rows = rows
    scale = Float(size.height) / 2
    texels = [SIMD4<Float>](repeating: .zero, count: width * rows.count)
  }

  /// Where the picture ends to the left and right.
  var halfWidth: Float { Float(width) / Float(height) }

  // MARK: Whole picture

  /// Lays `shade` over every pixel up to `top`: its premultiplied color and alpha at (x, y).
  @inline(__always)
  package mutating func shade(upTo top: Float = 2, _ shade: (_ x: Float, _ y: Float) -> SIMD4<Float>) {
    for row in rows(upTo: top) {
      let y = (Float(height - row) - 0.5) / scale
      for column in 0..<width {
        let x = (Float(column) + 0.5) / scale - halfWidth
        lay(shade(x, y), row, column)
      }
    }
  }

  /// Lays `shade` over every pixel up to `top`, given four values that change smoothly: these are computed in the middle
  /// of every square of `cell` pixels, and bilinear between.
  @inline(__always)
  package mutating func shade(
    upTo top: Float = 2, cell: Int = 2, smooth: (_ x: Float, _ y: Float) -> SIMD4<Float>,
    _ shade: (_ x: Float, _ y: Float, _ values: SIMD4<Float>) -> SIMD4<Float>
  ) {
    let drawn = rows(upTo: top)
    guard !drawn.isEmpty else { return }
    // Cell i of a line has its middle at pixel edge (i - 0.5) * cell: one lies before the picture, one after
    // it.
    let count = (width + cell - 1) / cell + 2
    func place(_ index: Int) -> Float { (Float(index) - 0.5) * Float(cell) }
    func line(_ index: Int) -> [SIMD4<Float>] {
      let y = (Float(height) - place(index)) / scale
      return (0..<count).map { smooth(place($0) / scale - halfWidth, y) }
    }
    /// The cell before a pixel, and the share of the one after it.
    func position(_ pixel: Int) -> (cell: Int, share: Float) {
      let halves = 2 * pixel + 1 + cell
      let before = halves / (2 * cell)
      return (before, Float(halves - before * 2 * cell) / Float(2 * cell))
    }
    let across = (0..<width).map(position)
    var upperLine = position(drawn.lowerBound).cell
    var (upper, lower) = (line(upperLine), line(upperLine + 1))
    var between = upper
    for row in drawn {
      let (before, share) = position(row)
      if before > upperLine {
        upperLine = before
        (upper, lower) = (lower, line(before + 1))
      }
      for index in between.indices { between[index] = mix(upper[index], lower[index], share) }
      let y = (Float(height - row) - 0.5) / scale
      for column in 0..<width {
        let x = (Float(column) + 0.5) / scale - halfWidth
        let (left, share) = across[column]
        lay(shade(x, y, mix(between[left], between[left + 1], share)), row, column)
      }
    }
  }

  /// Lays a color over every pixel up to `top` that changes so smoothly that one in every square of `cell` tells it.
  @inline(__always)
  package mutating func shadeSoftly(
    upTo top: Float = 2, cell: Int = 2, _ color: (_ x: Float, _ y: Float) -> SIMD4<Float>
  ) {
    shade(upTo: top, cell: cell, smooth: color) { _, _, values in values }
  }

  /// The held rows whose pixels lie below `top`.
  private func rows(upTo top: Float) -> Range<Int> {
    let first = Int(min(max(0, Float(height) - top * scale), Float(height)))
    return (first..<max(first, height)).clamped(to: rows)
  }

  @inline(__always)
  private mutating func lay(_ color: SIMD4<Float>, _ row: Int, _ column: Int) {
    guard color.w > 0 || color.x > 0 || color.y > 0 || color.z > 0 else { return }
    let index = (row - rows.lowerBound) * width + column
    texels[index] = color + texels[index] * (1 - min(color.w, 1))
  }

  // MARK: Shapes

  /// Visits the pixels within `reach` of the box around two points, with their positions.
  @inline(__always)
  private mutating func visit(
    _ a: SIMD2<Float>, _ b: SIMD2<Float>, reach: Float, _ body: (SIMD2<Float>) -> SIMD4<Float>
  ) {
    let left = max(0, (min(a.x, b.x) - reach + halfWidth) * scale)
    let right = min(Float(width), (max(a.x, b.x) + reach + halfWidth) * scale + 1)
    let top = max(Float(rows.lowerBound), Float(height) - (max(a.y, b.y) + reach) * scale)
    let bottom = min(Float(rows.upperBound), Float(height) - (min(a.y, b.y) - reach) * scale + 1)
    guard left < right, top < bottom else { return }
    for row in Int(top)..<Int(bottom) {
      let y = (Float(height - row) - 0.5) / scale
      for column in Int(left)..<Int(right) {
        let x = (Float(column) + 0.5) / scale - halfWidth
        lay(body(SIMD2(x, y)), row, column)
      }
    }
  }

  /// A soft ball of light that adds up with others: (1 - (d / radius)^2)^2.
  mutating func glow(_ center: SIMD2<Float>, radius: Float, _ color: SIMD3<Float>, _ strength: Float = 1) {
    visit(center, center, reach: radius) { point in
      let d = point - center
      let fall = max(0, 1 - (d * d).sum() / (radius * radius))
      return SIMD4(color * (fall * fall * strength), 0)
    }
  }

  /// A needle of light that tapers from its middle to both ends.
  mutating func streak(
    _ center: SIMD2<Float>, along way: SIMD2<Float>, width: Float, _ color: SIMD3<Float>, _ strength: Float
  ) {
    let length = (way * way).sum().squareRoot()
    let axis = way / length
    let pixel = 1 / scale
    visit(center - way, center + way, reach: width) { point in
      let d = point - center
      let along = abs((d * axis).sum()) / length
      let across = abs(d.x * axis.y - d.y * axis.x)
      let taper = max(0, 1 - along)
      let fall = max(0, 1 - across / max(width * taper, pixel))
      return SIMD4(color * (fall * taper * strength), 0)
    }
  }

  /// An opaque disc with a smooth edge.
  mutating func disc(
    _ center: SIMD2<Float>, radius: Float, softness: Float, _ color: SIMD3<Float>, _ opacity: Float = 1
  ) {
    visit(center, center, reach: radius + softness) { point in
      let d = point - center
      let alpha = opacity * smoothStep(radius + softness, radius - softness, (d * d).sum().squareRoot())
      return SIMD4(color * alpha, alpha)
    }
  }

  /// A luminous line: a white-hot core and a halo of the color.
  mutating func beam(
    _ a: SIMD2<Float>, _ b: SIMD2<Float>, core: Float, halo: Float, _ color: SIMD3<Float>, _ strength: Float
  ) {
    let along = b - a
    let lengthSquared = max((along * along).sum(), 1e-9)
    visit(a, b, reach: halo) { point in
      let share = min(max(((point - a) * along).sum() / lengthSquared, 0), 1)
      let d = point - a - along * share
      let squared = (d * d).sum()
      guard squared < halo * halo else { return .zero }
      let distance = squared.squareRoot()
      let fall = 1 - distance / halo
      let hot = smoothStep(core * 1.6, core * 0.4, distance)
      let light = color * (fall * fall * fall * 0.55 * strength)
      return SIMD4(light + SIMD3(repeating: hot * strength) * mix(color, SIMD3(1, 1, 1), 0.7), hot * strength)
    }
  }

  /// A shape given by its signed distance in its own frame, turned by `turns` and enlarged by `size`.
  ///
  /// `paint`: Color and coverage 0...1 for a point of the shape's frame, in which it reaches 1.1 at most.
  mutating func stamp(
    _ center: SIMD2<Float>, size: Float, turns: Float, opacity: Float, stretch: SIMD2<Float> = SIMD2(1, 1),
    _ paint: (_ point: SIMD2<Float>, _ pixel: Float) -> (color: SIMD3<Float>, coverage: Float)
  ) {
    let (c, s) = (Wave.cosine(turns), Wave.sine(turns))
    let pixel = 1 / (size * scale)
    visit(center, center, reach: size * 1.1 + 1.2 / scale) { point in
      let d = (point - center) / size
      let own = SIMD2(c * d.x + s * d.y, c * d.y - s * d.x) / stretch
      let (color, coverage) = paint(own, pixel)
      let alpha = opacity * min(max(coverage, 0), 1)
      return SIMD4(color * alpha, alpha)
    }
  }

  // MARK: Result

  /// The rows as red, green, blue and straight alpha bytes: light beyond its alpha raises it.
  func pixels() -> [UInt8] {
    var pixels = [UInt8](repeating: 0, count: texels.count * 4)
    var output = pixels.mutableSpan
    for index in texels.indices {
      let texel = texels[index]
      // Strong light saturates softly towards white instead of clipping to a hard color.
      let peak = max(texel.x, max(texel.y, texel.z))
      let excess = max(0, peak - 1) * 0.35
      let alpha = min(max(texel.w, peak + excess), 1)
      guard alpha > 1 / 512 else { continue }
      let scale = 255 / alpha
      func byte(_ light: Float) -> UInt8 {
        UInt8(truncatingIfNeeded: Int32(min(min(max(light + excess, 0), 1) * scale + 0.5, 255)))
      }
      output[index * 4] = byte(texel.x)
      output[index * 4 + 1] = byte(texel.y)
      output[index * 4 + 2] = byte(texel.z)
      output[index * 4 + 3] = UInt8(truncatingIfNeeded: Int32(alpha * 255 + 0.5))
    }
    return pixels
  }
}
