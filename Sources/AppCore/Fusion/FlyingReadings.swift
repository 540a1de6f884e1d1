import FileFormats

/// Readings at edges that lie between both surfaces, on neither: flying pixels.
enum FlyingReadings {
  /// Only steps larger than this share of the inverse depth are tested.
  private static let leastStep: Float = 0.08
  /// A flying reading is at least this share of the step away from either side.
  private static let leastShare: Float = 0.2
  /// It is also at least this many times the slope of either side away.
  private static let leastSlopes: Float = 2

  /// The cells that are tested at once for a step that is large enough.
  private typealias Lanes = SIMD8<Float>
  private static let lanes = 8

  /// The cells whose reading lies strictly between those on opposite sides and carries on neither side's surface.
  ///
  /// `inverse`: inverse depth of each cell, NaN without a reading.
  static func cells(_ inverse: [Float], width: Int, height: Int) -> [Int] {
    Parallel.map(parts) { part in
      cells(
        inverse.span, rows: height * part / parts..<height * (part + 1) / parts, width: width, height: height)
    }.flatMap(\.self)
  }

  /// Parts of the rows that are searched side by side.
  private static let parts = 4

  private static func cells(_ cells: Span<Float>, rows: Range<Int>, width: Int, height: Int) -> [Int] {
    var found: [Int] = []
    for y in rows {
      var x = 0
      while x < width {
        // Few cells lie on a step: blocks without one are passed over.
        let isInside = y > 0 && y + 1 < height && x > 0 && x + lanes < width
        if isInside, !holdsStep(cells, y * width + x, width) {
          x += lanes
          continue
        }
        for column in x..<min(x + (isInside ? lanes : 1), width)
        where isFlying(cells, column, y, width: width, height: height) {
          found.append(y * width + column)
        }
        x += isInside ? lanes : 1
      }
    }
    return found
  }

  /// Whether some of the cells from one on, all within the map's border, lie on a step.
  @inline(__always)
  private static func holdsStep(_ cells: Span<Float>, _ first: Int, _ width: Int) -> Bool {
    @inline(__always)
    func block(_ first: Int) -> Lanes {
      let part = cells.extracting(first..<first + lanes)
      var block = Lanes.zero
      for lane in 0..<lanes { block[lane] = part[lane] }
      return block
    }
    let own = block(first)
    let least = leastStep * own
    @inline(__always)
    func isStep(_ step: Int) -> SIMDMask<SIMD8<Int32>> {
      let (a, b) = (block(first + step), block(first - step))
      let rises = (a .< own) .& (own .< b) .& (b - a .> least)
      return rises .| (b .< own) .& (own .< a) .& (a - b .> least)
    }
    return any(isStep(1) .| isStep(width) .| isStep(width + 1) .| isStep(width - 1))
  }

  private static func isFlying(_ cells: Span<Float>, _ x: Int, _ y: Int, width: Int, height: Int) -> Bool {
    let cell = y * width + x
    let own = cells[cell]
    guard !own.isNaN else { return false }
    for (dx, dy) in NearestReadings.axes {
      guard x + dx >= 0, x + dx < width, x - dx >= 0, x - dx < width, y - dy >= 0, y + dy < height else {
        continue
      }
      let step = dy * width + dx
      let (a, b) = (cells[cell + step], cells[cell - step])
      let (low, high) = a < b ? (a, b) : (b, a)
      guard low < own, own < high, high - low > leastStep * own else { continue }
      let apart = min(own - low, high - own)
      guard apart > leastShare * (high - low) else { continue }
      func slope(_ times: Int, from near: Float) -> Float {
        let (column, row) = (x + 2 * times * dx, y + 2 * times * dy)
        guard column >= 0, column < width, row >= 0, row < height else { return 0 }
        let beyond = cells[row * width + column]
        return beyond.isNaN ? 0 : abs(near - beyond)
      }
      if apart > leastSlopes * max(slope(1, from: a), slope(-1, from: b)) { return true }
    }
    return false
  }
}
