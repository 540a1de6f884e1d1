import FileFormats
import Geometry
import Imaging

/// A picture as it is stored, not decoded.
public struct EncodedPicture: Sendable {
  /// The bytes of a file of that format.
  public let bytes: [UInt8]
  /// Their format.
  public let format: ImageFormat

  /// A picture whose format its first bytes announce; nil if they announce none.
  init?(_ bytes: [UInt8]) {
    guard let format = ImageFormat(sniffing: bytes) else { return nil }
    self.bytes = bytes
    self.format = format
  }
}

extension CaptureFolder {
  /// The bytes of a file, of a frame's size at most.
  func bytes(_ name: String, namedBy file: String, limit: Int? = nil) throws(CaptureError) -> [UInt8] {
    let full = try location(of: name, namedBy: file, limit: limit ?? limits.frameFileBytes)
    do {
      return try FileBytes.contents(of: full)
    } catch {
      throw CaptureError(error, of: name)
    }
  }

  func encodedPicture(_ name: String, namedBy file: String) throws(CaptureError) -> EncodedPicture {
    guard let picture = EncodedPicture(try bytes(name, namedBy: file)) else {
      throw .malformed(file: name, reason: CaptureError.noPicture)
    }
    return picture
  }

  func picture(_ name: String, namedBy file: String) throws(CaptureError) -> RGBImage {
    try DepthDecoding.picture(try bytes(name, namedBy: file), file: name, limits: limits)
  }

  /// Depth from a 16-bit PNG, a float32 array or an EXR, by the file's name.
  func depth(
    _ name: String, namedBy file: String, unit: DepthUnit = .standard
  ) throws(CaptureError) -> Plane<Float> {
    let bytes = try bytes(name, namedBy: file)
    if hasEnding(name, ".exr") {
      return try DepthDecoding.meters(exr: bytes, file: name, limits: limits).map { $0 * unit.npy }
    }
    guard hasEnding(name, ".npy") else {
      return try DepthDecoding.meters(png: bytes, file: name, unit: unit.png, limits: limits)
    }
    let stored = try DepthDecoding.meters(npy: bytes, file: name, limits: limits)
    return unit.npy == 1 ? stored : stored.map { $0 * unit.npy }
  }

  /// Confidence from an 8-bit PNG or a uint8 array, by the file's name.
  func confidence(_ name: String, namedBy file: String) throws(CaptureError) -> Plane<UInt8> {
    let bytes = try bytes(name, namedBy: file)
    return hasEnding(name, ".npy")
      ? try DepthDecoding.confidence(npy: bytes, file: name, limits: limits)
      : try DepthDecoding.confidence(png: bytes, file: name, limits: limits)
  }
}

/// Pictures, depth and confidence grids from the bytes that captures store.
enum DepthDecoding {
  static let metersPerMillimeter: Float = 0.001

  static func picture(
    _ bytes: [UInt8], file: String, limits: CaptureLimits
  ) throws(CaptureError) -> RGBImage {
    do {
      return try ImageCodec.decode(bytes, name: file, limits: pictureLimits(limits)).image
    } catch {
      throw bad(error, file: file)
    }
  }

  static func pictureHeader(
    _ bytes: [UInt8], file: String, limits: CaptureLimits
  ) throws(CaptureError) -> ImageHeader {
    do {
      return try ImageCodec.header(bytes, name: file, limits: pictureLimits(limits))
    } catch {
      throw bad(error, file: file)
    }
  }

  private static func bad(_ error: ImageError, file: String) -> CaptureError {
    switch error.defect {
    case .tooManyPixels(let width, let height, let limit):
      .tooManyPixels(file: file, width: width, height: height, limit: limit)
    case .foreignFormat(let format): .foreignPicture(file: file, format: format)
    case .unsupported(let format, let detail): .foreignPicture(file: file, format: "\(format) (\(detail))")
    case .missingLibrary: .missingLibrary(file: file, reason: error.defect.description)
    case .missing, .unreadable, .notARegularFile, .pointer, .fileTooLarge, .empty, .unknownFormat, .truncated,
      .zeroSize, .corrupt, .sideTooLong, .encodingFailed:
      .malformed(file: file, reason: error.defect.description)
    }
  }

  static func meters(
    png bytes: [UInt8], file: String, unit: Float = metersPerMillimeter, limits: CaptureLimits
  ) throws(CaptureError) -> Plane<Float> {
    do {
      return try ImageCodec.decodeGray16(bytes, name: file, limits: imageLimits(limits)).map {
        Float($0) * unit
      }
    } catch {
      throw badDepth(error, file: file)
    }
  }

  static func meters(_ millimeters: Plane<UInt16>) -> Plane<Float> {
    millimeters.map { Float($0) * metersPerMillimeter }
  }

  static func confidence(
    png bytes: [UInt8], file: String, limits: CaptureLimits
  ) throws(CaptureError) -> Plane<UInt8> {
    do {
      return try ImageCodec.decodeGray8(bytes, name: file, limits: imageLimits(limits))
    } catch {
      guard case .unsupported(_, let detail) = error.defect else { throw bad(error, file: file) }
      throw .badConfidenceFormat(file: file, found: detail)
    }
  }

  static func meters(npy bytes: [UInt8], file: String, limits: CaptureLimits) throws(CaptureError) -> Plane<
    Float
  > {
    let array = try array(npy: bytes, file: file)
    guard case .float32(let elements) = array.storage, let size = gridSize(array, limits) else {
      throw .badDepthFormat(file: file, found: summary(of: array))
    }
    return Plane(width: size.width, height: size.height, elements: elements)
  }

  /// Decodes a depth plane of OpenEXR in meters; infinite values become NaN, not measured.
  static func meters(
    exr bytes: [UInt8], file: String, limits: CaptureLimits
  ) throws(CaptureError) -> Plane<Float> {
    do {
      return try OpenEXR.plane(bytes, limit: limits.depthCells).map { $0.isInfinite ? .nan : $0 }
    } catch .tooManyPixels(let width, let height, let limit) {
      throw .tooManyPixels(file: file, width: width, height: height, limit: limit)
    } catch .unsupported(let what) {
      throw .badDepthFormat(file: file, found: "EXR with \(what)")
    } catch {
      throw .malformed(file: file, reason: error.description)
    }
  }

  static func confidence(
    npy bytes: [UInt8], file: String, limits: CaptureLimits
  ) throws(CaptureError) -> Plane<UInt8> {
    let array = try array(npy: bytes, file: file)
    guard case .uint8(let elements) = array.storage, let size = gridSize(array, limits) else {
      throw .badConfidenceFormat(file: file, found: summary(of: array))
    }
    return Plane(width: size.width, height: size.height, elements: elements)
  }

  private static func array(npy bytes: [UInt8], file: String) throws(CaptureError) -> NPYArray {
    do {
      return try NPYArray.read(bytes: bytes)
    } catch {
      throw .malformed(file: file, reason: error.description)
    }
  }

  /// The size of a (height, width) array within the limits.
  private static func gridSize(_ array: NPYArray, _ limits: CaptureLimits) -> PixelSize? {
    guard array.shape.count == 2, array.count <= limits.depthCells else { return nil }
    return try? PixelSize(checking: array.shape[1], array.shape[0])
  }

  private static func summary(of array: NPYArray) -> String {
    "\(array.storage.typeName) of shape \(array.shape)"
  }

  private static func badDepth(_ error: ImageError, file: String) -> CaptureError {
    guard case .unsupported(_, let detail) = error.defect else { return bad(error, file: file) }
    return .badDepthFormat(file: file, found: detail)
  }

  private static func pictureLimits(_ limits: CaptureLimits) -> ImageLimits {
    ImageLimits(maxPixels: limits.pixels, maxFileBytes: limits.frameFileBytes)
  }

  private static func imageLimits(_ limits: CaptureLimits) -> ImageLimits {
    ImageLimits(maxPixels: limits.depthCells, maxFileBytes: limits.frameFileBytes)
  }
}
