import FileFormats
import NNRuntime

/// A layer's entry in a trace besides its result, so that two traces can be compared without the network.
struct RecordedLayer: Equatable {
  /// The name of the result.
  let name: String
  /// The layers joined into it.
  let holds: [String]
  /// The field's names of the operations of `holds`, one each; empty where a trace does not say.
  let kinds: [String]
  /// The field's name of the operation.
  let operation: String
  /// How much it enlarges roundings; nil where that was not measured.
  let conditioning: Conditioning?

  /// The key of a trace's metadata that holds the list of its layers, in running order.
  static let metadataKey = "layers"

  /// The list as a text.
  static func text(of layers: [RecordedLayer]) -> String {
    JSONValue.array(
      layers.map { layer in
        var members: [String: JSONValue] = [
          "name": .string(layer.name), "operation": .string(layer.operation),
        ]
        if layer.holds.count > 1 {
          members["holds"] = .array(layer.holds.map(JSONValue.string))
          members["kinds"] = .array(layer.kinds.map(JSONValue.string))
        }
        if let conditioning = layer.conditioning {
          members["conditioning"] = .array([
            .integer(conditioning.terms), .number(conditioning.largest), .number(conditioning.mean),
          ])
        }
        return .object(members)
      }
    ).serialized()
  }

  /// The list of a trace; nil where it has none, or one that is damaged.
  static func list(_ text: String?) -> [RecordedLayer]? {
    guard let text, let list = try? JSONValue.parse(text).array else { return nil }
    let layers = list.compactMap { entry -> RecordedLayer? in
      guard let name = entry["name"]?.string, let operation = entry["operation"]?.string else { return nil }
      let holds = entry["holds"]?.array?.compactMap(\.string) ?? [name]
      let kinds = entry["kinds"]?.array?.compactMap(\.string) ?? []
      return RecordedLayer(
        name: name, holds: holds, kinds: kinds.count == holds.count ? kinds : [], operation: operation,
        conditioning: entry["conditioning"]?.numbers.flatMap(Conditioning.init(recorded:)))
    }
    return layers.count == list.count ? layers : nil
  }
}

extension Conditioning {
  /// As a trace records it: terms, largest, mean.
  fileprivate init?(recorded numbers: [Double]) {
    guard numbers.count == 3, numbers.allSatisfy({ $0.isFinite && $0 >= 0 }),
      let terms = Int(exactly: numbers[0])
    else { return nil }
    self.init(terms: terms, largest: numbers[1], mean: numbers[2])
  }
}
