/// The taps of a resize along one axis: which input elements, and with which weights.
struct ResampleTable: Equatable, Sendable {
  /// Taps an output element: 1, 2 or 4.
  let taps: Int
  /// (outputs, taps).
  private(set) var indices: [Int32] = []
  private(set) var weights: [Float] = []

  /// The table from `input` to `output` elements, in single precision as the reference frameworks do it: PyTorch, or ONNX
  /// Runtime where places are quotients.
  init(from input: Int, to output: Int, _ interpolation: Interpolation, dividing: Bool = false) {
    func place(_ i: Int, alignCorners: Bool) -> Float {
      dividing
        ? Self.quotient(i, input, output, alignCorners: alignCorners)
        : Self.product(i, input, output, alignCorners: alignCorners)
    }
    switch interpolation {
    case .nearest:
      taps = 1
      for i in 0..<output {
        indices.append(Int32(min(i * input / output, input - 1)))
        weights.append(1)
      }
    case .bilinear(let alignCorners):
      taps = 2
      for i in 0..<output {
        let source = place(i, alignCorners: alignCorners)
        let clamped = max(source, 0)
        let first = min(Int(clamped), input - 1)
        let fraction = min(max(clamped - Float(first), 0), 1)
        indices += [Int32(first), Int32(min(first + 1, input - 1))]
        weights += [1 - fraction, fraction]
      }
    case .bicubic:
      taps = 4
      for i in 0..<output {
        let source = place(i, alignCorners: false)
        let first = source.rounded(.down)
        let fraction = source - first
        for tap in -1...2 {
          indices.append(Int32(min(max(Int(first) + tap, 0), input - 1)))
          weights.append(Self.cubic(fraction - Float(tap)))
        }
      }
    }
  }

  /// Where element `i` of the result lies in the input.
  private static func product(_ i: Int, _ input: Int, _ output: Int, alignCorners: Bool) -> Float {
    if alignCorners { return output == 1 ? 0 : Float(i) * (Float(input - 1) / Float(output - 1)) }
    return (Float(i) + 0.5) * (Float(input) / Float(output)) - 0.5
  }

  /// The same but for its rounding.
  private static func quotient(_ i: Int, _ input: Int, _ output: Int, alignCorners: Bool) -> Float {
    if alignCorners { return output == 1 ? 0 : Float(i) * Float(input - 1) / Float(output - 1) }
    return (Float(i) + 0.5) / (Float(output) / Float(input)) - 0.5
  }

  /// The cubic convolution kernel with A = -0.75 (Keys, 1981).
  private static func cubic(_ t: Float) -> Float {
    let a: Float = -0.75
    let x = abs(t)
    if x <= 1 { return ((a + 2) * x - (a + 3)) * x * x + 1 }
    if x < 2 { return (((x - 5) * x + 8) * x - 4) * a }
    return 0
  }
}
