import NNRuntime

/// Rounds the weights of a network to 8 bits where its outputs bear it.
package struct WeightQuantization {
  private let store: WeightStore
  private let calibrated: (WeightStore) throws -> CalibratedNetwork

  /// A quantization of weights.
  ///
  /// - Parameters:
  ///   - store: The weights as they are.
  ///   - calibrated: The network with some weights, and the pictures that errors are measured on.
  package init(_ store: WeightStore, calibrated: @escaping (WeightStore) throws -> CalibratedNetwork) {
    (self.store, self.calibrated) = (store, calibrated)
  }

  /// A tensor of the new file.
  package struct Entry {
    package let name: String
    /// nil for one that stays as it is.
    package let quantized: QuantizedTensor?
    package let stored: Tensor
    /// Change of the outputs where it alone is rounded; nil if not tried, as where all are rounded.
    package let error: Double?
  }

  /// The tensors of the new file, as many of them rounded as the error allows.
  package struct RoundedWeights {
    package let entries: [Entry]
    /// Error of the outputs with all rounded tensors.
    package let error: Double
    /// The outputs of the weights as they were.
    package let exact: OutputReference
    /// Precisions of the processor's products.
    package let precisions: [Precision]

    /// The weights as a network takes them from the new file, with the metadata and the name of the original ones.
    package func store(like original: WeightStore) -> WeightStore {
      WeightQuantization.store(entries, like: original)
    }
  }

  /// Pictures that single tensors are tried on.
  private static let ranked = 4

  /// Rounds each tensor by itself, then as many together as the error allows.
  ///
  /// - Parameters:
  ///   - maxError: What the outputs may be off by, relative L2.
  ///   - onTensor: Called after each tensor.
  /// - Returns: The tensors of the new file.
  /// - Throws: `SensitivityError`, and what making networks and preparing pictures throws.
  package func run(maxError: Double, onTensor: StepObserver) throws -> RoundedWeights {
    var entries = try store.names.map { name in
      let tensor = try store.tensor(named: name)
      // Names of weights of convolutions and linear layers end so; what is added to tokens has other names.
      let quantized = name.hasSuffix(".weight") ? QuantizedTensor(tensor) : nil
      return Entry(name: name, quantized: quantized, stored: tensor, error: nil)
    }
    let original = try calibrated(Self.store(entries.map(\.kept), like: store))
    let exact = try original.exact()
    try Self.checkSeesSomething(exact, original)
    let candidates = entries.indices.filter { entries[$0].quantized != nil }
    let precisions = original.sessions[0].plan.availablePrecisions
    let whole = try exact.error(
      of: calibrated(Self.store(entries, like: store)).sessions)
    // Which tensor costs how much matters only where some must stay.
    if whole <= maxError {
      return RoundedWeights(entries: entries, error: whole, exact: exact, precisions: precisions)
    }
    let few = exact.thinned(to: Self.ranked)
    for (done, index) in candidates.enumerated() {
      let alone = entries.indices.map { $0 == index ? entries[$0] : entries[$0].kept }
      let network = try calibrated(Self.store(alone, like: store))
      let entry = entries[index]
      entries[index] = Entry(
        name: entry.name, quantized: entry.quantized, stored: entry.stored,
        error: try few.error(of: network.sessions))
      onTensor(done + 1, candidates.count)
    }
    var search = PrecisionSearch(
      candidates.map { (entries[$0].name, entries[$0].error ?? 0, Double(entries[$0].stored.count)) }, base: 0
    ) { rounded in
      let mixed = entries.map { rounded.contains($0.name) ? $0 : $0.kept }
      return try exact.error(of: calibrated(Self.store(mixed, like: store)).sessions)
    }
    search.know(whole: whole)
    guard let point = try search.most(within: maxError) else {
      preconditionFailure("nothing rounded is exact")
    }
    let rounded = search.layers(point.count)
    return RoundedWeights(
      entries: entries.map { rounded.contains($0.name) ? $0 : $0.kept },
      error: point.error, exact: exact, precisions: precisions)
  }

  fileprivate static func store(_ entries: [Entry], like original: WeightStore) -> WeightStore {
    WeightStore(
      tensors: Dictionary(
        entries.map { ($0.name, $0.quantized?.floats ?? $0.stored) }, uniquingKeysWith: { first, _ in first }),
      metadata: original.metadata, file: original.file)
  }

  /// Half of the pictures must show something that a detector knows.
  private static func checkSeesSomething(
    _ exact: OutputReference, _ calibrated: CalibratedNetwork
  ) throws {
    let scores = calibrated.sessions[0].plan.outputs.indices.filter {
      calibrated.sessions[0].plan.outputs[$0].name.hasPrefix("cls")
    }
    guard !scores.isEmpty else { return }
    // The logit of the score that ardf detect asks for.
    let empty = exact.outputs.count { outputs in
      scores.allSatisfy { outputs[$0].allSatisfy { $0 < -1.0986 } }
    }
    guard 2 * empty <= exact.outputs.count else {
      throw SensitivityError.emptyPictures(empty, of: exact.outputs.count)
    }
  }
}

extension WeightQuantization.Entry {
  /// The same, as it is.
  fileprivate var kept: Self { Self(name: name, quantized: nil, stored: stored, error: error) }
}
