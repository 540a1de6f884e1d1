import Archives
import FileFormats
import Geometry
import Imaging

/// The kind of picture in an image topic, by its first message.
enum BagPictureKind: Equatable {
  case color
  /// Brightness alone: a camera of an infrared or stereo pair, or a gray one.
  case gray
  case depth
  /// Sixteen bits per pixel that are called brightness: infrared, or depth of drivers that say so.
  case wideGray
  /// An encoding that is not read, by its name.
  case other(String)

  /// By the encoding of raw pixels.
  init(encoding: String) {
    switch encoding {
    case "16UC1", "32FC1": self = .depth
    case "mono16": self = .wideGray
    case "mono8", "8UC1": self = .gray
    default: self = RawPixels.channels(of: encoding) == nil ? .other("encoding \(encoding)") : .color
    }
  }

  /// By the format of a compressed picture: the raw picture's encoding before a semicolon, where there is one.
  init(format: String) {
    let parts = format.split(separator: ";", maxSplits: 1).map { $0.filter { $0 != " " } }
    let coding = parts.last ?? ""
    let source = parts.count == 2 ? BagPictureKind(encoding: parts[0]) : nil
    if coding.hasPrefix("compressedDepth") {
      // Older writers name no codec.
      self =
        ["compressedDepth", "compressedDepthpng", "compressedDepthrvl"].contains(coding)
        ? .depth : .other("format \(format)")
    } else if !["jpeg", "jpg", "png", "webp"].contains(where: coding.lowercased().hasPrefix) {
      self = .other("format \(format)")
    } else if let source, [.depth, .wideGray].contains(source) {
      self = coding.hasPrefix("png") ? source : .other("depth in \(coding)")
    } else {
      self = source == .gray ? .gray : .color
    }
  }
}

/// A picture of a message.
enum BagPicture {
  case raw(ROSImage)
  case compressed(ROSCompressedImage)

  init(_ message: FileBytes, type: MessageType) throws(CDRError) {
    self =
      type == .compressedImage ? .compressed(try ROSCompressedImage(message)) : .raw(try ROSImage(message))
  }

  var header: ROSHeader {
    switch self {
    case .raw(let image): image.header
    case .compressed(let image): image.header
    }
  }

  var kind: BagPictureKind {
    switch self {
    case .raw(let image): BagPictureKind(encoding: image.encoding)
    case .compressed(let image): BagPictureKind(format: image.format)
    }
  }

  /// The size of a colored or gray picture.
  func size(file: String, limits: CaptureLimits) throws(CaptureError) -> PixelSize {
    switch self {
    case .raw(let image): return try RawPixels(image, file: file, limit: limits.pixels).size
    case .compressed(let image):
      let bytes = try Self.data(file) { () throws(CDRError) in try image.data() }
      return try DepthDecoding.pictureHeader(bytes.array(), file: file, limits: limits).size
    }
  }

  /// The pixels of a colored or gray picture.
  func decoded(file: String, limits: CaptureLimits) throws(CaptureError) -> RGBImage {
    switch self {
    case .raw(let image): return try RawPixels(image, file: file, limit: limits.pixels).picture()
    case .compressed(let image):
      let bytes = try Self.data(file) { () throws(CDRError) in try image.data() }
      return try DepthDecoding.picture(bytes.array(), file: file, limits: limits)
    }
  }

  /// A picture's file: the one that was recorded, or the raw pixels as PNM.
  func encoded(file: String, limits: CaptureLimits) throws(CaptureError) -> EncodedPicture {
    let bytes: [UInt8]
    switch self {
    case .raw(let image):
      let picture = try RawPixels(image, file: file, limit: limits.pixels).picture()
      bytes = Array("P6\n\(picture.width) \(picture.height)\n255\n".utf8) + picture.pixels
    case .compressed(let image):
      bytes = try Self.data(file) { () throws(CDRError) in try image.data() }.array()
    }
    guard let picture = EncodedPicture(bytes) else {
      throw .malformed(file: file, reason: CaptureError.noPicture)
    }
    return picture
  }

  /// Depth in meters, NaN or 0 where there is none.
  func depth(file: String, limits: CaptureLimits) throws(CaptureError) -> Plane<Float> {
    switch self {
    case .raw(let image): return try RawPixels(image, file: file, limit: limits.depthCells).depth()
    case .compressed(let image):
      let bytes = try Self.data(file) { () throws(CDRError) in try image.data() }
      return try CompressedDepth.meters(bytes, format: image.format, file: file, limits: limits)
    }
  }

  private static func data(
    _ file: String, _ body: () throws(CDRError) -> FileBytes
  ) throws(CaptureError) -> FileBytes {
    do {
      return try body()
    } catch {
      throw .malformed(file: file, reason: error.reason)
    }
  }
}

/// Depth as `compressed_depth_image_transport` and `compressed_image_transport` encode it: a PNG of 16 bits or RVL.
///
/// The former transport puts twelve bytes before it, with the quantization of floating-point depth.
enum CompressedDepth {
  private static let headerBytes = 12

  static func meters(
    _ bytes: FileBytes, format: String, file: String, limits: CaptureLimits
  ) throws(CaptureError) -> Plane<Float> {
    guard format.contains("compressedDepth") else {
      return try DepthDecoding.meters(png: bytes.array(), file: file, limits: limits)
    }
    var header = LittleEndianReader(bytes)
    guard header.number(bytes: 4) != nil, let a = header.number(bytes: 4), let b = header.number(bytes: 4)
    else { throw .malformed(file: file, reason: "a depth map ends before its picture") }
    let isQuantized = format.hasPrefix("32FC1")
    let stored = try stored(
      bytes.slice(headerBytes..<bytes.count), isRunLength: format.hasSuffix("rvl"), file: file,
      unit: isQuantized ? 1 : DepthDecoding.metersPerMillimeter, limits: limits)
    guard isQuantized else { return stored }
    // The stored number is a / depth + b; 0 stands for no reading.
    let (scale, shift) = (single(a), single(b))
    guard scale.isFinite, shift.isFinite, scale > 0 else {
      throw .malformed(
        file: file, reason: "a depth map's quantization must have a finite shift and a finite scale above 0")
    }
    return stored.map { stored in
      guard stored > 0 else { return .nan }
      let depth = scale / (stored - shift)
      return depth > 0 && depth.isFinite ? depth : .nan
    }
  }

  /// The numbers as they are stored, times `unit`.
  private static func stored(
    _ bytes: FileBytes, isRunLength: Bool, file: String, unit: Float, limits: CaptureLimits
  ) throws(CaptureError) -> Plane<Float> {
    guard isRunLength else {
      return try DepthDecoding.meters(png: bytes.array(), file: file, unit: unit, limits: limits)
    }
    return try RunLengthDepth.decode(bytes, file: file, limit: limits.depthCells).map { Float($0) * unit }
  }

  private static func single(_ bits: Int) -> Float { Float(bitPattern: UInt32(truncatingIfNeeded: bits)) }
}
