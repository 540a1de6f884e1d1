import Geometry
import Imaging

/// From a picture to the network's input.
///
/// Ported from Ultralytics 8.4.190 (`LetterBox`, OpenCV's `INTER_LINEAR` on bytes).
package enum YOLOPreprocessing {
  /// The grey level around the picture.
  static let padding: UInt8 = 114
  /// Every byte divided by 255.
  private static let unit: [Float] = (0...255).map { Float($0) / 255 }

  /// Writes the letterboxed picture in [0, 1]: (network height, network width, 3), row-major.
  package static func fill(_ input: inout MutableSpan<Float>, with picture: RGBImage, letterbox: Letterbox) {
    let network = letterbox.networkSize
    let content = letterbox.contentSize
    precondition(input.count == network.width * network.height * 3, "three channels a pixel")
    precondition(
      picture.width == letterbox.imageSize.width && picture.height == letterbox.imageSize.height,
      "the letterbox is another picture's")
    let scaled = picture.resizedBilinear8(width: content.width, height: content.height)
    let pixels = scaled.pixels.span
    let unit = Self.unit.span
    let grey = unit[Int(padding)]
    var target = 0
    func fill(_ count: Int, _ input: inout MutableSpan<Float>) {
      for index in target..<target + count { input[index] = grey }
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
