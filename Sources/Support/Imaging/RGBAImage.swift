/// An 8-bit sRGB picture with straight (not premultiplied) alpha: `height` x `width` x 4 bytes.
public struct RGBAImage: Sendable, Equatable {
  /// Columns.
  public let width: Int
  /// Rows.
  public let height: Int
  /// Interleaved red, green, blue, alpha bytes; their count stays `height * width * 4`.
  public var pixels: [UInt8]

  /// Wraps interleaved bytes; their count must be `width * height * 4`.
  public init(width: Int, height: Int, pixels: [UInt8]) {
    precondition(width > 0 && height > 0, "an image has at least one pixel")
    precondition(pixels.count == width * height * 4, "an RGBA image holds 4 bytes per pixel")
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// Checks the count that `pixels`, being mutable, could have lost: for code that trusts it.
  func checkCount() {
    precondition(pixels.count == width * height * 4, "an RGBA image holds 4 bytes per pixel")
  }

  /// A picture of one color, transparent by default.
  public init(width: Int, height: Int, color: Color = .clear) {
    let pixel = [color.red, color.green, color.blue, color.alpha]
    self.init(
      width: width, height: height, pixels: (0..<width * height).flatMap { _ in pixel })
  }

  /// A picture without transparency.
  public init(_ image: RGBImage) {
    var pixels = [UInt8](repeating: 255, count: image.width * image.height * 4)
    for pixel in 0..<image.width * image.height {
      for channel in 0..<3 { pixels[pixel * 4 + channel] = image.pixels[pixel * 3 + channel] }
    }
    self.init(width: image.width, height: image.height, pixels: pixels)
  }

  /// The color, with its alpha, of the pixel in column `x` and row `y`.
  public subscript(x: Int, y: Int) -> Color {
    precondition(x >= 0 && x < width && y >= 0 && y < height, "pixel outside the image")
    let index = (y * width + x) * 4
    return Color(
      red: pixels[index], green: pixels[index + 1], blue: pixels[index + 2], alpha: pixels[index + 3])
  }
}
