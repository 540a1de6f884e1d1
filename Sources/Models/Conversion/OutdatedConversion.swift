import FileFormats

/// Weight files that another converter made than this one.
///
/// An older one did not read the modules of pickled networks: what a network's tensors do not tell may be wrong in its
/// files. What a later one writes is not known.
package enum OutdatedConversion {
  private static let prefix = "ardf.weights/"
  private static let older = prefix + "1"
  private static let endings = [".pt", ".pth", ".ckpt"]

  /// The name of the checkpoint that has to be converted again; nil of weight files that are sound.
  ///
  /// The published checkpoints have been compared with what is built.
  package static func source(_ metadata: [String: String]) -> String? {
    guard metadata["format"] == older, let digest = metadata["source_sha256"],
      CheckpointOrigin.published[digest] == nil, let source = metadata["source_file"],
      endings.contains(where: source.hasSuffix)
    else { return nil }
    return source
  }

  /// The `format` of a later version than this program reads; nil of weight files that it reads, and of others.
  package static func laterFormat(_ metadata: [String: String]) -> String? {
    guard let format = metadata["format"], format.hasPrefix(prefix),
      ![older, CheckpointConverter.formatVersion].contains(format)
    else { return nil }
    return format
  }

  /// The defect of a file of that format and its remedy.
  package static func laterMessage(_ format: String) -> String {
    "of format \(printableName(format)), this version reads \(CheckpointConverter.formatVersion): use a later ardf, or "
      + "convert the checkpoint with this one"
  }

  /// The defect of a file of the first version and its remedy.
  package static func message(_ source: String) -> String {
    "made of \(printableName(source)) by an older ardf convert, which did not compare its modules (activations, "
      + "strides) with what is computed: convert it again with `ardf convert \(printableName(source)) FILE --force`"
  }
}
