import NNRuntime

/// A network whose outputs are final; references may call them otherwise.
struct PlainDecoding: DecodedNetwork {
  /// The output, what it is, and what references of other origin call it.
  let output, part: String
  let quantity: OutputQuantity
  let otherNames: [String]
  /// The module whose result it is; nil where none is known.
  var module: String?

  /// Probabilities of a classifier, made by a module.
  static func classes(module: String) -> PlainDecoding {
    PlainDecoding(
      output: "probabilities", part: "probabilities", quantity: .probabilities, otherNames: ["output0"],
      module: module)
  }
  /// The map of a depth network.
  static let depth = PlainDecoding(
    output: "depth", part: "depth", quantity: .raw, otherNames: ["predicted_depth", "output0"])

  var objectKind: ObjectKind? { nil }

  func tensors(of outputs: [String: [Float]], input: MapShape) -> [DecodedTensor] {
    guard let elements = outputs[output] else { return [] }
    let isMap = elements.count == input.height * input.width
    let shape = isMap ? [input.height, input.width] : [elements.count]
    return [
      DecodedTensor(
        names: [output] + otherNames, stage: "the \(part)", shape: shape, elements: elements,
        parts: [DecodedPart(part, quantity, rows: Array(0..<shape[0]))], sources: [output], isFinal: true,
        module: module)
    ]
  }

  func objects(
    of outputs: [String: [Float]], input: MapShape, thresholds: ObjectThresholds
  ) -> [DecodedObject] { [] }

  func overlap(_ object: DecodedObject, _ other: DecodedObject) -> Float { 0 }
}
