import FileFormats
import Geometry
import HTTPServing
import Imaging
import InferenceProtocol
import InferenceServing

/// A picture as a client sends it: one element of `BYTES`.
struct SentPicture {
  /// The picture as stored.
  let image: RGBImage
  /// The orientation: the request's `orientation`, an EXIF number, else the file's own.
  let orientation: Orientation

  /// The picture of a call's `image`.
  ///
  /// - Throws: `UnfitInput`, `ProtocolError`.
  init(_ call: InferenceCall, limits: ImageLimits) throws {
    guard let file = call.inputs["image"]?.texts?.first else {
      throw UnfitInput("image: send the bytes of one picture (JPEG, PNG, HEIC, AVIF or WebP)")
    }
    let turn = try call.request.integer("orientation", in: 1...8).flatMap(Orientation.init(rawValue:))
    do {
      let header = try ImageCodec.header(file, name: "image", limits: limits)
      // Within the limits, so that no product overflows.
      let pixels = header.size.width * header.size.height
      orientation = turn ?? header.orientation
      bytes = (orientation == .up ? 3 : 6) * pixels
      try call.memory.take(bytes)
      image = try call.memory.holding(Self.decodingBytesPerPixel * pixels) {
        try ImageCodec.decode(file, name: "image", limits: limits).image
      }
      upright = image.oriented(orientation)
    } catch let error as ImageError {
      throw UnfitInput("\(error)")
    }
  }

  /// Memory of a decoder besides the picture, bytes per pixel: a progressive JPEG's coefficients, three of two bytes.
  private static let decodingBytesPerPixel = 6

  /// The picture upright.
  let upright: RGBImage
  /// Bytes of both pictures.
  let bytes: Int
  /// Pixels.
  var pixels: Int { image.size.width * image.size.height }

  /// Its description for clients.
  static let description = TensorDescription("image", .bytes, [1])
}
