import FileFormats

/// What tells a metric depth network from a relative one, whose weights have the same names and shapes.
struct DepthHints {
  /// The metadata key of the greatest depth in meters.
  static let key = "max_depth"
  /// The data that published metric networks were trained on, as their names say, and their greatest depth, meters.
  private static let published = [("metric_hypersim", "20"), ("metric_vkitti", "80")]

  /// Where the checkpoint lies; nil of one in memory.
  let path: String?
  /// The greatest depth that the user gives, meters.
  let given: Double?

  /// The greatest depth of a metric network, meters, for a weight file's metadata; nil of other networks.
  ///
  /// - Throws: `.config`, `.unknownGreatestDepth`, `.invalidGreatestDepth`, `.needlessGreatestDepth`.
  func greatestDepth(
    of source: CheckpointSource, isPrompted: Bool
  ) throws(CheckpointError.Kind) -> String? {
    guard !isPrompted || given == nil else { throw .needlessGreatestDepth }
    if let given { return try Self.text(given) }
    if source.usesHuggingFaceNames, let path, let config = try HuggingFaceConfig.beside(path) {
      guard !isPrompted else {
        guard config.isMetric else {
          throw .config("its depth_estimation_type is relative, a prompted network's is metric")
        }
        return nil
      }
      guard config.isMetric else { return nil }
      guard let depth = config.greatestDepth else {
        throw .config("its depth_estimation_type is metric, but it has no max_depth; give --max-depth")
      }
      return try Self.text(depth)
    }
    guard !isPrompted else { return nil }
    if let stated = source.metadata[Self.key] { return try Self.text(Double(stated) ?? .nan) }
    return try named(source)
  }

  /// What the file's name says; without `config.json` a file of Hugging Face's is named by its folder.
  private func named(_ source: CheckpointSource) throws(CheckpointError.Kind) -> String? {
    let parts = (path ?? "").lowercased().split(separator: "/")
    let name = parts.suffix(source.usesHuggingFaceNames ? 2 : 1).joined(separator: "/")
    if let known = Self.published.first(where: { name.contains($0.0) }) { return known.1 }
    guard !name.contains("metric") else { throw .unknownGreatestDepth }
    return nil
  }

  private static func text(_ depth: Double) throws(CheckpointError.Kind) -> String {
    let range = DepthAnythingArchitecture.greatestDepths
    guard depth >= Double(range.lowerBound), depth <= Double(range.upperBound) else {
      throw .invalidGreatestDepth(depth)
    }
    return Int(exactly: depth).map(String.init) ?? "\(depth)"
  }
}
