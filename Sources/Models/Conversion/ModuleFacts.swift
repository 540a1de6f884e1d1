/// Metadata of a weight file on how its tensors were checked against the published network.
package enum ModuleFacts {
  /// The metadata's key.
  package static let key = "modules"
  /// Every module of the checkpoint was compared with what is built.
  package static let compared = "compared"
  /// The checkpoint was a table of tensors.
  package static let untold = "untold"

  /// A remark on what a table of tensors lacks, for people.
  package static let remark =
    "a bare table of tensors: it does not tell activations, strides, paddings, pooling and up-sampling, those of the "
    + "published network are taken"
}
