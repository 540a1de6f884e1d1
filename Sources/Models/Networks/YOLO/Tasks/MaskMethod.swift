/// How an object's logits on the prototype grid become its pixels in the picture.
///
/// The two ways of Ultralytics 8.4 to predict.
public enum MaskMethod: String, Sendable, CaseIterable {
  /// `retina_masks=False`, Ultralytics' default: logits are enlarged to the network's input and cut there; what is
  /// set is scaled to the picture and cut at one half (`process_mask`, `scale_masks`).
  ///
  /// Borders are steps of the network's pixels and may lie beyond the box.
  case fast
  /// `retina_masks=True`: logits are enlarged to the picture, and cut there and at the box (`process_mask_native`).
  case retina
}

/// Limits of time and memory for the masks of a picture; none by default.
package struct MaskBounds: Sendable {
  /// Pixels of all objects' boxes in the picture together, which set the time.
  package var pixels = Int.max
  /// Told how many bytes all masks take, and one that is being made; whether there is memory for them.
  package var holds: @Sendable (_ bytes: Int) -> Bool = { _ in true }
  /// Called before each mask: whether it is still wanted.
  package var isWanted: @Sendable () -> Bool = { true }

  /// No bounds.
  package init() {}
}
