/// Fractal gradient noise (Perlin 1985) on a tile that repeats seamlessly: clouds, flames and dust are read from
/// it by scrolling and bending.
package struct NoiseTexture: Sendable {
  /// Texels along a side; a power of two.
  private static let side = 256
  /// Texels to one unit, about the size of the largest shapes.
  private static let texelsPerUnit = 32
  private static let octaves = 5

  /// The noise that all effects share.
  package static let shared = NoiseTexture(seed: 0x5EED)

  /// Each texel with its right, lower and lower right neighbor: what one reading needs.
  private let quads: [SIMD4<Float>]

  /// Noise in [0, 1], stretched to the whole range.
  init(seed: UInt64) {
    let side = Self.side
    let scatter = Scatter(seed: seed)
    var sums = [Float](repeating: 0, count: side * side)
    var weight: Float = 1
    for octave in 0..<Self.octaves {
      // Lattice cells along the tile; every octave repeats with it.
      let cells = (side / Self.texelsPerUnit) << octave
      let gradients = (0..<cells * cells).map { node in
        let turn = scatter.unit(node, octave)
        return SIMD2(Wave.cosine(turn), Wave.sine(turn))
      }
      for y in 0..<side {
        for x in 0..<side {
          let column = Float(x * cells) / Float(side)
          let row = Float(y * cells) / Float(side)
          sums[y * side + x] += weight * Self.gradientNoise(column, row, gradients, cells: cells)
        }
      }
      weight /= 2
    }
    let least = sums.min() ?? 0
    let spread = (sums.max() ?? 1) - least
    func texel(_ column: Int, _ row: Int) -> Float {
      (sums[row % side * side + column % side] - least) / spread
    }
    quads = (0..<side * side).map { index in
      let (row, column) = index.quotientAndRemainder(dividingBy: side)
      return SIMD4(
        texel(column, row), texel(column + 1, row), texel(column, row + 1), texel(column + 1, row + 1))
    }
  }

  private static func gradientNoise(
    _ x: Float, _ y: Float, _ gradients: [SIMD2<Float>], cells: Int
  ) -> Float {
    let (column, row) = (Int(x), Int(y))
    let (u, v) = (x - Float(column), y - Float(row))
    func corner(_ i: Int, _ j: Int) -> Float {
      let gradient = gradients[(row + j) % cells * cells + (column + i) % cells]
      return gradient.x * (u - Float(i)) + gradient.y * (v - Float(j))
    }
    // The quintic fade has no second derivative at the lattice.
    func fade(_ t: Float) -> Float { t * t * t * (t * (t * 6 - 15) + 10) }
    let upper = mix(corner(0, 0), corner(1, 0), fade(u))
    let lower = mix(corner(0, 1), corner(1, 1), fade(u))
    return mix(upper, lower, fade(v))
  }

  /// The noise at a point, bilinear between texels.
  @inline(__always)
  package func callAsFunction(_ x: Float, _ y: Float) -> Float {
    let scale = Float(Self.texelsPerUnit)
    let (column, fx) = Self.split(x * scale)
    let (row, fy) = Self.split(y * scale)
    let mask = Self.side - 1
    let quad = quads[(row & mask) * Self.side + (column & mask)]
    let sides = quad.lowHalf + (quad.highHalf - quad.lowHalf) * fy
    return mix(sides.x, sides.y, fx)
  }

  /// The whole number below a position, whose magnitude stays below two thousand million, and the rest in [0, 1].
  @inline(__always)
  private static func split(_ position: Float) -> (whole: Int, rest: Float) {
    let whole = Int32(position)
    let rest = position - Float(whole)
    return rest < 0 ? (Int(whole) - 1, rest + 1) : (Int(whole), rest)
  }
}
