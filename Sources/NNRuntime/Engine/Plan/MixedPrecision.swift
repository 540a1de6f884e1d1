import NNKernelInterface

/// How a network is multiplied in one precision, but for some of its layers: what `ardf verify --sensitivity` finds and
/// `--plan` runs.
///
/// It holds on any machine whose kernels have the precisions, with the same results for any number of threads.
package struct MixedPrecision: Sendable, Equatable {
  /// The network's name.
  package let network: String
  /// Precision of layers that are not exceptions.
  package let precision: Precision
  /// By the name of a layer, or of one that is joined to it.
  package let exceptions: [String: Precision]

  /// A network's precision and its exceptions.
  package init(network: String, precision: Precision, exceptions: [String: Precision] = [:]) {
    self.network = network
    self.precision = precision
    self.exceptions = exceptions
  }

  /// Precision of a layer's products.
  func precision(of node: Node) -> Precision {
    exceptions.isEmpty ? precision : node.holds.lazy.compactMap { exceptions[$0] }.first ?? precision
  }
}

extension Precision {
  /// The next one up, in which a layer is multiplied that cannot bear this one.
  package func kinder(among available: [Precision]) -> Precision {
    guard self == .int8 else { return .fp32 }
    return [.bf16, .fp16, .int16].first { available.contains($0) } ?? .fp32
  }
}

extension KernelCatalogue {
  /// The precisions that kernels multiply in.
  package var precisions: [Precision] { Precision.allCases.filter { multiplies($0.products) } }
}

extension Plan {
  /// The precisions that the plan's kernels multiply in.
  package var availablePrecisions: [Precision] { catalogue.precisions }
}
