/// Readings at edges that lie between both surfaces, on neither: flying pixels.
enum FlyingReadings {
  /// Only steps larger than this share of the inverse depth are tested.
  private static let leastStep: Float = 0.08
  /// A flying reading is at least this share of the step away from either side.
  private static let leastShare: Float = 0.2
  /// It is also at least this many times the slope of either side away.
  private static let leastSlopes: Float = 2

  /// The cells whose reading lies strictly between those on opposite sides and carries on neither side's surface.
  ///
  /// `inverse`: inverse depth of each cell, NaN without a reading.
  static func cells(_ inverse: [Float], width: Int, height: Int) -> [Int] {
    var found: [Int] = []
    let cells = inverse.span
    for y in 0..<height {
      for x in 0..<width {
        let own = cells[y * width + x]
        guard !own.isNaN else { continue }
        for (dx, dy) in NearestReadings.axes {
          guard x + dx >= 0, x + dx < width, x - dx >= 0, x - dx < width, y - dy >= 0, y + dy < height else {
            continue
          }
          let step = dy * width + dx
          let cell = y * width + x
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
          if apart > leastSlopes * max(slope(1, from: a), slope(-1, from: b)) {
            found.append(cell)
            break
          }
        }
      }
    }
    return found
  }
}
