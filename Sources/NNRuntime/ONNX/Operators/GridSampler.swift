import Imaging
import FileFormats

/// The elements of a map, and their factors, that make the value at a point between them.
struct GridSampler: Sendable {
  /// How a value between elements is made.
  enum Mode { case linear, nearest, cubic }
  /// The rule for elements outside.
  enum Padding: String { case zeros, border, reflection }

  let mode: Mode
  let padding: Padding
  let alignsCorners: Bool
  let sizes: [Int]

  /// At a point whose coordinates go from -1 to 1, the first axis first.
  func weights(at point: [Double]) -> [(flat: Int, factor: Double)] {
    let place = zip(point, sizes).map { self.place(of: $0, $1) }
    guard place.allSatisfy({ $0.isFinite && abs($0) < 0x1p31 }) else { return [] }
    switch mode {
    case .nearest: return combined(place.map { [(Int(clamping: $0), 1)] })
    case .linear: return linear(place)
    case .cubic:
      return combined(
        place.map { value in
          let base = value.rounded(.down)
          return CubicConvolution.weights(value - base).enumerated().map {
            (Int(clamping: base) - 1 + $0.offset, $0.element)
          }
        })
    }
  }

  /// Where a coordinate lies along an axis, counted in elements.
  func place(of coordinate: Double, _ size: Int) -> Double {
    var value =
      alignsCorners
      ? (coordinate + 1) / 2 * Double(size - 1) : ((coordinate + 1) * Double(size) - 1) / 2
    if mode == .nearest { value.round(.toNearestOrEven) }
    let (low, high) = border(size)
    guard value < low || value > high else { return value }
    switch padding {
    // Cubic samples lie where they lie, as in PyTorch; each of their elements is brought inside.
    case .border: return mode == .cubic ? value : min(max(value, 0), Double(size - 1))
    case .reflection: return reflected(value, size)
    case .zeros: return value
    }
  }

  /// At a place counted in elements.
  func linear(_ place: [Double]) -> [(flat: Int, factor: Double)] {
    guard place.allSatisfy({ $0.isFinite && abs($0) < 0x1p31 }) else { return [] }
    return combined(
      place.map { value in
        let base = value.rounded(.down)
        return [(Int(clamping: base), 1 - (value - base)), (Int(clamping: base) + 1, value - base)]
      })
  }

  /// All combinations of the axes' elements; those outside are found by the padding.
  private func combined(_ axes: [[(index: Int, factor: Double)]]) -> [(flat: Int, factor: Double)] {
    var found = [(flat: 0, factor: 1.0)]
    for (axis, choices) in axes.enumerated() {
      found = found.flatMap { known in
        choices.compactMap { index, factor -> (flat: Int, factor: Double)? in
          guard let inside = inside(index, sizes[axis]) else { return nil }
          return (known.flat * sizes[axis] + inside, known.factor * factor)
        }
      }
    }
    return found
  }

  /// The element that stands for one of an axis, which may be outside; nil: zero does.
  func inside(_ index: Int, _ size: Int) -> Int? {
    if (0..<size).contains(index) { return index }
    switch padding {
    case .zeros: return nil
    case .border: return min(max(index, 0), size - 1)
    case .reflection: return min(max(Int(clamping: reflected(Double(index), size)), 0), size - 1)
    }
  }

  private func border(_ size: Int) -> (Double, Double) {
    alignsCorners ? (0, Double(size - 1)) : (-0.5, Double(size) - 0.5)
  }

  private func reflected(_ value: Double, _ size: Int) -> Double {
    let (low, high) = border(size)
    let range = high - low
    guard range > 0, value < low || value > high else { return value < low || value > high ? low : value }
    let distance = value < low ? low - value : value - high
    let turns = (distance / range).rounded(.down)
    let rest = distance - turns * range
    let isEven = turns.truncatingRemainder(dividingBy: 2) == 0
    return (value < low) == isEven ? low + rest : high - rest
  }
}
