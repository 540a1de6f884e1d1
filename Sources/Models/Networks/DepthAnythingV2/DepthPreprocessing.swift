import Geometry
import Imaging

/// From a picture to the network's input.
///
/// Ported from the Depth Anything V2 reference: the picture in [0, 1], resized by OpenCV's `INTER_CUBIC`
/// (overshoot kept), then normalized. Deviation: single precision where the reference has double.
package enum DepthPreprocessing {
  /// ImageNet's mean of red, green and blue in [0, 1].
  static let mean: [Float] = [0.485, 0.456, 0.406]
  /// ImageNet's standard deviation of red, green and blue in [0, 1].
  static let deviation: [Float] = [0.229, 0.224, 0.225]

  /// Writes the picture, resized to `size` and normalized: (height, width, 3), row-major.
  package static func fill(_ input: inout MutableSpan<Float>, with picture: RGBImage, size: PixelSize) {
    precondition(input.count == size.width * size.height * 3, "three channels per pixel")
    let planes = picture.resizedBicubicUnit(width: size.width, height: size.height)
    for channel in 0..<3 {
      let elements = planes[channel].elements
      let plane = elements.span
      let (mean, deviation) = (mean[channel], deviation[channel])
      for pixel in plane.indices { input[pixel * 3 + channel] = (plane[pixel] - mean) / deviation }
    }
  }
}
