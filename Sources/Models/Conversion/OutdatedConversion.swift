import FileFormats

/// Weight files that an older converter made of pickled networks, whose modules it did not read: what a network's
/// tensors do not tell may be wrong in them.
package enum OutdatedConversion {
  private static let older = "ardf.weights/1"
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

  /// The defect of such a file and its remedy.
  package static func message(_ source: String) -> String {
    "made of \(printableName(source)) by an older ardf convert, which did not compare its modules (activations, "
      + "strides) with what is computed: convert it again with `ardf convert \(printableName(source)) FILE --force`"
  }
}
