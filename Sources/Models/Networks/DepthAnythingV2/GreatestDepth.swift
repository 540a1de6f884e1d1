/// The greatest depth of a metric network, which tells it from a relative one: their weights have the same names and
/// shapes.
enum GreatestDepth {
  /// The metadata key of the greatest depth in meters.
  static let key = "max_depth"
  /// The data that published metric networks were trained on, as their names say, and their greatest depth, meters.
  private static let published = [("metric_hypersim", "20"), ("metric_vkitti", "80")]

  /// The greatest depth of a metric network, meters, for a weight file's metadata; nil of other networks.
  ///
  /// - Throws: `.config`, `.unknownGreatestDepth`, `.invalidGreatestDepth`, `.needlessGreatestDepth`.
  static func of(
    _ source: CheckpointSource, isPrompted: Bool, _ hints: ConversionHints, _ config: HuggingFaceConfig?
  ) throws(CheckpointError.Kind) -> String? {
    guard !isPrompted || hints.maxDepth == nil else { throw .needlessGreatestDepth }
    if let given = hints.maxDepth { return try text(given) }
    if let config {
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
      return try text(depth)
    }
    guard !isPrompted else { return nil }
    if let stated = source.metadata[key] { return try text(Double(stated) ?? .nan) }
    return try named(hints.name(parts: source.usesHuggingFaceNames ? 2 : 1))
  }

  /// The greatest depth by the file's name; without `config.json`, a file in the format of Hugging Face is named by its
  /// folder.
  private static func named(_ name: String) throws(CheckpointError.Kind) -> String? {
    if let known = published.first(where: { name.contains($0.0) }) { return known.1 }
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
