import FileFormats
import NNRuntime

/// How much a layer enlarges roundings.
///
/// A kernel that is stable gives the exact result of inputs that are a little off: in a sum of n products, whose
/// roundings are independent, by about sqrt(n) roundings (Higham and Mary, A new approach to probabilistic rounding
/// error analysis, 2019). What that does to the result depends on the operands, above all in a softmax, which
/// multiplies by the size of its logits, and in sums that cancel. It is measured: the layer runs again on inputs of
/// which every element is off by a random share of itself (Parker, Monte Carlo arithmetic, 1997).
struct Conditioning: Equatable {
  /// Products in the longest sum of the layer.
  let terms: Int
  /// The change of a result over that of the inputs: of the largest differences, over the largest value, and of the
  /// root mean squares.
  let largest, mean: Double

  /// The sum that tolerances are stated for: so many products of operands that do not cancel.
  static let ordinaryTerms = 1024

  /// As it was measured before.
  init(terms: Int, largest: Double, mean: Double) {
    (self.terms, self.largest, self.mean) = (terms, largest, mean)
  }

  /// From two results of a layer, `changed` of inputs that were off by up to `share` of themselves.
  init?(_ result: [Float], changed: [Float], share: Float, terms: Int) {
    var (largest, scale, differences, squares): (Float, Float, Double, Double) = (0, 0, 0, 0)
    for (value, other) in zip(result, changed) {
      let difference = abs(value - other)
      largest = max(largest, difference)
      scale = max(scale, abs(value))
      differences += Double(difference) * Double(difference)
      squares += Double(value) * Double(value)
    }
    guard differences.isFinite, squares.isFinite, squares > 0 else { return nil }
    self.terms = terms
    self.largest = Double(largest / scale / share)
    mean = (differences / squares).squareRoot() / Double(share)
  }

  /// The factor by which the tolerance of an ordinary sum is multiplied for a layer of this sensitivity.
  func factor(_ sensitivity: Double) -> Double {
    max(1, (Double(terms) / Double(Self.ordinaryTerms)).squareRoot() * sensitivity)
  }
}

extension LayerTolerance {
  /// The tolerance of a layer that enlarges roundings by more than an ordinary sum; never a smaller one.
  func conditioned(by layer: Conditioning) -> LayerTolerance {
    LayerTolerance(
      absolute: absolute, relative: relative * layer.factor(layer.largest),
      relativeL2: relativeL2 * layer.factor(layer.mean))
  }
}

extension SteppedRun {
  /// Runs the step that has just completed `layer` again, on changed inputs; nil where it computes nothing of them.
  ///
  /// `terms`: products in the longest sum since the last layer that was compared.
  func conditioning(of layer: TracedLayer, precision: Precision, terms: Int) -> Conditioning? {
    let share = precision.probe
    var random = SplitMix64(seed: 1)
    let results = resultOfChanged(layer) { elements in
      for index in elements.indices { elements[index] *= 1 + share * random.signed() }
    }
    return results.flatMap { Conditioning($0.kept, changed: $0.changed, share: share, terms: terms) }
  }
}

extension Precision {
  /// The share of its value by which an input is changed: what its numbers are rounded by, with room for what comes of it.
  fileprivate var probe: Float {
    switch self {
    case .fp32: 0x1p-12
    case .int16, .fp16: 0x1p-7
    case .bf16: 0x1p-5
    case .int8: 0x1p-4
    }
  }
}
