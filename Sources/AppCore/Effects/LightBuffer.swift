import Geometry
import Imaging

/// A picture in the making: light with alpha, both premultiplied, in floats.
///
/// Coordinates: y from 0 at the lower edge to 2 at the upper one, x from 0 in the middle, same unit. Light may
/// exceed its alpha: it then adds to what is behind, as flames do, and covers what `picture` needs it to.
struct LightBuffer {
  let width: Int
  let height: Int
  /// Red, green, blue, alpha of each pixel, rows from the top.
  private(set) var texels: [SIMD4<Float>]
  /// Pixels to one unit.
  let scale: Float

  init(size: PixelSize) {
    width = size.width
    height = size.height
    scale = Float(size.height) / 2
    texels = [SIMD4<Float>](repeating: .zero, count: width * height)
  }

  /// Where the picture ends to the left and right.
  var halfWidth: Float { Float(width) / Float(height) }

  // MARK: Whole picture

  /// Lays `shade` over every pixel: its premultiplied colour and alpha at (x, y).
  @inline(__always)
  mutating func shade(_ shade: (_ x: Float, _ y: Float) -> SIMD4<Float>) {
    for row in 0..<height {
      let y = (Float(height - row) - 0.5) / scale
      for column in 0..<width {
        let x = (Float(column) + 0.5) / scale - halfWidth
        lay(shade(x, y), at: row * width + column)
      }
    }
  }

  @inline(__always)
  private mutating func lay(_ color: SIMD4<Float>, at index: Int) {
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
    let top = max(0, Float(height) - (max(a.y, b.y) + reach) * scale)
    let bottom = min(Float(height), Float(height) - (min(a.y, b.y) - reach) * scale + 1)
    guard left < right, top < bottom else { return }
    for row in Int(top)..<Int(bottom) {
      let y = (Float(height - row) - 0.5) / scale
      for column in Int(left)..<Int(right) {
        let x = (Float(column) + 0.5) / scale - halfWidth
        lay(body(SIMD2(x, y)), at: row * width + column)
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

  /// A luminous line: a white-hot core and a halo of the colour.
  mutating func beam(
    _ a: SIMD2<Float>, _ b: SIMD2<Float>, core: Float, halo: Float, _ color: SIMD3<Float>, _ strength: Float
  ) {
    let along = b - a
    let lengthSquared = max((along * along).sum(), 1e-9)
    visit(a, b, reach: halo) { point in
      let share = min(max(((point - a) * along).sum() / lengthSquared, 0), 1)
      let d = point - a - along * share
      let distance = (d * d).sum().squareRoot()
      let fall = max(0, 1 - distance / halo)
      let hot = smoothStep(core * 1.6, core * 0.4, distance)
      let light = color * (fall * fall * fall * 0.55 * strength)
      return SIMD4(light + SIMD3(repeating: hot * strength) * mix(color, SIMD3(1, 1, 1), 0.7), hot * strength)
    }
  }

  /// A shape given by its signed distance in its own frame, turned by `turns` and enlarged by `size`.
  ///
  /// - Parameter paint: Colour and coverage 0...1 for a point of the shape's frame, in which it is about 1 large.
  mutating func stamp(
    _ center: SIMD2<Float>, size: Float, turns: Float, opacity: Float, stretch: SIMD2<Float> = SIMD2(1, 1),
    _ paint: (_ point: SIMD2<Float>, _ pixel: Float) -> (color: SIMD3<Float>, coverage: Float)
  ) {
    let (c, s) = (Wave.cosine(turns), Wave.sine(turns))
    let pixel = 1 / (size * scale)
    visit(center, center, reach: size * 1.5) { point in
      let d = (point - center) / size
      let own = SIMD2(c * d.x + s * d.y, c * d.y - s * d.x) / stretch
      let (color, coverage) = paint(own, pixel)
      let alpha = opacity * min(max(coverage, 0), 1)
      return SIMD4(color * alpha, alpha)
    }
  }

  // MARK: Result

  /// The picture with straight alpha: light beyond its alpha raises it.
  func picture() -> RGBAImage {
    var pixels = [UInt8](repeating: 0, count: width * height * 4)
    var output = pixels.mutableSpan
    for index in 0..<width * height {
      let texel = texels[index]
      // Strong light saturates softly towards white instead of clipping to a hard colour.
      let peak = max(texel.x, max(texel.y, texel.z))
      let excess = max(0, peak - 1) * 0.35
      let color = SIMD3(texel.x, texel.y, texel.z) + SIMD3(repeating: excess)
      let light = color.clamped(lowerBound: .zero, upperBound: SIMD3(1, 1, 1))
      let alpha = min(max(texel.w, max(light.x, max(light.y, light.z))), 1)
      guard alpha > 1 / 512 else { continue }
      let straight = light * (255 / alpha) + SIMD3(repeating: 0.5)
      let bounded = straight.clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 255))
      output[index * 4] = UInt8(bounded.x)
      output[index * 4 + 1] = UInt8(bounded.y)
      output[index * 4 + 2] = UInt8(bounded.z)
      output[index * 4 + 3] = UInt8(alpha * 255 + 0.5)
    }
    return RGBAImage(width: width, height: height, pixels: pixels)
  }
}
