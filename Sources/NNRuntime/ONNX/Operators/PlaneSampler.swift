/// Bilinear and nearest samples of maps of two axes in single precision, as deformable attention takes by the thousand.
struct PlaneSampler: Sendable {
  private let sampler: GridSampler
  private let height, width: Int
  private let isNearest: Bool

  /// nil: the sampler has more than two axes, or another mode.
  init?(_ sampler: GridSampler) {
    guard sampler.sizes.count == 2, sampler.mode != .cubic else { return nil }
    self.sampler = sampler
    (height, width) = (sampler.sizes[0], sampler.sizes[1])
    isNearest = sampler.mode == .nearest
  }

  /// Samples of every channel.
  ///
  /// - `source`: (images, channels, height, width); `points`: (images, places, 2), x first, from -1 to 1.
  /// - Returns: (images, channels, places).
  func sampled(_ source: [Float], images: Int, at points: [Float]) -> [Float] {
    let places = points.count / 2
    var taps = Taps(places: places)
    for place in 0..<places { set(&taps, 4 * place, x: points[2 * place], y: points[2 * place + 1]) }
    return FloatLoops.sampled(source, images: images, area: height * width, taps)
  }

  /// Elements of a plane, four a place, with their factors.
  struct Taps: Sendable {
    /// The first four are of the first place; negative: the place is zero.
    var flat: [Int32]
    var factors: [Float]

    init(places: Int) {
      flat = [Int32](repeating: -1, count: 4 * places)
      factors = [Float](repeating: 0, count: 4 * places)
    }
  }

  /// Sets the four elements from `first` on.
  private func set(_ taps: inout Taps, _ first: Int, x: Float, y: Float) {
    let (across, down) = (sampler.place(of: Double(x), width), sampler.place(of: Double(y), height))
    guard across.isFinite, down.isFinite, abs(across) < 0x1p31, abs(down) < 0x1p31 else { return }
    let (left, top) = (across.rounded(.down), down.rounded(.down))
    var next = first
    func add(_ row: Int, _ column: Int, _ factor: Double) {
      guard let row = sampler.inside(row, height), let column = sampler.inside(column, width) else { return }
      taps.flat[next] = Int32(truncatingIfNeeded: row * width + column)
      taps.factors[next] = Float(factor)
      next += 1
    }
    let (row, column) = (Int(top), Int(left))
    if isNearest {
      add(row, column, 1)
    } else {
      let (right, bottom) = (across - left, down - top)
      add(row, column, (1 - bottom) * (1 - right))
      add(row, column + 1, (1 - bottom) * right)
      add(row + 1, column, bottom * (1 - right))
      add(row + 1, column + 1, bottom * right)
    }
    // Elements that are left repeat one that counts, nothing of it.
    guard next > first else { return }
    for index in next..<first + 4 { taps.flat[index] = taps.flat[first] }
  }
}
