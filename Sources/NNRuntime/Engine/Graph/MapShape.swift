/// The shape of a value: a channels-last map of each image of a batch.
///
/// A token sequence is a map of height 1.
public struct MapShape: Hashable, Sendable, CustomStringConvertible {
  /// Images of a batch, one after another.
  public var images: Int
  /// Rows, pixels a row, channels a pixel.
  public var height, width, channels: Int

  /// Maps of `height` x `width` pixels with `channels` each, one for each of `images`.
  public init(images: Int = 1, height: Int, width: Int, channels: Int) {
    precondition(
      images > 0 && height > 0 && width > 0 && channels > 0, "a map has at least one element")
    self.images = images
    self.height = height
    self.width = width
    self.channels = channels
  }

  /// Pixels (tokens) of an image's map.
  public var pixels: Int { height * width }
  /// Pixels (tokens) of all images.
  public var batchPixels: Int { images * pixels }
  /// Elements of all images.
  public var count: Int { batchPixels * channels }
  /// `height x width x channels`, after the number of images where there are several.
  public var description: String {
    (images > 1 ? "\(images)x" : "") + "\(height)x\(width)x\(channels)"
  }

  /// The same of each of `images` images.
  package func of(images: Int) -> MapShape {
    MapShape(images: images, height: height, width: width, channels: channels)
  }

  /// Maps of the same pixels with as many channels each.
  package func with(channels: Int) -> MapShape {
    MapShape(images: images, height: height, width: width, channels: channels)
  }
}
