import FileFormats

/// The operators that are implemented: one family per line, each in its own file.
package enum Operators {
  /// The newest version of ONNX's own operators that is known.
  package static let newestVersion = 28

  static let all: [Operator] = [
    unaryFunctions, activations, arithmetic, comparisons, logic, bits, selections, casts, shapes, movements,
    gathering, scattering, padding, reductions, positions, cumulations, normalizations, softmaxes, products,
    convolutions, poolings, controlFlow, sequences, quantization, losses, resizing, recurrent, attention,
    sequenceModels, sampling, detection, signals, randomness, texts, pictures, optimizers, classical,
  ].flatMap(\.self)

  /// One operator that is implemented, for people.
  package struct Listed: Sendable {
    package let name: String
    package let domain: String
    package let versions: ClosedRange<Int>
    /// How many it takes.
    package let inputs, outputs: ClosedRange<Int>
    package let attributes: [String]
    /// The domain's name where it is ONNX's own too.
    package var shownDomain: String { domain.isEmpty ? "ai.onnx" : domain }
  }

  /// All of them, by name.
  package static var listing: [Listed] {
    all.map {
      Listed(
        name: $0.name, domain: $0.domain, versions: $0.versions, inputs: $0.inputs, outputs: $0.outputs,
        attributes: $0.attributes)
    }
    .sorted { ($0.name, $0.domain) < ($1.name, $1.domain) }
  }

  /// Operators that take texts, by the types that ONNX's definitions allow; all others take numbers alone.
  static let takingTexts: Set<String> = [
    "ArrayFeatureExtractor", "Cast", "CastLike", "CategoryMapper", "CenterCropPad", "Compress", "Concat",
    "ConcatFromSequence", "DepthToSpace", "Equal", "Expand", "Flatten", "Gather", "GatherElements",
    "GatherND", "Identity", "If", "LabelEncoder", "Loop", "NonZero", "OneHot", "OneHotEncoder", "Optional",
    "OptionalGetElement", "OptionalHasElement", "Pad", "RandomNormalLike", "RandomUniformLike",
    "RegexFullMatch", "Reshape", "ReverseSequence", "Scan", "Scatter", "ScatterElements", "ScatterND",
    "SequenceAt", "SequenceConstruct", "SequenceErase", "SequenceInsert", "SequenceLength", "SequenceMap",
    "Shape", "Size", "Slice", "SpaceToDepth", "Split", "SplitToSequence", "Squeeze", "StringConcat",
    "StringNormalizer", "StringSplit", "TensorScatter", "TfIdfVectorizer", "Tile", "Transpose", "Trilu",
    "Unique", "Unsqueeze", "Where",
  ]

  private static let table = NameTable(all.map { ("\($0.domain):\($0.name)", $0) })

  /// The operator, or why there is none.
  static func find(
    _ domain: String, _ name: String, _ version: Int, _ attributes: [String]
  ) -> (Operator?, ONNXError?) {
    guard let found = table["\(domain):\(name)"] else {
      return (nil, .unsupported("the operator is not implemented"))
    }
    guard found.versions.contains(version) else {
      return (
        nil, .unsupported("version \(version) of the operator is not implemented, only \(found.versions)")
      )
    }
    // A hint of the first version, which means nothing.
    if let other = attributes.first(where: { !found.attributes.contains($0) && $0 != "consumed_inputs" }) {
      return (nil, .unsupported("attribute \"\(printableName(other))\" is not implemented"))
    }
    return (found, nil)
  }
}
