/// The embedded typeface: letters as paths of a round pen, so that one drawing serves every size and
/// both weights.
struct StrokeFont: Sendable {
  /// Font units an em: sizes are ems in pixels.
  static let unitsPerEm = 20.0
  static let lineHeight = 25.2
  /// From the top of a line to its baseline.
  static let ascent = 19.2

  struct Glyph: Sendable {
    let paths: [RoundedPath]
    let width: Double
    let bearing: Double
  }

  static let shared = StrokeFont()

  private let glyphs: [Character: Glyph]
  private let missing: Glyph

  private init() {
    glyphs = Dictionary(
      uniqueKeysWithValues: Self.outlines.map { ($0, Self.parse($1, isTight: Self.tightGlyphs.contains($0))) }
    )
    missing = Self.parse(Self.missingOutline, isTight: false)
  }

  /// The pen's thickness in font units.
  static func thickness(bold: Bool) -> Double { bold ? 2.75 : 1.75 }

  /// The glyph of a character, an empty box for those that it lacks; nil for a space.
  func glyph(_ character: Character) -> Glyph? {
    character == " " ? nil : glyphs[character] ?? missing
  }

  /// How far a character moves the pen, in font units.
  func advance(_ character: Character, bold: Bool) -> Double {
    guard let glyph = glyph(character) else { return 5.5 }
    return glyph.width + Self.thickness(bold: bold) + 2 * glyph.bearing
  }

  private static func parse(_ outline: String, isTight: Bool) -> Glyph {
    let paths = outline.split(separator: ";").map { path in
      var fields = path.split(separator: " ")
      let isClosed = fields.last == "z"
      if isClosed { fields.removeLast() }
      let vertices = fields.map { field in
        let numbers = field.split(separator: ",").compactMap { Double($0) }
        return RoundedPath.Vertex(x: numbers[0], y: numbers[1], radius: numbers.count > 2 ? numbers[2] : 0)
      }
      return RoundedPath(vertices: vertices, isClosed: isClosed)
    }
    let width = paths.flatMap(\.vertices).map(\.x).max() ?? 0
    return Glyph(paths: paths, width: width, bearing: isTight ? 0.6 : 1.1)
  }
}
