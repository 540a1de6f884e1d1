import FileFormats
import Imaging
import Models
import NNRuntime
import NNVerification

/// Rounds the weights of a network to 8 bits where its outputs bear it.
struct WeightQuantization {
  let store: WeightStore
  let compute: ComputeSettings
  let images: [RGBImage]

  /// A tensor of the new file.
  struct Part {
    let name: String
    /// nil for one that stays as it is.
    let quantized: QuantizedTensor?
    let stored: Tensor
    /// What the outputs change by where it alone is rounded; nil where it was not tried.
    let error: Double?
  }

  struct Outcome {
    let network: String
    let parts: [Part]
    /// What the outputs are off by with all that are rounded.
    let error: Double
    /// The outputs of the weights as they were.
    let exact: OutputReference
    /// What the processor multiplies in.
    let precisions: [Precision]

    /// The weights as a network takes them from the new file.
    func store(_ metadata: [String: String]) -> WeightStore {
      WeightQuantization.store(parts, metadata: metadata)
    }
  }

  /// Pictures that single tensors are tried on.
  private static let ranked = 4

  /// `maxError`: what the outputs may be off by, relative L2.
  func run(maxError: Double) throws -> Outcome {
    let pool = compute.makePool()
    func calibrated(_ store: WeightStore) throws -> CalibratedNetwork {
      try CalibratedNetwork(
        InspectedNetwork(weights: store, options: PlanOptions(), pool: pool), images, size: nil)
    }
    var parts = try store.names.map { name in
      let tensor = try store.tensor(named: name)
      // Names of weights of convolutions and linear layers end so; what is added to tokens has other names.
      let quantized = name.hasSuffix(".weight") ? QuantizedTensor(tensor) : nil
      return Part(name: name, quantized: quantized, stored: tensor, error: nil)
    }
    let original = try calibrated(Self.store(parts.map(\.kept), metadata: store.metadata))
    let exact = try original.exact()
    try Self.checkSeesSomething(exact, original)
    let few = exact.thinned(to: Self.ranked)
    let candidates = parts.indices.filter { parts[$0].quantized != nil }
    var progress = Progress("tensor", of: candidates.count)
    for (done, index) in candidates.enumerated() {
      let alone = parts.indices.map { $0 == index ? parts[$0] : parts[$0].kept }
      let network = try calibrated(Self.store(alone, metadata: store.metadata))
      let part = parts[index]
      parts[index] = Part(
        name: part.name, quantized: part.quantized, stored: part.stored,
        error: try few.error(of: network.sessions))
      progress.update(done + 1)
    }
    progress.finish()
    var search = PrecisionSearch(
      candidates.map { (parts[$0].name, parts[$0].error ?? 0, Double(parts[$0].stored.count)) }, base: 0
    ) { rounded in
      let mixed = parts.map { rounded.contains($0.name) ? $0 : $0.kept }
      return try exact.error(of: calibrated(Self.store(mixed, metadata: store.metadata)).sessions)
    }
    guard let point = try search.most(within: maxError) else {
      preconditionFailure("nothing rounded is exact")
    }
    let rounded = search.layers(point.count)
    return Outcome(
      network: original.network.name, parts: parts.map { rounded.contains($0.name) ? $0 : $0.kept },
      error: point.error, exact: exact, precisions: original.sessions[0].plan.availablePrecisions)
  }

  fileprivate static func store(_ parts: [Part], metadata: [String: String]) -> WeightStore {
    WeightStore(
      tensors: Dictionary(
        parts.map { ($0.name, $0.quantized?.floats ?? $0.stored) }, uniquingKeysWith: { first, _ in first }),
      metadata: metadata)
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
      throw CommandError.input(
        "--calibrate: the network finds nothing in \(empty) of \(exact.outputs.count) pictures: give pictures of what "
          + "it will see")
    }
  }
}

extension WeightQuantization.Part {
  /// The same, as it is.
  fileprivate var kept: Self { Self(name: name, quantized: nil, stored: stored, error: error) }
}
