import Geometry
import Imaging

/// From a picture to the network's input.
///
/// Ported from Ultralytics 8.4.190 (`LetterBox`, OpenCV's `INTER_LINEAR` on bytes).
package enum YOLOPreprocessing {
  /// The gray level around the picture.
  static let padding: UInt8 = 114
  /// Every byte divided by 255.
  fileprivate static let unit: [Float] = (0...255).map { Float($0) / 255 }

  /// Writes the letterboxed picture in [0, 1]: (network height, network width, 3), row-major.
  package static func fill(_ input: inout MutableSpan<Float>, with picture: RGBImage, letterbox: Letterbox) {
    let network = letterbox.networkSize
    let content = letterbox.contentSize
    precondition(input.count == network.width * network.height * 3, "three channels per pixel")
    precondition(
      picture.width == letterbox.imageSize.width && picture.height == letterbox.imageSize.height,
      "the letterbox is another picture's")
    let scaled = picture.resizedBilinear8(width: content.width, height: content.height)
    let pixels = scaled.pixels.span
    let unit = Self.unit.span
    let gray = unit[Int(padding)]
    var target = 0
    func fill(_ count: Int, _ input: inout MutableSpan<Float>) {
      for index in target..<target + count { input[index] = gray }
      target += count
    }
    fill(letterbox.padTop * network.width * 3, &input)
    for row in 0..<content.height {
      fill(letterbox.padLeft * 3, &input)
      let source = row * content.width * 3
      for index in 0..<content.width * 3 { input[target + index] = unit[Int(pixels[source + index])] }
      target += content.width * 3
      fill(letterbox.padRight * 3, &input)
    }
    fill(letterbox.padBottom * network.width * 3, &input)
  }
}

extension YOLOPreprocessing {
  /// Writes the picture's middle square in [0, 1]: (side, side, 3), row-major.
  ///
  /// Ported from Ultralytics 8.4.190 (`classify_transforms`): the shorter side becomes `side`, as Pillow reduces, and
  /// the middle is cut out.
  package static func fillMiddleSquare(
    _ input: inout MutableSpan<Float>, with picture: RGBImage, side: Int
  ) {
    precondition(input.count == side * side * 3, "three channels per pixel")
    let shorter = min(picture.width, picture.height)
    let size = PixelSize(
      width: side * picture.width / shorter, height: side * picture.height / shorter)
    let column = middle(size.width, side)
    let row = middle(size.height, side)
    let square = picture.resizedAveraging8(
      width: size.width, height: size.height, columns: column..<column + side, rows: row..<row + side)
    let pixels = square.pixels.span
    let unit = Self.unit.span
    for index in pixels.indices { input[index] = unit[Int(pixels[index])] }
  }

  /// The first of `side` cells in the middle of `length`; halves go to the even one.
  private static func middle(_ length: Int, _ side: Int) -> Int {
    Int((Double(length - side) / 2).rounded(.toNearestOrEven))
  }
}
