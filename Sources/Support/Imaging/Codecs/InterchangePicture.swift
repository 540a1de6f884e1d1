import Geometry

/// A picture of a format whose library is opened at run time: HEIC, AVIF or WebP.
struct InterchangePicture {
  let width: Int
  let height: Int
  let header: ImageHeader

  private let bytes: [UInt8]
  private let format: ImageFormat
  private let limits: ImageLimits

  /// Reads what the file says.
  ///
  /// - Precondition: The format is one of the three.
  init(_ bytes: [UInt8], _ format: ImageFormat, limits: ImageLimits) throws(ImageDefect) {
    (self.bytes, self.format, self.limits) = (bytes, format, limits)
    let orientation: Orientation
    let focalLength: Int?
    var companions: [String] = []
    if format == .webp {
      (width, height) = try LibWebP.shared().size(bytes, limits: limits)
      let tags = ExifTags(inWebP: bytes)
      (orientation, focalLength) = (ImageCodec.orientation(tags), tags.focalLengthIn35mmFilm)
    } else {
      let found = try LibHeif.shared(for: format).header(bytes, format, limits: limits)
      (width, height) = (found.width, found.height)
      // What turns the picture is in its boxes, and done while it is decoded.
      (orientation, focalLength) = (.up, ExifTags(inTIFF: found.exif).focalLengthIn35mmFilm)
      companions = Self.words(of: found.auxiliaryTypes)
    }
    header = ImageHeader(
      format: format, size: PixelSize(width: width, height: height), orientation: orientation,
      focalLengthIn35mmFilm: focalLength, companions: companions)
  }

  /// Interleaved samples in sRGB's colors.
  func pixels(withAlpha: Bool) throws(ImageDefect) -> [UInt8] {
    var pixels: [UInt8]
    let color: StatedColors
    if format == .webp {
      pixels = try LibWebP.shared().pixels(bytes, limits: limits, withAlpha: withAlpha).pixels
      color = WebPStructure.chunk("ICCP", in: bytes).map { .icc(Array($0)) } ?? .untold
    } else {
      let found = try LibHeif.shared(for: format).pixels(bytes, format, limits: limits, withAlpha: withAlpha)
      (pixels, color) = (found.pixels, found.header.color)
    }
    color.conversion?.apply(to: &pixels, channels: withAlpha ? 4 : 3)
    return pixels
  }

  /// The picture with straight alpha, opaque where it has none.
  func withAlpha() throws(ImageDefect) -> RGBAImage {
    RGBAImage(width: width, height: height, pixels: try pixels(withAlpha: true))
  }

  /// What auxiliary images are, by the endings of their types (ISO/IEC 23008-12, ITU-T H.273, Apple's).
  private static let auxiliaries: [(ending: String, words: String)] = [
    ("hdrgainmap", "a gain map"), ("auxid:2", "a depth map"), ("auxiliary:depth", "a depth map"),
    ("aux:disparity", "a depth map"), ("portraiteffectsmatte", "a portrait matte"),
    ("semanticskinmatte", "a skin matte"), ("semantichairmatte", "a hair matte"),
    ("semanticteethmatte", "a teeth matte"), ("semanticglassesmatte", "a glasses matte"),
    ("semanticskymatte", "a sky matte"),
  ]

  /// The auxiliary images in words, alpha left out, each once.
  private static func words(of types: [String]) -> [String] {
    var words: [String] = []
    for type in types where !type.hasSuffix("auxid:1") && !type.hasSuffix("auxiliary:alpha") {
      let word = auxiliaries.first { type.hasSuffix($0.ending) }?.words ?? "an auxiliary image"
      if !words.contains(word) { words.append(word) }
    }
    return words
  }
}
