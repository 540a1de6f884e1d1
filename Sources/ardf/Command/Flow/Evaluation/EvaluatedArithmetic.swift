import FileFormats
import NNRuntime

/// The precisions, plans and threads of an evaluation that compares precisions.
struct EvaluatedArithmetic {
  var asked: [AskedPrecision]
  /// Files of plans, each for the row of its precision.
  var plans: [String] = []
  /// A plan in memory instead of a file.
  var planned: MixedPrecision?
  /// nil for one per processor.
  var threads: Int?
  /// Whether infinities and NaN in weights are accepted.
  var allowsNonFinite = false

  /// The precisions asked for, each once, in the order given; the choice of `auto` is printed.
  func precisions(for weights: NetworkWeights) throws -> [Precision] {
    var found: [Precision] = []
    for asked in asked {
      let arithmetic = NetworkArithmetic(asked: asked)
      let chosen = arithmetic.automatic(for: weights.store)
      chosen?.tell(of: weights.file.name)
      let precision = chosen?.precision ?? arithmetic.precision
      if !found.contains(precision) { found.append(precision) }
    }
    return found
  }

  /// The single precision asked for.
  ///
  /// - `option`: the option that allows only one, for the message.
  func onlyPrecision(for weights: NetworkWeights, option: String) throws -> Precision {
    let precisions = try precisions(for: weights)
    guard precisions.count == 1 else {
      throw CommandError.usage("\(option): give one --precision; there are \(precisions.count)")
    }
    return precisions[0]
  }

  /// How a network is computed in one of them.
  func compute(_ precision: Precision) throws -> ComputeSettings {
    let plans = try plans.filter { path in
      try InFile.naming(path) {
        try MixedPrecision(JSONFile.read(path, wanted: NetworkArithmetic.plan)).precision == precision
      }
    }
    let arithmetic = NetworkArithmetic(
      asked: .exactly(precision), plans: plans, planned: planned?.precision == precision ? planned : nil)
    return ComputeSettings(arithmetic: arithmetic, allowsNonFinite: allowsNonFinite)
  }

  func makePool() -> ThreadPool { ComputeSettings(threads: threads).makePool() }
}
