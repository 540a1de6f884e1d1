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
    FloatLoops.sampled(source, images: images, area: height * width, at: points, by: self)
  }

  /// Four elements of a plane with their factors.
  struct Taps {
    var flat: SIMD4<Int32>
    var factors: SIMD4<Float>
  }

  /// The elements that make the value at a point, from -1 to 1; nil: the value is zero.
  func taps(x: Float, y: Float) -> Taps? {
    let (across, down) = (sampler.place(of: Double(x), width), sampler.place(of: Double(y), height))
    guard across.isFinite, down.isFinite, abs(across) < 0x1p31, abs(down) < 0x1p31 else { return nil }
    let (left, top) = (across.rounded(.down), down.rounded(.down))
    let (row, column) = (Int(top), Int(left))
    if isNearest {
      guard let flat = flat(row, column) else { return nil }
      return Taps(flat: SIMD4(repeating: flat), factors: SIMD4(1, 0, 0, 0))
    }
    let (right, bottom) = (across - left, down - top)
    let factors = SIMD4(
      Float((1 - bottom) * (1 - right)), Float((1 - bottom) * right), Float(bottom * (1 - right)),
      Float(bottom * right))
    if row >= 0, column >= 0, row + 1 < height, column + 1 < width {
      let (first, line) = (Int32(truncatingIfNeeded: row * width + column), Int32(truncatingIfNeeded: width))
      return Taps(flat: SIMD4(first, first + 1, first + line, first + line + 1), factors: factors)
    }
    let elements = [
      flat(row, column), flat(row, column + 1), flat(row + 1, column), flat(row + 1, column + 1),
    ]
    guard let counting = elements.compactMap(\.self).first else { return nil }
    // Elements that are left out repeat one that counts, nothing of it.
    var taps = Taps(flat: SIMD4(repeating: counting), factors: .zero)
    for (index, element) in elements.enumerated() {
      guard let element else { continue }
      taps.flat[index] = element
      taps.factors[index] = factors[index]
    }
    return taps
  }

  /// The element that stands for one that may be outside; nil: zero does.
  private func flat(_ row: Int, _ column: Int) -> Int32? {
    guard let row = sampler.inside(row, height), let column = sampler.inside(column, width) else {
      return nil
    }
    return Int32(truncatingIfNeeded: row * width + column)
  }
}
