import FileFormats
import Geometry
import Imaging

/// The rows of a raw image, checked against what it states before they are touched.
struct RawPixels {
  let size: PixelSize

  /// Where red, green and blue lie in a pixel, and its bytes, by the encoding's name (sensor_msgs/image_encodings.hpp); nil
  /// for what holds no colors.
  static func channels(of encoding: String) -> (red: Int, green: Int, blue: Int, bytes: Int)? {
    switch encoding {
    case "rgb8": (0, 1, 2, 3)
    case "bgr8", "8UC3": (2, 1, 0, 3)
    case "rgba8": (0, 1, 2, 4)
    case "bgra8", "8UC4": (2, 1, 0, 4)
    case "mono8", "8UC1": (0, 0, 0, 1)
    default: nil
    }
  }

  /// Bytes of a sample of depth; nil for other encodings.
  private static func depthBytes(of encoding: String) -> Int? {
    switch encoding {
    case "16UC1", "mono16": 2
    case "32FC1": 4
    default: nil
    }
  }

  private let image: ROSImage
  private let data: FileBytes
  private let file: String

  /// - `limit`: The most pixels.
  init(_ image: ROSImage, file: String, limit: Int) throws(CaptureError) {
    self.image = image
    self.file = file
    guard let size = try? PixelSize(checking: image.width, image.height) else {
      throw .malformed(file: file, reason: "an image of \(image.width)x\(image.height) pixels")
    }
    guard size.width * size.height <= limit else {
      throw .tooManyPixels(file: file, width: size.width, height: size.height, limit: limit)
    }
    self.size = size
    do {
      data = try image.data()
    } catch {
      throw .malformed(file: file, reason: error.reason)
    }
    guard let bytes = Self.channels(of: image.encoding)?.bytes ?? Self.depthBytes(of: image.encoding) else {
      throw .foreignPicture(file: file, format: "an image of encoding \(printableName(image.encoding))")
    }
    // The last row may end with its last pixel.
    guard image.step >= size.width * bytes,
      data.count >= (size.height - 1) * image.step + size.width * bytes
    else {
      throw .malformed(
        file: file,
        reason: "an image of \(size.width)x\(size.height) pixels, \(counted(image.step, "byte")) a row, has "
          + counted(data.count, "byte"))
    }
  }

  /// The picture in red, green and blue.
  func picture() throws(CaptureError) -> RGBImage {
    guard let place = Self.channels(of: image.encoding) else {
      throw .foreignPicture(file: file, format: "an image of encoding \(printableName(image.encoding))")
    }
    var pixels = [UInt8](repeating: 0, count: size.width * size.height * 3)
    data.withBytes { bytes in
      var target = 0
      for row in 0..<size.height {
        var source = row * image.step
        for _ in 0..<size.width {
          pixels[target] = bytes[source + place.red]
          pixels[target + 1] = bytes[source + place.green]
          pixels[target + 2] = bytes[source + place.blue]
          source += place.bytes
          target += 3
        }
      }
    }
    return RGBImage(width: size.width, height: size.height, pixels: pixels)
  }

  /// Depth in meters: millimeters as integers, or meters; what is infinitely far is not measured.
  func depth() throws(CaptureError) -> Plane<Float> {
    guard let bytes = Self.depthBytes(of: image.encoding) else {
      throw .badDepthFormat(file: file, found: "an image of encoding \(printableName(image.encoding))")
    }
    var meters = [Float](repeating: 0, count: size.width * size.height)
    let isBigEndian = image.isBigEndian
    data.withBytes { stored in
      for row in 0..<size.height {
        for column in 0..<size.width {
          let source = row * image.step + column * bytes
          var bits: UInt32 = 0
          for index in 0..<bytes {
            let byte = UInt32(stored[source + (isBigEndian ? index : bytes - 1 - index)])
            bits = bits << 8 | byte
          }
          let value =
            bytes == 2 ? Float(bits) * DepthDecoding.metersPerMillimeter : Float(bitPattern: bits)
          meters[row * size.width + column] = value.isInfinite ? .nan : value
        }
      }
    }
    return Plane(width: size.width, height: size.height, elements: meters)
  }
}
