import FileFormats
import Imaging

/// Pictures made by formula, so that tests need no files.
enum TestPictures {
  /// Largest difference in levels that JPEG at quality 95 leaves on a smooth gradient.
  static let jpegTolerance = 8

  /// Smooth in every channel, no two rows or columns alike.
  static func gradient(width: Int, height: Int) -> RGBImage {
    var image = RGBImage(width: width, height: height)
    for y in 0..<height {
      for x in 0..<width {
        image[x, y] = Color(
          red: UInt8(x * 255 / max(1, width - 1)), green: UInt8(y * 255 / max(1, height - 1)),
          blue: UInt8((x + y) * 255 / max(1, width + height - 2)))
      }
    }
    return image
  }

  /// Every pixel differs from its neighbors; the sequence depends on the seed alone.
  static func noise(width: Int, height: Int, seed: UInt64 = 1) -> RGBImage {
    var random = SplitMix64(seed: seed)
    let pixels = (0..<width * height * 3).map { _ in UInt8.random(in: 0...255, using: &random) }
    return RGBImage(width: width, height: height, pixels: pixels)
  }
}
