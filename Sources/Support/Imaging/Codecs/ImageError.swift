import FileFormats
import Geometry

/// Why a picture could not be read or written, and which one.
public struct ImageError: Error, Equatable, CustomStringConvertible {
  /// The file, or the name the caller gave to bytes in memory.
  public let file: String
  /// The defect.
  public let defect: ImageDefect

  /// Names a defect of a file.
  public init(file: String, defect: ImageDefect) {
    self.file = file
    self.defect = defect
  }

  /// One line: the file, the defect, and where possible what to do.
  public var description: String {
    if case .truncated = defect { return "\(file): \(defect); copy or download it again" }
    return "\(file): \(defect)"
  }
}

/// Defect of a picture.
public enum ImageDefect: Error, Equatable, CustomStringConvertible {
  /// There is no such file.
  case missing
  /// The file exists but the system refuses to read it.
  case unreadable(reason: String)
  /// A named pipe, a device or a socket.
  case notARegularFile
  /// A Git LFS pointer in place of the file's content.
  case pointer
  /// More bytes than the limits allow.
  case fileTooLarge(bytes: Int, limit: Int)
  /// A file of no bytes.
  case empty
  /// The first bytes are of no picture.
  case unknownFormat
  /// The first bytes are those of a format that is known but not read.
  case foreignFormat(String)
  /// The distribution's library that reads the format is not there, or lacks what the picture needs.
  case missingLibrary(ImageFormat, reason: String)
  /// The data end before the picture does.
  case truncated(ImageFormat)
  /// The header gives a width or height of zero.
  case zeroSize(ImageFormat)
  /// More pixels than the limits allow.
  case tooManyPixels(width: Int, height: Int, limit: Int)
  /// The data contradict themselves or their checksums.
  case corrupt(ImageFormat, detail: String)
  /// A valid picture of a kind this reader does not take.
  case unsupported(ImageFormat, detail: String)
  /// A side longer than the format has room for.
  case sideTooLong(ImageFormat, width: Int, height: Int, limit: Int)
  /// The encoder refused.
  case encodingFailed(ImageFormat, detail: String)

  /// The defect in words; what to do about the file is for those to say who name it.
  public var description: String {
    switch self {
    case .missing: "no such file"
    case .unreadable(let reason): "cannot be read: \(reason)"
    case .notARegularFile: "not a regular file"
    case .pointer: "is a Git LFS pointer in place of the file; fetch the file itself with git lfs pull"
    case .fileTooLarge(let bytes, let limit): "file has \(bytes) bytes, the limit is \(limit)"
    case .empty: "file is empty"
    case .unknownFormat: "no picture of a known format (\(pictureFormats))"
    case .foreignFormat(let name): "\(name), which is not read; convert it to JPEG or PNG"
    case .missingLibrary(let format, let reason):
      "a picture in \(format) needs \(format.library) (\(reason)); install the Debian package "
        + "\(format.package), or convert it to JPEG or PNG"
    case .truncated(let format): "\(format) data end too early"
    case .zeroSize(let format): "\(format) header gives a width or height of zero"
    case .tooManyPixels(let width, let height, let limit):
      "picture of \(width)x\(height) pixels exceeds the limit of \(limit) pixels"
    case .corrupt(let format, let detail): "corrupt \(format) data: \(detail)"
    case .unsupported(let format, let detail): "unsupported \(format): \(detail)"
    case .sideTooLong(let format, let width, let height, let limit):
      "\(width)x\(height) pixels, and a side of a \(format) has at most \(limit); write PNG (--picture-format png)"
    case .encodingFailed(let format, let detail): "\(format) encoding failed: \(detail)"
    }
  }
}

/// The container formats that are read and written.
public enum ImageFormat: String, Sendable, CustomStringConvertible {
  /// Baseline or progressive JPEG.
  case jpeg = "JPEG"
  /// Portable Network Graphics.
  case png = "PNG"
  /// HEVC in a HEIF file, as phones keep photographs; read by libheif.
  case heic = "HEIC"
  /// AV1 in a HEIF file; read by libheif.
  case avif = "AVIF"
  /// WebP; read by libwebp.
  case webp = "WebP"
  /// Tagged Image File Format; read by libtiff.
  case tiff = "TIFF"
  /// JPEG 2000; read by OpenJPEG.
  case jpeg2000 = "JPEG 2000"
  /// A Windows bitmap.
  case bmp = "BMP"
  /// A portable bitmap, graymap or pixmap.
  case pnm = "PNM"

  /// The name of the format.
  public var description: String { rawValue }

  /// The format that the first bytes announce, whatever the file is called.
  public init?(sniffing bytes: [UInt8]) {
    if bytes.starts(with: PNGStructure.signature) {
      self = .png
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if WebPStructure.isWebP(bytes) {
      self = .webp
    } else if TIFFStructure.isTIFF(bytes) {
      self = .tiff
    } else if JPEG2000Structure.isJPEG2000(bytes) {
      self = .jpeg2000
    } else if WindowsBitmap.isBitmap(bytes) {
      self = .bmp
    } else if PortableAnymap.isAnymap(bytes) {
      self = .pnm
    } else if let format = HEIFStructure.format(of: bytes) {
      self = format
    } else {
      return nil
    }
  }

  /// How names of such files end.
  package var fileEnding: String {
    switch self {
    case .jpeg: ".jpg"
    case .png: ".png"
    case .heic: ".heic"
    case .avif: ".avif"
    case .webp: ".webp"
    case .tiff: ".tif"
    case .jpeg2000: ".jp2"
    case .bmp: ".bmp"
    case .pnm: ".ppm"
    }
  }

  /// The library that reads the format, opened at run time or part of every build; "no library" where none is needed.
  var library: String {
    switch self {
    case .jpeg: "libturbojpeg"
    case .png: "libspng"
    case .heic, .avif: LibHeif.fileName
    case .webp: LibWebP.fileName
    case .tiff: LibTIFF.fileName
    case .jpeg2000: LibOpenJPEG.fileName
    case .bmp, .pnm: "no library"
    }
  }

  /// The Debian packages that hold the library and what it needs for the format.
  var package: String {
    switch self {
    case .jpeg: "libturbojpeg0"
    case .png: "libspng0"
    case .heic: "libheif1 (and libheif-plugin-libde265, where there is one)"
    case .avif: "libheif1 (and libheif-plugin-dav1d, where there is one)"
    case .webp: "libwebp7"
    case .tiff: "libtiff6"
    case .jpeg2000: "libopenjp2-7"
    case .bmp, .pnm: "ardf"
    }
  }
}

/// Picture formats that cannot be read, so that errors can name them.
enum ForeignFormat {
  private static let signatures: [(name: String, offset: Int, bytes: String)] = [
    ("a GIF picture", 0, "GIF8"), ("a JPEG XL picture", 4, "JXL "), ("a PDF document", 0, "%PDF"),
    ("a TIFF picture of more than 4 GiB", 0, "II+\0"), ("a TIFF picture of more than 4 GiB", 0, "MM\0+"),
    ("a Photoshop document", 0, "8BPS"),
  ]

  /// The format that the first bytes announce, with its article; nil for what is none of these.
  static func name(sniffing bytes: [UInt8]) -> String? {
    signatures.first { bytes.dropFirst($0.offset).starts(with: $0.bytes.utf8) }?.name
  }
}

/// Sizes beyond which a picture is refused before anything is allocated for it.
public struct ImageLimits: Sendable, Equatable {
  /// Most pixels (width times height).
  public var maxPixels: Int
  /// Most bytes of the encoded file.
  public var maxFileBytes: Int

  /// Limits on decoded and encoded size.
  public init(maxPixels: Int, maxFileBytes: Int) {
    self.maxPixels = maxPixels
    self.maxFileBytes = maxFileBytes
  }

  /// 64 Mi pixels and 256 MiB.
  public static let `default` = ImageLimits(maxPixels: 64 << 20, maxFileBytes: 256 << 20)

  /// The longest side of a picture.
  var longestSide: Int { PixelSize.maximumSide }

  /// Throws unless `width` x `height` is a size that may be allocated.
  func check(width: Int, height: Int, format: ImageFormat) throws(ImageDefect) {
    guard width > 0, height > 0 else { throw .zeroSize(format) }
    let (count, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow, count <= maxPixels, max(width, height) <= PixelSize.maximumSide else {
      throw .tooManyPixels(width: width, height: height, limit: maxPixels)
    }
  }
}

extension ImageDefect: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    switch self {
    case .missing, .unreadable: .missingInput
    case .missingLibrary: .unavailable
    case .encodingFailed: .bug
    default: .malformedInput
    }
  }
}

extension ImageError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    defect.fault
  }
}
