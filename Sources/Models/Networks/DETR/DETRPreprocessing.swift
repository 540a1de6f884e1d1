import FileFormats
import Geometry
import Imaging

/// From a picture to the network's input.
///
/// Ported from transformers 5 (the designs' image processors with Pillow's bilinear resampling, one picture at a time, which
/// needs no padding).
package struct DETRPreprocessing: Sendable, Equatable {
  /// The input's size for a picture.
  package enum Size: Sendable, Equatable {
    /// Every picture is stretched to it.
    case exact(PixelSize)
    /// The shorter side becomes `shorter`, or less where the longer one would exceed `longer`.
    case shorterSide(Int, longer: Int)
  }

  package var size: Size
  /// Pixels are multiplied by it.
  package var scale: Float = 1 / 255
  /// Subtracted from scaled pixels, a channel.
  package var mean: [Float] = [0, 0, 0]
  /// Divides what is left, a channel.
  package var deviation: [Float] = [1, 1, 1]

  /// The input's size for a picture of this size.
  package func inputSize(for picture: PixelSize) -> PixelSize {
    switch size {
    case .exact(let size): return size
    case .shorterSide(let shorter, let longer):
      let (width, height) = (Double(picture.width), Double(picture.height))
      let (least, greatest) = (min(width, height), max(width, height))
      var exact = Double(shorter)
      if greatest / least * exact > Double(longer) { exact = Double(longer) * least / greatest }
      // Python's round: halves go to the even number.
      let side = max(1, Int(clamping: exact.rounded(.toNearestOrEven)))
      if side == Int(clamping: least) { return picture }
      let other = max(1, Int(clamping: exact * greatest / least))
      return width < height
        ? PixelSize(width: side, height: other) : PixelSize(width: other, height: side)
    }
  }

  /// The input of a picture: (3, height, width), row-major.
  package func planes(of picture: RGBImage, size: PixelSize) -> [Float] {
    let scaled = picture.resizedAveraging8(
      width: size.width, height: size.height, columns: 0..<size.width, rows: 0..<size.height)
    let tables = (0..<3).map { channel in
      (0...255).map { (Float($0) * scale - mean[channel]) / deviation[channel] }
    }
    let pixels = scaled.pixels.span
    let count = size.width * size.height
    var planes = [Float](repeating: 0, count: 3 * count)
    var target = planes.mutableSpan
    for channel in 0..<3 {
      let values = tables[channel]
      let table = values.span
      for pixel in 0..<count { target[channel * count + pixel] = table[Int(pixels[3 * pixel + channel])] }
    }
    return planes
  }
}
