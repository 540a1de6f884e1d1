/// The shape of a value: a channels-last map of one image.
///
/// A token sequence is a map of height 1.
public struct MapShape: Hashable, Sendable, CustomStringConvertible {
  /// Rows, pixels a row, channels a pixel.
  public var height, width, channels: Int

  /// A map of `height` x `width` pixels with `channels` each.
  public init(height: Int, width: Int, channels: Int) {
    precondition(height > 0 && width > 0 && channels > 0, "a map has at least one element")
    self.height = height
    self.width = width
    self.channels = channels
  }

  /// Pixels (tokens) of the map.
  public var pixels: Int { height * width }
  /// Elements of the map.
  public var count: Int { pixels * channels }
  /// `height x width x channels`.
  public var description: String { "\(height)x\(width)x\(channels)" }
}
