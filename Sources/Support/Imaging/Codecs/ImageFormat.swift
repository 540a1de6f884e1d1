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

  /// The format by the file's first bytes, not by its name.
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

  /// The format that the first bytes announce, with its article; nil for other bytes.
  static func name(sniffing bytes: [UInt8]) -> String? {
    signatures.first { bytes.dropFirst($0.offset).starts(with: $0.bytes.utf8) }?.name
  }
}
