import FileFormats
import CHeif

/// The one place that calls libheif, which reads HEIC by libde265 and AVIF by dav1d or libaom.
@safe struct LibHeif: Sendable {
  static let fileName = "libheif.so.1"

  /// Properties of a file's picture, and its other contents.
  struct Header {
    var width = 0
    var height = 0
    var hasAlpha = false
    /// A TIFF structure; empty where there is none.
    var exif: [UInt8] = []
    var color = StatedColors.untold
    /// The types of auxiliary images, as their URNs.
    var auxiliaryTypes: [String] = []
  }

  private let allocate: heif_context_alloc_f
  private let free: heif_context_free_f
  private let limitSides: heif_context_set_int_f
  private let limitThreads: heif_context_set_int_f?
  private let read: heif_context_read_f
  private let primary: heif_context_primary_f
  private let release: heif_handle_release_f
  private let width: heif_handle_int_f
  private let height: heif_handle_int_f
  private let hasAlpha: heif_handle_int_f
  private let auxiliaryCount: heif_handle_count_f
  private let auxiliaryList: heif_handle_list_f
  private let auxiliary: heif_handle_auxiliary_f
  private let auxiliaryType: heif_handle_type_f
  private let freeType: heif_handle_free_type_f?
  private let metadataCount: heif_metadata_count_f
  private let metadataList: heif_metadata_list_f
  private let metadataSize: heif_metadata_size_f
  private let metadata: heif_metadata_f
  private let profileSize: heif_profile_size_f
  private let profile: heif_profile_f
  private let nclx: heif_nclx_f
  private let freeNCLX: heif_nclx_free_f
  private let allocateOptions: heif_options_alloc_f
  private let freeOptions: heif_options_free_f
  private let decode: heif_decode_f
  private let plane: heif_plane_f
  private let imageWidth: heif_side_f
  private let imageHeight: heif_side_f
  private let releaseImage: heif_image_release_f

  /// Most bytes of metadata or of a color profile that are read.
  private static let mostMetadata = 4 << 20
  /// Most auxiliary images whose types are asked for.
  private static let mostAuxiliaries: Int32 = 64
  private static let colorspaceRGB: Int32 = 1
  private static let interleavedRGB: Int32 = 10
  private static let interleavedRGBA: Int32 = 11
  private static let interleaved: Int32 = 10

  private static let opened = Result { () throws(ImageDefect) in try LibHeif(format: .heic) }

  /// The library, opened once for the whole process.
  static func shared(for format: ImageFormat) throws(ImageDefect) -> LibHeif {
    do throws(ImageDefect) {
      return try opened.get()
    } catch {
      guard case .missingLibrary(_, let reason) = error else { throw error }
      throw .missingLibrary(format, reason: reason)
    }
  }

  private init(format: ImageFormat) throws(ImageDefect) {
    let library = try PictureLibrary(Self.fileName, for: format)
    // Versions with decoders as plug-ins look for them here; without plug-ins the call does nothing.
    let start: heif_init_f? = unsafe library.optionalFunction("heif_init")
    _ = start?(nil)
    unsafe allocate = try library.function("heif_context_alloc")
    unsafe free = try library.function("heif_context_free")
    unsafe limitSides = try library.function("heif_context_set_maximum_image_size_limit")
    unsafe limitThreads = library.optionalFunction("heif_context_set_max_decoding_threads")
    unsafe read = try library.function("heif_context_read_from_memory_without_copy")
    unsafe primary = try library.function("heif_context_get_primary_image_handle")
    unsafe release = try library.function("heif_image_handle_release")
    unsafe width = try library.function("heif_image_handle_get_width")
    unsafe height = try library.function("heif_image_handle_get_height")
    unsafe hasAlpha = try library.function("heif_image_handle_has_alpha_channel")
    unsafe auxiliaryCount = try library.function("heif_image_handle_get_number_of_auxiliary_images")
    unsafe auxiliaryList = try library.function("heif_image_handle_get_list_of_auxiliary_image_IDs")
    unsafe auxiliary = try library.function("heif_image_handle_get_auxiliary_image_handle")
    unsafe auxiliaryType = try library.function("heif_image_handle_get_auxiliary_type")
    unsafe freeType = library.optionalFunction("heif_image_handle_release_auxiliary_type")
    unsafe metadataCount = try library.function("heif_image_handle_get_number_of_metadata_blocks")
    unsafe metadataList = try library.function("heif_image_handle_get_list_of_metadata_block_IDs")
    unsafe metadataSize = try library.function("heif_image_handle_get_metadata_size")
    unsafe metadata = try library.function("heif_image_handle_get_metadata")
    unsafe profileSize = try library.function("heif_image_handle_get_raw_color_profile_size")
    unsafe profile = try library.function("heif_image_handle_get_raw_color_profile")
    unsafe nclx = try library.function("heif_image_handle_get_nclx_color_profile")
    unsafe freeNCLX = try library.function("heif_nclx_color_profile_free")
    unsafe allocateOptions = try library.function("heif_decoding_options_alloc")
    unsafe freeOptions = try library.function("heif_decoding_options_free")
    unsafe decode = try library.function("heif_decode_image")
    unsafe plane = try library.function("heif_image_get_plane_readonly")
    unsafe imageWidth = try library.function("heif_image_get_width")
    unsafe imageHeight = try library.function("heif_image_get_height")
    unsafe releaseImage = try library.function("heif_image_release")
  }

  /// Properties of the file, without decoding its picture.
  func header(
    _ bytes: [UInt8], _ format: ImageFormat, limits: ImageLimits
  ) throws(ImageDefect) -> Header {
    unsafe try withPrimary(bytes, format, limits) { handle throws(ImageDefect) in
      unsafe try header(of: handle, format, limits)
    }
  }

  /// The samples, interleaved, turned and cropped as the file asks, in the colors of the file.
  func pixels(
    _ bytes: [UInt8], _ format: ImageFormat, limits: ImageLimits, withAlpha: Bool
  ) throws(ImageDefect) -> (header: Header, pixels: [UInt8]) {
    unsafe try withPrimary(bytes, format, limits) { handle throws(ImageDefect) in
      let header = unsafe try header(of: handle, format, limits)
      return (header, unsafe try pixels(of: handle, header, format, withAlpha: withAlpha))
    }
  }

  private func withPrimary<Value>(
    _ bytes: [UInt8], _ format: ImageFormat, _ limits: ImageLimits,
    _ body: (OpaquePointer) throws(ImageDefect) -> Value
  ) throws(ImageDefect) -> Value {
    try HEIFStructure.check(bytes, format, limits: limits)
    guard let context = unsafe allocate() else {
      throw .unreadable(reason: "out of memory for a \(format) decoder")
    }
    defer { unsafe free(context) }
    unsafe limitSides(context, Int32(clamping: limits.longestSide))
    // Tiles are decoded by the calling thread: whoever reads many pictures has threads for them.
    unsafe limitThreads?(context, 0)
    var outcome: Result<Value, ImageDefect> = .failure(.truncated(format))
    unsafe bytes.withUnsafeBytes { source in
      do throws(ImageDefect) {
        unsafe try check(read(context, source.baseAddress, source.count, nil), format)
        var handle: OpaquePointer?
        unsafe try check(primary(context, &handle), format)
        guard let handle = unsafe handle else { throw ImageDefect.corrupt(format, detail: "no picture") }
        defer { unsafe release(handle) }
        outcome = .success(unsafe try body(handle))
      } catch {
        outcome = .failure(error)
      }
    }
    return try outcome.get()
  }

  private func header(
    of handle: OpaquePointer, _ format: ImageFormat, _ limits: ImageLimits
  ) throws(ImageDefect) -> Header {
    var header = Header()
    header.width = unsafe Int(width(handle))
    header.height = unsafe Int(height(handle))
    try limits.check(width: header.width, height: header.height, format: format)
    header.hasAlpha = unsafe hasAlpha(handle) != 0
    header.exif = unsafe exif(of: handle)
    header.color = unsafe color(of: handle)
    header.auxiliaryTypes = unsafe auxiliaryTypes(of: handle)
    return header
  }

  private func pixels(
    of handle: OpaquePointer, _ header: Header, _ format: ImageFormat, withAlpha: Bool
  ) throws(ImageDefect) -> [UInt8] {
    guard let options = unsafe allocateOptions() else {
      throw .unreadable(reason: "out of memory for a \(format) decoder")
    }
    defer { unsafe freeOptions(options) }
    if unsafe options.pointee.version >= 2 { unsafe options.pointee.convert_hdr_to_8bit = 1 }
    if unsafe options.pointee.version >= 3 { unsafe options.pointee.strict_decoding = 1 }
    var image: OpaquePointer?
    let chroma = withAlpha ? Self.interleavedRGBA : Self.interleavedRGB
    unsafe try check(decode(handle, &image, Self.colorspaceRGB, chroma, options), format)
    guard let image = unsafe image else { throw .corrupt(format, detail: "no picture") }
    defer { unsafe releaseImage(image) }
    var stride: Int32 = 0
    let row = header.width * (withAlpha ? 4 : 3)
    guard unsafe Int(imageWidth(image, Self.interleaved)) == header.width,
      unsafe Int(imageHeight(image, Self.interleaved)) == header.height,
      let samples = unsafe plane(image, Self.interleaved, &stride), Int(stride) >= row
    else { throw .corrupt(format, detail: "its picture is not of the size that the file states") }
    return unsafe [UInt8](unsafeUninitializedCapacity: row * header.height) { target, count in
      for y in 0..<header.height {
        unsafe (target.baseAddress! + y * row).update(from: samples + y * Int(stride), count: row)
      }
      count = row * header.height
    }
  }

  /// The TIFF structure of the first EXIF block, which follows four bytes that say where it begins.
  private func exif(of handle: OpaquePointer) -> [UInt8] {
    guard unsafe metadataCount(handle, "Exif") > 0 else { return [] }
    var id: UInt32 = 0
    guard unsafe metadataList(handle, "Exif", &id, 1) == 1 else { return [] }
    let size = unsafe metadataSize(handle, id)
    guard let block = unsafe block(size, { unsafe metadata(handle, id, $0) }), block.count > 4 else {
      return []
    }
    let offset = Int(bigEndianBytes: block[..<4])
    return offset <= block.count - 4 ? Array(block[(4 + offset)...]) : []
  }

  private func color(of handle: OpaquePointer) -> StatedColors {
    let size = unsafe profileSize(handle)
    if size > 0, let bytes = unsafe block(size, { unsafe profile(handle, $0) }) { return .icc(bytes) }
    var found: UnsafeMutablePointer<heif_nclx>?
    guard unsafe nclx(handle, &found).code == 0, let found = unsafe found else { return .untold }
    defer { unsafe freeNCLX(found) }
    return unsafe .coded(
      primaries: Int(found.pointee.primaries), transfer: Int(found.pointee.transfer))
  }

  /// A block of bytes that the library fills; nil where it is too large or cannot be read.
  private func block(_ size: Int, _ fill: (UnsafeMutableRawPointer?) -> heif_outcome) -> [UInt8]? {
    guard (1...Self.mostMetadata).contains(size) else { return nil }
    var isFilled = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      isFilled = unsafe fill(UnsafeMutableRawPointer(buffer.baseAddress)).code == 0
      count = isFilled ? size : 0
    }
    return isFilled ? bytes : nil
  }

  private func auxiliaryTypes(of handle: OpaquePointer) -> [String] {
    let count = min(unsafe auxiliaryCount(handle, 0), Self.mostAuxiliaries)
    guard count > 0 else { return [] }
    var ids = [UInt32](repeating: 0, count: Int(count))
    let found = unsafe ids.withUnsafeMutableBufferPointer {
      unsafe auxiliaryList(handle, 0, $0.baseAddress, count)
    }
    return ids.prefix(Int(found)).compactMap { id -> String? in
      var other: OpaquePointer?
      guard unsafe auxiliary(handle, id, &other).code == 0, let other = unsafe other else { return nil }
      defer { unsafe release(other) }
      var type: UnsafePointer<CChar>?
      guard unsafe auxiliaryType(other, &type).code == 0, let text = unsafe type else { return nil }
      defer { unsafe freeType?(other, &type) }
      return unsafe String(cString: text)
    }
  }

  /// Throws the library's error (`heif_error_code`, `heif_suberror_code`) as an `ImageDefect`.
  private func check(_ outcome: heif_outcome, _ format: ImageFormat) throws(ImageDefect) {
    guard unsafe outcome.code != 0 else { return }
    let text = unsafe outcome.message.map { unsafe String(cString: $0) } ?? "unknown error"
    let (invalidInput, unsupportedType, unsupportedFeature, memory) = (2, 3, 4, 6)
    let (endOfData, unsupportedCodec) = (100, 3000)
    switch unsafe (Int(outcome.code), Int(outcome.subcode)) {
    case (invalidInput, endOfData): throw .truncated(format)
    case (unsupportedFeature, unsupportedCodec): throw .missingLibrary(format, reason: text)
    case (unsupportedType, _), (unsupportedFeature, _): throw .unsupported(format, detail: text)
    case (memory, _): throw .unsupported(format, detail: "\(text): larger than it may be")
    default: throw .corrupt(format, detail: text)
    }
  }
}
