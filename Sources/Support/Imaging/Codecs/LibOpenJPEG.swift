import COpenJPEG

/// The one place that calls OpenJPEG, which reads JPEG 2000.
@safe struct LibOpenJPEG: Sendable {
  static let fileName = "libopenjp2.so.7"

  private let setDefaults: opj_defaults_f
  private let makeCodec: opj_codec_f
  private let setUp: opj_setup_f
  private let makeStream: opj_stream_f
  private let setRead: opj_stream_read_f
  private let setSkip: opj_stream_skip_f
  private let setSeek: opj_stream_seek_f
  private let setUser: opj_stream_user_f
  private let setLength: opj_stream_length_f
  private let readHeader: opj_header_f
  private let decode: opj_decode_f
  private let freeCodec: opj_free_f
  private let freeStream: opj_free_f
  private let freePicture: opj_picture_free_f

  /// The number of a bare codestream among the library's formats.
  private static let codestreamFormat: Int32 = 0

  private static let opened = Result { () throws(ImageDefect) in try LibOpenJPEG() }

  /// The library, opened once for the whole process.
  static func shared() throws(ImageDefect) -> LibOpenJPEG { try opened.get() }

  private init() throws(ImageDefect) {
    let library = try PictureLibrary(Self.fileName, for: .jpeg2000)
    unsafe setDefaults = try library.function("opj_set_default_decoder_parameters")
    unsafe makeCodec = try library.function("opj_create_decompress")
    unsafe setUp = try library.function("opj_setup_decoder")
    unsafe makeStream = try library.function("opj_stream_default_create")
    unsafe setRead = try library.function("opj_stream_set_read_function")
    unsafe setSkip = try library.function("opj_stream_set_skip_function")
    unsafe setSeek = try library.function("opj_stream_set_seek_function")
    unsafe setUser = try library.function("opj_stream_set_user_data")
    unsafe setLength = try library.function("opj_stream_set_user_data_length")
    unsafe readHeader = try library.function("opj_read_header")
    unsafe decode = try library.function("opj_decode")
    unsafe freeCodec = try library.function("opj_destroy_codec")
    unsafe freeStream = try library.function("opj_stream_destroy")
    unsafe freePicture = try library.function("opj_image_destroy")
  }

  /// A file in memory, and where it is read.
  @safe private final class Source {
    let bytes: UnsafeRawBufferPointer
    var position = 0
    init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

    static func of(_ user: UnsafeMutableRawPointer?) -> Source {
      unsafe Unmanaged<Source>.fromOpaque(user!).takeUnretainedValue()
    }
  }

  /// The samples: red, green, blue and alpha, opaque where there is none.
  func pixels(_ bytes: [UInt8], _ structure: JPEG2000Structure) throws(ImageDefect) -> [UInt8] {
    let (width, height) = (structure.width, structure.height)
    return try unsafe withPicture(bytes[structure.codestream]) { picture throws(ImageDefect) in
      let count = unsafe Int(picture.pointee.count)
      let planes = unsafe UnsafeBufferPointer(start: picture.pointee.planes, count: count)
      let isWhole = unsafe planes.allSatisfy {
        unsafe Int($0.width) == width && Int($0.height) == height && $0.samples != nil
          && (1...32).contains($0.precision)
      }
      guard isWhole, (1...4).contains(count) else {
        throw .corrupt(.jpeg2000, detail: "channels of other sizes than the picture's")
      }
      let channels = count < 3 ? [0, 0, 0] + (count == 2 ? [1] : []) : Array(0..<count)
      var pixels = [UInt8](repeating: 255, count: width * height * 4)
      for (channel, plane) in channels.enumerated() {
        let plane = unsafe planes[plane]
        for index in 0..<width * height {
          pixels[index * 4 + channel] = unsafe Self.level(plane.samples[index], plane)
        }
      }
      return pixels
    }
  }

  /// A sample as 0 to 255.
  private static func level(_ sample: Int32, _ plane: opj_plane) -> UInt8 {
    let (precision, isSigned) = unsafe (Int(plane.precision), plane.is_signed != 0)
    let value = Int(sample) + (isSigned ? 1 << (precision - 1) : 0)
    return UInt8(clamping: precision > 8 ? value >> (precision - 8) : value << (8 - precision))
  }

  /// Decodes a codestream into a picture that is there for as long as the body runs.
  private func withPicture<Value>(
    _ codestream: ArraySlice<UInt8>,
    _ body: (UnsafeMutablePointer<opj_picture>) throws(ImageDefect) -> Value
  ) throws(ImageDefect) -> Value {
    let result = unsafe codestream.withUnsafeBytes { data -> Result<Value, ImageDefect> in
      let source = unsafe Source(data)
      return withExtendedLifetime(source) {
        Result { () throws(ImageDefect) in
          guard let stream = unsafe makeStream(1), let codec = unsafe makeCodec(Self.codestreamFormat) else {
            throw .corrupt(.jpeg2000, detail: "there is no room for a decoder")
          }
          defer {
            unsafe freeCodec(codec)
            unsafe freeStream(stream)
          }
          unsafe setRead(stream, Self.read)
          unsafe setSkip(stream, Self.skip)
          unsafe setSeek(stream, Self.seek)
          unsafe setUser(stream, Unmanaged.passUnretained(source).toOpaque(), nil)
          unsafe setLength(stream, UInt64(data.count))
          var parameters = opj_parameters()
          unsafe setDefaults(&parameters)
          var made: UnsafeMutablePointer<opj_picture>?
          let isRead = unsafe setUp(codec, &parameters) != 0 && readHeader(stream, codec, &made) != 0
          defer { if let made = unsafe made { unsafe freePicture(made) } }
          guard isRead, let picture = unsafe made, unsafe decode(codec, stream, picture) != 0 else {
            throw .corrupt(.jpeg2000, detail: "its picture cannot be decoded")
          }
          return try unsafe body(picture)
        }
      }
    }
    return try result.get()
  }

  private static let read: opj_read = { target, count, user in
    let source = unsafe Source.of(user)
    let available = unsafe min(count, source.bytes.count - source.position)
    // What the library knows as the end of a file.
    guard available > 0 else { return -1 }
    unsafe target!.copyMemory(
      from: source.bytes.baseAddress! + source.position, byteCount: available)
    source.position += available
    return available
  }

  private static let skip: opj_skip = { count, user in
    let source = unsafe Source.of(user)
    let place = source.position.addingReportingOverflow(Int(count))
    guard count >= 0, !place.overflow, unsafe place.partialValue <= source.bytes.count else { return -1 }
    source.position = place.partialValue
    return count
  }

  private static let seek: opj_seek = { position, user in
    let source = unsafe Source.of(user)
    guard position >= 0, unsafe position <= source.bytes.count else { return 0 }
    source.position = Int(position)
    return 1
  }
}
