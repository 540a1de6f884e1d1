import FileFormats

/// Fields of Hugging Face's `config.json` about a depth network that its weights do not tell.
package struct HuggingFaceConfig: Sendable, Equatable {
  /// Whether the head ends in a sigmoid: `depth_estimation_type`.
  let isMetric: Bool
  /// The greatest depth of a metric head, meters, where it has one.
  let greatestDepth: Double?
  /// The blocks after which the head taps the encoder, from 1, where it says so.
  let outIndices: [Int]?

  private static let modelTypes: Set<String> = ["depth_anything", "prompt_depth_anything"]

  /// The configuration of a depth network; nil of any other network.
  ///
  /// - Throws: `CheckpointError.Kind.config` where it contradicts itself.
  package init?(_ json: JSONValue) throws(CheckpointError.Kind) {
    guard let type = json["model_type"]?.string, Self.modelTypes.contains(type) else { return nil }
    outIndices = json["backbone_config"]?["out_indices"]?.integers(in: 0...1 << 20)
    switch json["depth_estimation_type"]?.string ?? "relative" {
    case "relative": (isMetric, greatestDepth) = (false, nil)
    case "metric": (isMetric, greatestDepth) = (true, json["max_depth"]?.number)
    case let other: throw .config("depth_estimation_type \"\(other)\" is neither relative nor metric")
    }
  }

  /// The configuration beside the checkpoint at `path`; nil where there is none of a depth network.
  ///
  /// - Throws: `CheckpointError.Kind.config` where there is one that cannot be read.
  static func beside(_ path: String) throws(CheckpointError.Kind) -> HuggingFaceConfig? {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    let json: JSONValue
    do {
      json = try JSONValue.read(path: "\(folder)config.json")
    } catch FileError.missing {
      return nil
    } catch {
      throw .config("\(error)")
    }
    return try HuggingFaceConfig(json)
  }
}
