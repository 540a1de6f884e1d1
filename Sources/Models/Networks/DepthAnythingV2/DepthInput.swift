import Geometry

/// The sizes of what a depth network is fed at once.
package struct DepthInput: Sendable, Hashable {
  /// The prompt's size where only a network's layers are inspected: that of an iPhone's LiDAR map.
  package static let standardPrompt = PixelSize(width: 256, height: 192)

  /// The picture's, made of whole patches.
  package let picture: PixelSize
  /// The prompt's, of a prompted network.
  package let prompt: PixelSize?

  /// Sizes of a network's inputs.
  package init(picture: PixelSize, prompt: PixelSize? = nil) {
    self.picture = picture
    self.prompt = prompt
  }
}
