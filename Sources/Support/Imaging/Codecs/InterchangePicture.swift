import Geometry

/// A picture of another format than JPEG and PNG: its library is opened at run time, or it needs none.
struct InterchangePicture {
  let header: ImageHeader

  private let bytes: [UInt8]
  private let limits: ImageLimits
  /// Tags of the first directory of a TIFF file.
  private var directory: TIFFStructure?

  var width: Int { header.size.width }
  var height: Int { header.size.height }

  /// Reads what the file says.
  ///
  /// - Precondition: The format is neither JPEG nor PNG.
  init(_ bytes: [UInt8], _ format: ImageFormat, limits: ImageLimits) throws(ImageDefect) {
    (self.bytes, self.limits) = (bytes, limits)
    let size: (width: Int, height: Int)
    let tags = ImageCodec.exif(of: bytes, format)
    var (orientation, focalLength) = (ImageCodec.orientation(tags), tags.focalLengthIn35mmFilm)
    var companions: [String] = []
    switch format {
    case .jpeg, .png: preconditionFailure("\(format) has its own reader")
    case .webp: size = try LibWebP.shared().size(bytes, limits: limits)
    case .heic, .avif:
      let found = try LibHeif.shared(for: format).header(bytes, format, limits: limits)
      size = (found.width, found.height)
      // What turns the picture is in its boxes, and done while it is decoded (ISO/IEC 23008-12, A.2.1).
      (orientation, focalLength) = (.up, ExifTags(inTIFF: found.exif).focalLengthIn35mmFilm)
      companions = Self.words(of: found.auxiliaryTypes)
    case .tiff:
      let found = try TIFFStructure(bytes, limits: limits)
      (size, directory) = ((found.width, found.height), found)
    case .jpeg2000:
      let found = try JPEG2000Structure(bytes, limits: limits)
      size = (found.width, found.height)
    case .bmp:
      let bitmap = try WindowsBitmap(bytes, limits: limits)
      size = (bitmap.width, bitmap.height)
    case .pnm:
      let map = try PortableAnymap(bytes, limits: limits)
      size = (map.width, map.height)
    }
    header = ImageHeader(
      format: format, size: PixelSize(width: size.width, height: size.height),
      orientation: orientation, focalLengthIn35mmFilm: focalLength, companions: companions)
  }

  /// The picture in sRGB's colors, without alpha.
  func withoutAlpha() throws(ImageDefect) -> RGBImage {
    switch header.format {
    case .bmp: try WindowsBitmap(bytes, limits: limits).decoded()
    case .pnm: try PortableAnymap(bytes, limits: limits).decoded()
    case .tiff, .jpeg2000: Self.withoutAlpha(try withAlpha())
    case .jpeg, .png, .heic, .avif, .webp:
      RGBImage(width: width, height: height, pixels: try pixels(withAlpha: false))
    }
  }

  private static func withoutAlpha(_ image: RGBAImage) -> RGBImage {
    var pixels = [UInt8](repeating: 0, count: image.width * image.height * 3)
    for index in 0..<image.width * image.height {
      for channel in 0..<3 { pixels[3 * index + channel] = image.pixels[4 * index + channel] }
    }
    return RGBImage(width: image.width, height: image.height, pixels: pixels)
  }

  /// Interleaved samples in sRGB's colors.
  private func pixels(withAlpha: Bool) throws(ImageDefect) -> [UInt8] {
    let format = header.format
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
    switch header.format {
    case .bmp, .pnm: return RGBAImage(try withoutAlpha())
    case .tiff:
      guard let directory else { preconditionFailure("a TIFF file has a directory") }
      return RGBAImage(
        width: width, height: height, pixels: try LibTIFF.shared().pixels(bytes, directory))
    case .jpeg2000:
      return RGBAImage(
        width: width, height: height,
        pixels: try LibOpenJPEG.shared().pixels(bytes, JPEG2000Structure(bytes, limits: limits)))
    case .jpeg, .png, .heic, .avif, .webp:
      return RGBAImage(width: width, height: height, pixels: try pixels(withAlpha: true))
    }
  }

  /// Kinds of auxiliary images, by the endings of their types (ISO/IEC 23008-12, ITU-T H.273, Apple's).
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
