import Geometry

/// The network input for a picture.
///
/// Ported from the Depth Anything V2 reference (`Resize` with `keep_aspect_ratio`, `ensure_multiple_of` 14,
/// `resize_method` "lower_bound").
package enum DepthInputSize {
  /// Pixels on a side of a patch.
  package static let patch = 14
  /// The shorter side of the reference's input.
  package static let standard = 518
  /// The shorter side of the input of the reference of prompted networks.
  package static let standardPrompted = 756
  /// The longest shorter side accepted: a square of the most patches.
  package static let maximumBound = 1792
  /// The most patches accepted, twelve times those of the standard square.
  ///
  /// A thin strip of a picture would need more memory than any machine has.
  package static let maximumPatches = 16_384

  /// The smallest input that keeps the picture's shape, roughly, with no side under `bound`.
  ///
  /// - Throws: `DepthError.tooElongated` if the longer side would be out of all proportion, and
  ///   `DepthError.invalidBound`.
  package static func lowerBound(
    for picture: PixelSize, bound: Int = standard
  ) throws(DepthError) -> PixelSize {
    guard (patch...maximumBound).contains(bound) else { throw .invalidBound(bound) }
    guard let size = size(for: picture, bound: bound) else {
      let smaller = stride(from: bound / patch * patch, through: patch, by: -patch)
      let largest = smaller.first { size(for: picture, bound: $0) != nil }
      throw .tooElongated(picture, bound: bound, largest: largest)
    }
    return size
  }

  /// nil where there would be too many patches.
  private static func size(for picture: PixelSize, bound: Int) -> PixelSize? {
    let scale = max(Double(bound) / Double(picture.width), Double(bound) / Double(picture.height))
    let columns = patches(scale * Double(picture.width), bound: bound)
    let rows = patches(scale * Double(picture.height), bound: bound)
    guard columns * rows <= Double(maximumPatches) else { return nil }
    return PixelSize(width: Int(columns) * patch, height: Int(rows) * patch)
  }

  /// Patches along a side: the nearest whole number, halves to even, raised if that undercuts the bound.
  private static func patches(_ side: Double, bound: Int) -> Double {
    let nearest = (side / Double(patch)).rounded(.toNearestOrEven)
    return nearest * Double(patch) < Double(bound) ? (side / Double(patch)).rounded(.up) : nearest
  }
}

extension DepthInputSize {
  /// Checks that an input is made of whole patches, and not of too many.
  static func check(_ size: PixelSize) throws(DepthError) {
    guard size.width % patch == 0, size.height % patch == 0,
      (size.width / patch) * (size.height / patch) <= maximumPatches
    else { throw .notWholePatches(size) }
  }
}
