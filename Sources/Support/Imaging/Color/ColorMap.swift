/// Maps a value in 0...1 to a color, for showing depth; never used in any calculation.
public struct ColorMap: Sendable, Equatable {
  /// 256 colors, evenly spaced over 0...1.
  public let colors: [Color]

  private init(_ color: (Double) -> Color) {
    colors = (0...255).map { color(Double($0) / 255) }
  }

  /// The color of a value; values outside 0...1 are clamped, NaN counts as 0.
  public func callAsFunction(_ value: Float) -> Color { colors[Int(Self.entry(of: value))] }

  /// The nearest entry to a place from 0 to 1; the first of what is not a number.
  @inline(__always)
  private static func entry(of place: Float) -> UInt16 {
    UInt16(truncatingIfNeeded: ((place > 0 ? (place < 1 ? place : 1) : 0) * 255 + 0.5).wholePart)
  }

  /// Paints a plane, `range.lowerBound` taking the first color and `range.upperBound` the last;
  /// values that are not finite become `missing`.
  public func paint(
    _ plane: Plane<Float>, range: ClosedRange<Float>, missing: Color = .black
  ) -> RGBImage {
    let entries = Self.entries(of: plane.elements.span, range)
    let table = colors + [missing]
    var pixels = [UInt8](repeating: 0, count: plane.elements.count * 3)
    var output = pixels.mutableSpan
    let colors = table.span
    for index in entries.indices {
      let color = colors[Int(entries[index])]
      output[3 * index] = color.red
      output[3 * index + 1] = color.green
      output[3 * index + 2] = color.blue
    }
    return RGBImage(width: plane.width, height: plane.height, pixels: pixels)
  }

  /// The colors of values by their places in the map, that after the last for those that are not finite.
  private static func entries(of values: Span<Float>, _ range: ClosedRange<Float>) -> [UInt16] {
    let scale = 1 / max(range.upperBound - range.lowerBound, .leastNormalMagnitude)
    var found = [UInt16](repeating: 0, count: values.count)
    var entries = found.mutableSpan
    precondition(values.count <= entries.count)
    let missing: UInt16 = 256
    for index in 0..<values.count {
      let value = values[index]
      // The difference to itself is 0 of finite numbers alone.
      entries[index] = value - value == 0 ? entry(of: (value - range.lowerBound) * scale) : missing
    }
    return found
  }

  /// Rainbow with smooth lightness: the degree-5 polynomial fit to Google's Turbo map.
  ///
  /// Anton Mikhailov, "Turbo, an improved rainbow colormap", 2019; fit by Ruofei Du, up to 32 levels
  /// from the table at its ends, 6 on average.
  public static let turbo = ColorMap { t in
    Color(
      unitRed: polynomial(
        t, [0.13572138, 4.61539260, -42.66032258, 132.13108234, -152.94239396, 59.28637943]),
      green: polynomial(t, [0.09140261, 2.19418839, 4.84296658, -14.18503333, 4.27729857, 2.82956604]),
      blue: polynomial(
        t, [0.10667330, 12.64194608, -60.58204836, 110.36276771, -89.90310912, 27.34824973]))
  }

  /// Black through purple and orange to pale yellow, lightness rising evenly: a polynomial fit to inferno.
  ///
  /// Nathaniel Smith and Stefan van der Walt's map for matplotlib (CC0); fit by Matt Zucker.
  public static let inferno = ColorMap { t in
    Color(
      unitRed: polynomial(
        t,
        [
          0.0002189403691192265, 0.1065134194856116, 11.60249308247187, -41.70399613139459,
          77.162935699427, -71.31942824499214, 25.13112622477341,
        ]),
      green: polynomial(
        t,
        [
          0.001651004631001012, 0.5639564367884091, -3.972853965665698, 17.43639888205313,
          -33.40235894210092, 32.62606426397723, -12.24266895238567,
        ]),
      blue: polynomial(
        t,
        [
          -0.01948089843709184, 3.932712388889277, -15.9423941062914, 44.35414519872813,
          -81.80730925738993, 73.20951985803202, -23.07032500287172,
        ]))
  }

  /// Blue (0) through pale yellow to dark red (1), the customary map for relative depth.
  ///
  /// Cynthia Brewer's 11-class Spectral (colorbrewer2.org), reversed and interpolated linearly.
  public static let spectral = ColorMap { t in
    let knots: [(Double, Double, Double)] = [
      (94, 79, 162), (50, 136, 189), (102, 194, 165), (171, 221, 164), (230, 245, 152),
      (255, 255, 191), (254, 224, 139), (253, 174, 97), (244, 109, 67), (213, 62, 79), (158, 1, 66),
    ]
    let position = t * Double(knots.count - 1)
    let left = min(Int(position), knots.count - 2)
    let share = position - Double(left)
    func mix(_ a: Double, _ b: Double) -> Double { (a + share * (b - a)) / 255 }
    let (from, to) = (knots[left], knots[left + 1])
    return Color(unitRed: mix(from.0, to.0), green: mix(from.1, to.1), blue: mix(from.2, to.2))
  }

  /// The debug view's jet: blue (0) through cyan, green and yellow to red (1).
  public static let jet = ColorMap { jetColor($0) }

  /// The jet color of a value exactly, not of the nearest table entry.
  ///
  /// Channels are 255 clamp(1.5 - 4 |t - c|) with c = 3/4, 1/2, 1/4 for red, green, blue, truncated.
  public static func jetColor(_ t: Double) -> Color {
    func channel(_ center: Double) -> UInt8 {
      let value = 1.5 - 4 * abs(t - center)
      return value > 0 ? UInt8(255 * min(1, value)) : 0
    }
    return Color(red: channel(0.75), green: channel(0.5), blue: channel(0.25))
  }

  private static func polynomial(_ t: Double, _ coefficients: [Double]) -> Double {
    coefficients.reversed().reduce(0) { $0 * t + $1 }
  }
}
