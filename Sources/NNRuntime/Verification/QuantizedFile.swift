import FileFormats
import NNRuntime

/// A weight file of 8-bit weights: its tensors, and what it says of itself.
package struct QuantizedFile {
  package let tensors: [String: Tensor]
  package let metadata: [String: String]
  /// For people.
  package let summary: String
  private let provenance: JSONValue

  /// A file of what quantization made of weights, and of the plan of int8 found for them, if any.
  package init(
    rounded: WeightQuantization.RoundedWeights,
    plan: (plan: MixedPrecision, error: Double, kernels: String)?,
    metadata: [String: String], pictures: Int, maxError: Double
  ) {
    var tensors: [String: Tensor] = [:]
    var scales: [String: [Float]] = [:]
    for entry in rounded.entries {
      guard let quantized = entry.quantized else {
        tensors[entry.name] = entry.stored
        continue
      }
      tensors[entry.name] = quantized.integers
      tensors[entry.name + QuantizedWeights.suffix] = Tensor(
        shape: [quantized.scales.count], floats: quantized.scales)
      scales[entry.name] = quantized.scales
    }
    let kept = rounded.entries.filter { $0.quantized == nil && $0.error != nil }
    var provenance: [String: JSONValue] = [
      "schema": "ardf.quantization/1", "pictures": .integer(pictures), "maxError": .number(maxError),
      "weightError": .number(rounded.error), "quantized": .integer(scales.count),
      "kept": .object(
        Dictionary(
          kept.map { ($0.name, .string("alone it moves the outputs by \(scientific($0.error ?? 0))")) },
          uniquingKeysWith: { first, _ in first })),
    ]
    var metadata = metadata
    metadata[QuantizedWeights.checksumKey] = QuantizedWeights.checksum(scales)
    var summary =
      "\(counted(scales.count, "tensor")) of 8 bits, \(kept.count) kept as they were; outputs off by \(scientific(rounded.error))"
    if let plan {
      var document = plan.plan.document
      document["kernels"] = .string(plan.kernels)
      document["error"] = .number(plan.error)
      metadata[QuantizedWeights.planKey(.int8)] = JSONValue.object(document).serialized()
      provenance["int8Error"] = .number(plan.error)
      summary += ", with --precision int8 by \(scientific(plan.error)) (\(Self.kept(plan.plan)))"
    }
    metadata[QuantizedWeights.provenanceKey] = JSONValue.object(provenance).serialized()
    self.tensors = tensors
    self.metadata = metadata
    self.summary = summary
    self.provenance = .object(provenance)
  }

  /// `no layer is kept out of it`, `3 layers stay in bf16`.
  private static func kept(_ plan: MixedPrecision) -> String {
    let (count, others) = (plan.exceptions.count, Set(plan.exceptions.values).map(\.rawValue).sorted())
    guard count > 0 else { return "no layer is kept out of it" }
    return "\(counted(count, "layer stays", "layers stay")) in \(others.joined(separator: ", "))"
  }

  /// Description of the file written to `path`.
  package func document(_ path: String) -> JSONValue {
    var members = provenance.object ?? [:]
    members["output"] = .string(path)
    members["tensors"] = .integer(tensors.count)
    return .object(members)
  }
}
