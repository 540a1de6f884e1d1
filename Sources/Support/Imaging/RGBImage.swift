/// An 8-bit sRGB picture: `height` x `width` x 3 bytes, rows from the top, red first.
public struct RGBImage: Sendable, Equatable {
  /// Columns.
  public let width: Int
  /// Rows.
  public let height: Int
  /// Interleaved bytes; their count stays `height * width * 3`.
  public var pixels: [UInt8]

  /// Wraps interleaved bytes.
  ///
  /// The byte count must be `width * height * 3`; anything else is a programming error.
  public init(width: Int, height: Int, pixels: [UInt8]) {
    precondition(width > 0 && height > 0, "an image has at least one pixel")
    precondition(pixels.count == width * height * 3, "an RGB image holds 3 bytes per pixel")
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// Checks the count that `pixels`, being mutable, could have lost: for code that trusts it.
  func checkCount() {
    precondition(pixels.count == width * height * 3, "an RGB image holds 3 bytes per pixel")
  }

  /// A picture of one color, whose alpha is ignored.
  public init(width: Int, height: Int, color: Color = .black) {
    precondition(width > 0 && height > 0, "an image has at least one pixel")
    var pixels = [UInt8](repeating: color.red, count: width * height * 3)
    if color.red != color.green || color.red != color.blue {
      for index in stride(from: 0, to: pixels.count, by: 3) {
        pixels[index + 1] = color.green
        pixels[index + 2] = color.blue
      }
    }
    self.init(width: width, height: height, pixels: pixels)
  }

  /// The opaque color of the pixel in column `x` and row `y`.
  @inlinable
  public subscript(x: Int, y: Int) -> Color {
    get {
      let index = offset(x, y)
      return Color(red: pixels[index], green: pixels[index + 1], blue: pixels[index + 2])
    }
    set {
      let index = offset(x, y)
      pixels[index] = newValue.red
      pixels[index + 1] = newValue.green
      pixels[index + 2] = newValue.blue
    }
  }

  @usableFromInline
  func offset(_ x: Int, _ y: Int) -> Int {
    precondition(x >= 0 && x < width && y >= 0 && y < height, "pixel outside the image")
    return (y * width + x) * 3
  }

  /// The `width` x `height` part whose top-left pixel is (`x`, `y`); it must lie inside the image.
  public func cropped(x: Int, y: Int, width: Int, height: Int) -> RGBImage {
    RGBImage(
      width: width, height: height,
      pixels: croppedRows(
        of: pixels, rowLength: self.width, rowCount: self.height, elementsPerPixel: 3,
        x: x, y: y, width: width, height: height))
  }

  /// The three channels as planes of values in 0...1 (bytes divided by 255).
  public func unitPlanes() -> [Plane<Float>] {
    let units = (0...255).map { Float($0) / 255 }
    return (0..<3).map { channel in
      var elements = [Float](repeating: 0, count: width * height)
      for index in elements.indices { elements[index] = units[Int(pixels[index * 3 + channel])] }
      return Plane(width: width, height: height, elements: elements)
    }
  }
}

/// Copies a rectangle out of row-major storage.
@usableFromInline
func croppedRows<Element>(
  of elements: [Element], rowLength: Int, rowCount: Int, elementsPerPixel: Int,
  x: Int, y: Int, width: Int, height: Int
) -> [Element] {
  precondition(
    width > 0 && height > 0 && x >= 0 && y >= 0 && x <= rowLength - width && y <= rowCount - height,
    "crop rectangle outside the image")
  var cropped = [Element]()
  cropped.reserveCapacity(width * height * elementsPerPixel)
  for row in y..<y + height {
    let start = (row * rowLength + x) * elementsPerPixel
    cropped.append(contentsOf: elements[start..<start + width * elementsPerPixel])
  }
  return cropped
}
