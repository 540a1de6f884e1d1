import Geometry

/// A decoded picture as it was stored, with the turn that its EXIF data ask for.
public struct DecodedImage: Sendable, Equatable {
  /// The stored pixels, not turned.
  public let image: RGBImage
  /// How to turn them upright; `.up` where the file says nothing valid.
  public let orientation: Orientation
  /// The container format the bytes announced.
  public let format: ImageFormat

  /// The picture turned upright.
  public func upright() -> RGBImage { image.oriented(orientation) }
}

/// A picture's header, read without decoding the pixels.
public struct ImageHeader: Sendable, Equatable {
  /// The container format the bytes announced.
  public let format: ImageFormat
  /// Stored size, before any turn.
  public let size: PixelSize
  /// How to turn the stored pixels upright.
  public let orientation: Orientation
  /// The focal length of a lens of the same diagonal field on 35 mm film, millimeters, where EXIF says it.
  public let focalLengthIn35mmFilm: Int?
  /// Contents of the file that are not decoded: a gain map, a depth map, a portrait matte ...
  public var companions: [String] = []
}

/// Reads JPEG, PNG, HEIC, AVIF, WebP, TIFF, JPEG 2000, BMP and PNM pictures, and writes the first two.
///
/// HEIC, AVIF, WebP, TIFF and JPEG 2000 are read by libraries that are opened at run time (`ImageDefect.missingLibrary`).
/// Colors of the first three become sRGB's where the file says whose they are; what a HEIF file turns or crops is turned
/// and cropped.
/// The format is found from the bytes, never from the file's name. Sizes are checked against the
/// limits before anything is allocated; data that end early are an error, not a partial picture.
/// Errors name the file, or for bytes in memory the `name` they were given.
public enum ImageCodec {
  /// Decodes a picture file to 8-bit RGB; alpha is dropped, 16-bit samples keep their high byte.
  ///
  /// - Throws: `ImageError`: the file cannot be read, is over the limits, is damaged, or is of a format that is not read.
  public static func decode(
    path: String, limits: ImageLimits = .default
  ) throws(ImageError) -> DecodedImage {
    try decode(try read(path, limits), name: path, limits: limits)
  }

  /// Decodes a picture in memory to 8-bit RGB; alpha is dropped, 16-bit samples keep their high byte.
  ///
  /// - Throws: `ImageError`: the picture is over the limits, is damaged, or is of a format that is not read.
  public static func decode(
    _ bytes: [UInt8], name: String = "picture", limits: ImageLimits = .default
  ) throws(ImageError) -> DecodedImage {
    try naming(name) { () throws(ImageDefect) in
      let format = try sniff(bytes, limits)
      let image: RGBImage
      switch format {
      case .jpeg: image = try TurboJPEG.decodeRGB(bytes, limits: limits)
      case .png: image = try Spng.decodeRGB(bytes, limits: limits)
      case .heic, .avif, .webp, .tiff, .jpeg2000, .bmp, .pnm:
        let picture = try InterchangePicture(bytes, format, limits: limits)
        return DecodedImage(
          image: try picture.withoutAlpha(), orientation: picture.header.orientation, format: format)
      }
      return DecodedImage(image: image, orientation: orientation(exif(of: bytes, format)), format: format)
    }
  }

  /// Reads a picture file's format, size and orientation without decoding its pixels.
  ///
  /// - Throws: `ImageError`: the file cannot be read, is over the limits, is damaged, or is of a format that is not read.
  public static func header(
    path: String, limits: ImageLimits = .default
  ) throws(ImageError) -> ImageHeader {
    try header(try read(path, limits), name: path, limits: limits)
  }

  /// Reads a picture's format, size and orientation without decoding its pixels.
  ///
  /// - Throws: `ImageError`: the picture is over the limits, is damaged, or is of a format that is not read.
  public static func header(
    _ bytes: [UInt8], name: String = "picture", limits: ImageLimits = .default
  ) throws(ImageError) -> ImageHeader {
    try naming(name) { () throws(ImageDefect) in
      let format = try sniff(bytes, limits)
      let size: PixelSize
      switch format {
      case .jpeg:
        let header = try TurboJPEG.header(bytes)
        try limits.check(width: header.width, height: header.height, format: .jpeg)
        size = PixelSize(width: header.width, height: header.height)
      case .png:
        let header = try Spng.header(bytes, limits: limits)
        size = PixelSize(width: header.width, height: header.height)
      case .heic, .avif, .webp, .tiff, .jpeg2000, .bmp, .pnm:
        return try InterchangePicture(bytes, format, limits: limits).header
      }
      let tags = exif(of: bytes, format)
      return ImageHeader(
        format: format, size: size, orientation: orientation(tags),
        focalLengthIn35mmFilm: tags.focalLengthIn35mmFilm)
    }
  }

  /// Decodes a picture file with straight alpha, opaque where the file has none.
  ///
  /// - Throws: `ImageError`: the file cannot be read, is over the limits, is damaged, or is of a format that is not read.
  public static func decodeRGBA(
    path: String, limits: ImageLimits = .default
  ) throws(ImageError) -> RGBAImage {
    try decodeRGBA(try read(path, limits), name: path, limits: limits)
  }

  /// Decodes a picture in memory with straight alpha, opaque where it has none.
  ///
  /// - Throws: `ImageError`: the picture is over the limits, is damaged, or is of a format that is not read.
  public static func decodeRGBA(
    _ bytes: [UInt8], name: String = "picture", limits: ImageLimits = .default
  ) throws(ImageError) -> RGBAImage {
    try naming(name) { () throws(ImageDefect) in
      switch try sniff(bytes, limits) {
      case .jpeg: RGBAImage(try TurboJPEG.decodeRGB(bytes, limits: limits))
      case .png: try Spng.decodeRGBA(bytes, limits: limits)
      case let format: try InterchangePicture(bytes, format, limits: limits).withAlpha()
      }
    }
  }

  /// Decodes an 8-bit grayscale PNG file, its samples untouched (confidence maps, masks).
  ///
  /// - Throws: `ImageError`: the file cannot be read, is over the limits, is damaged, or is no PNG of that kind.
  public static func decodeGray8(
    path: String, limits: ImageLimits = .default
  ) throws(ImageError) -> Plane<UInt8> {
    try decodeGray8(try read(path, limits), name: path, limits: limits)
  }

  /// Decodes an 8-bit grayscale PNG in memory, its samples untouched.
  ///
  /// - Throws: `ImageError`: the picture is over the limits, is damaged, or is no PNG of that kind.
  public static func decodeGray8(
    _ bytes: [UInt8], name: String = "picture", limits: ImageLimits = .default
  ) throws(ImageError) -> Plane<UInt8> {
    try decodeGray(bytes, name, limits, as: UInt8.self)
  }

  /// Decodes a 16-bit grayscale PNG file, its samples untouched (depth in millimeters).
  ///
  /// - Throws: `ImageError`: the file cannot be read, is over the limits, is damaged, or is no PNG of that kind.
  public static func decodeGray16(
    path: String, limits: ImageLimits = .default
  ) throws(ImageError) -> Plane<UInt16> {
    try decodeGray16(try read(path, limits), name: path, limits: limits)
  }

  /// Decodes a 16-bit grayscale PNG in memory, its samples untouched.
  ///
  /// - Throws: `ImageError`: the picture is over the limits, is damaged, or is no PNG of that kind.
  public static func decodeGray16(
    _ bytes: [UInt8], name: String = "picture", limits: ImageLimits = .default
  ) throws(ImageError) -> Plane<UInt16> {
    try decodeGray(bytes, name, limits, as: UInt16.self)
  }

  /// An 8-bit RGB PNG.
  ///
  /// - Throws: `ImageError` with `.encodingFailed`.
  public static func encodePNG(_ image: RGBImage) throws(ImageError) -> [UInt8] {
    image.checkCount()
    return try encodePNG(image.pixels, image.width, image.height, .rgb)
  }

  /// An 8-bit RGB PNG with alpha.
  ///
  /// - Throws: `ImageError` with `.encodingFailed`.
  public static func encodePNG(_ image: RGBAImage) throws(ImageError) -> [UInt8] {
    image.checkCount()
    return try encodePNG(image.pixels, image.width, image.height, .rgba)
  }

  /// An 8-bit grayscale PNG.
  ///
  /// - Throws: `ImageError` with `.encodingFailed`.
  public static func encodePNG(_ plane: Plane<UInt8>) throws(ImageError) -> [UInt8] {
    plane.checkCount()
    return try encodePNG(plane.elements, plane.width, plane.height, .grayscale)
  }

  /// A 16-bit grayscale PNG.
  ///
  /// - Throws: `ImageError` with `.encodingFailed`.
  public static func encodePNG(_ plane: Plane<UInt16>) throws(ImageError) -> [UInt8] {
    plane.checkCount()
    return try encodePNG(plane.elements, plane.width, plane.height, .grayscale)
  }

  /// A JPEG with 4:2:0 chroma and a quality in 1...100.
  ///
  /// - Throws: `ImageError` with `.sideTooLong` above 65,500 pixels per side, or `.encodingFailed`.
  public static func encodeJPEG(_ image: RGBImage, quality: Int = 90) throws(ImageError) -> [UInt8] {
    precondition((1...100).contains(quality), "JPEG quality is 1...100")
    image.checkCount()
    return try naming("picture") { () throws(ImageDefect) in
      try TurboJPEG.encode(image, quality: quality)
    }
  }

  // MARK: - Shared steps

  private static func read(_ path: String, _ limits: ImageLimits) throws(ImageError) -> [UInt8] {
    try naming(path) { () throws(ImageDefect) in
      try ImageFile.read(path: path, limit: limits.maxFileBytes)
    }
  }

  private static func sniff(
    _ bytes: [UInt8], _ limits: ImageLimits
  ) throws(ImageDefect) -> ImageFormat {
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= limits.maxFileBytes else {
      throw .fileTooLarge(bytes: bytes.count, limit: limits.maxFileBytes)
    }
    if let format = ImageFormat(sniffing: bytes) { return format }
    throw ForeignFormat.name(sniffing: bytes).map(ImageDefect.foreignFormat) ?? .unknownFormat
  }

  static func exif(of bytes: [UInt8], _ format: ImageFormat) -> ExifTags {
    switch format {
    case .jpeg: ExifTags(inJPEG: bytes)
    case .png: ExifTags(inPNG: bytes)
    case .webp: ExifTags(inWebP: bytes)
    case .tiff: ExifTags(inTIFF: bytes)
    case .heic, .avif, .jpeg2000, .bmp, .pnm: ExifTags(inTIFF: [])
    }
  }

  static func orientation(_ tags: ExifTags) -> Orientation {
    tags.orientation.flatMap(Orientation.init(rawValue:)) ?? .up
  }

  private static func decodeGray<
    Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable & Sendable
  >(
    _ bytes: [UInt8], _ name: String, _ limits: ImageLimits, as sample: Sample.Type
  ) throws(ImageError) -> Plane<Sample> {
    try naming(name) { () throws(ImageDefect) in
      let format = try sniff(bytes, limits)
      guard format == .png else {
        throw .unsupported(format, detail: "a grayscale PNG is expected here")
      }
      return try Spng.decodeGray(bytes, limits: limits, as: sample)
    }
  }

  private static func encodePNG<Sample: FixedWidthInteger & BitwiseCopyable>(
    _ samples: [Sample], _ width: Int, _ height: Int, _ content: PNGEncoder.Content
  ) throws(ImageError) -> [UInt8] {
    try naming("picture") { () throws(ImageDefect) in
      try PNGEncoder.encode(samples, width: width, height: height, content: content)
    }
  }

  private static func naming<Value>(
    _ file: String, _ body: () throws(ImageDefect) -> Value
  ) throws(ImageError) -> Value {
    do throws(ImageDefect) {
      return try body()
    } catch {
      throw ImageError(file: file, defect: error)
    }
  }
}
