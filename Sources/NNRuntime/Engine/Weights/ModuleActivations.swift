import FileFormats

/// Activations after modules that are not the published network's, as the metadata of weight files has them.
package enum ModuleActivations {
  /// The metadata's key: a JSON object of activations by the modules' names.
  package static let key = "activations"

  private static let slope = "leakyrelu "

  /// As metadata has them; nil of none.
  package static func text(_ activations: [String: Activation]) -> String? {
    activations.isEmpty
      ? nil : JSONValue.object(activations.mapValues { .string(name($0)) }).serialized()
  }

  /// Reads them from metadata.
  static func of(_ metadata: [String: String], file: String) throws(WeightError) -> [String: Activation] {
    guard let text = metadata[key] else { return [:] }
    guard let members = (try? JSONValue.parse(text))?.object else {
      throw WeightError(.invalidActivations("no JSON object"), file: file)
    }
    var activations: [String: Activation] = [:]
    for (module, value) in members.sorted(by: { $0.key < $1.key }) {
      guard let activation = value.string.flatMap(activation) else {
        throw WeightError(.invalidActivations("that of \(printableName(module)) is unknown"), file: file)
      }
      activations[module] = activation
    }
    return activations
  }

  private static func name(_ activation: Activation) -> String {
    if case .leakyReLU(let value) = activation { return "\(slope)\(value)" }
    return activation.name
  }

  private static func activation(_ name: String) -> Activation? {
    if name.hasPrefix(slope) {
      let value = Float(name.dropFirst(slope.count))
      return value.flatMap { $0.isFinite ? .leakyReLU(slope: $0) : nil }
    }
    return Activation.allCases.first { $0.name == name && $0.name != "leakyrelu" && $0.name != "clip" }
  }
}
