import FileFormats

/// The format of a film file, by its content, or by its ending where the content does not identify it.
enum FilmKind {
  /// Endings of films' names, and what reads them.
  private static let endings = [
    "mov": "mov", "mp4": "mov", "m4v": "mov", "webm": "matroska", "mkv": "matroska", "avi": "avi",
    "gif": "gif", "apng": "apng", "ts": "mpegts", "m2ts": "mpegts", "mts": "mpegts", "mpg": "mpeg",
    "mpeg": "mpeg", "flv": "flv", "wmv": "asf", "ogv": "ogg", "mjpg": "mjpeg", "mjpeg": "mjpeg",
    "h264": "h264", "hevc": "hevc", "y4m": "yuv4mpegpipe",
  ]

  private static let signatures: [(demuxer: String, offset: Int, bytes: [UInt8])] =
    ["ftyp", "moov", "mdat", "free", "wide", "skip", "pnot"].map { ("mov", 4, Array($0.utf8)) } + [
      ("matroska", 0, [0x1a, 0x45, 0xdf, 0xa3]), ("avi", 8, Array("AVI ".utf8)),
      ("flv", 0, Array("FLV\u{1}".utf8)), ("asf", 0, [0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11]),
      ("ogg", 0, Array("OggS".utf8)), ("yuv4mpegpipe", 0, Array("YUV4MPEG2".utf8)),
      ("mpeg", 0, [0, 0, 1, 0xba]), ("mpegvideo", 0, [0, 0, 1, 0xb3]), ("gif", 0, Array("GIF8".utf8)),
      ("apng", 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    ]

  /// The demuxer by a path's extension; nil for other extensions.
  private static func demuxer(byEndingOf path: String) -> String? {
    path.lastIndex(of: ".").flatMap { endings[path[path.index(after: $0)...].lowercased()] }
  }

  /// Whether a file is to be read as a film: by its name, unless it is one picture, or by its content.
  static func isFilm(_ path: String) -> Bool {
    let promised = demuxer(byEndingOf: path)
    let start = start(of: path)
    guard promised != nil || pathKind(path) == .file else { return false }
    switch demuxer(byContent: start) {
    // A picture may be called anything; those that move are recognized by their ending.
    case "gif": return promised != nil
    case "apng": return promised == "apng"
    case .some(let found): return promised != nil || isUnmistakable(found, start)
    case nil: return promised != nil && (promised == "mjpeg" || !start.starts(with: [0xff, 0xd8, 0xff]))
    }
  }

  /// Whether the content alone makes a film of a file that is not called one: HEIC pictures are boxes too.
  private static func isUnmistakable(_ demuxer: String, _ start: [UInt8]) -> Bool {
    guard demuxer == "mov" else { return true }
    let brand = String(decoding: start.dropFirst(8).prefix(4), as: UTF8.self)
    let films = [
      "qt  ", "isom", "iso2", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "M4V ", "3gp4", "3gp5", "dash",
    ]
    return start.dropFirst(4).starts(with: "ftyp".utf8) && films.contains(brand)
  }

  /// The demuxer of a film.
  ///
  /// - Throws: `MediaError.noFilm`, `.file`.
  static func demuxer(of path: String) throws(MediaError) -> String {
    do {
      guard try FileBytes(path: path).count > 0 else { throw MediaError.empty(file: path) }
    } catch let error as FileError {
      throw .file(error)
    } catch {
      throw .empty(file: path)
    }
    let start = start(of: path)
    let promised = demuxer(byEndingOf: path)
    if let found = demuxer(byContent: start) { return found }
    if start.starts(with: [0xff, 0xd8, 0xff]), promised != "mjpeg" {
      throw .noFilm(file: path, kind: "a JPEG picture")
    }
    // Some kinds have no signature at their start; for the others ffmpeg says what is wrong.
    guard let promised else {
      throw .noFilm(file: path, kind: "its content is of no kind of film that is read")
    }
    return promised
  }

  private static func demuxer(byContent start: [UInt8]) -> String? {
    if let found = signatures.first(where: { start.dropFirst($0.offset).starts(with: $0.bytes) }) {
      return found.demuxer
    }
    // Packets of 188 bytes, or of 192 with a time before each.
    for (offset, length) in [(0, 188), (4, 192)] {
      let marks = stride(from: offset, to: start.count, by: length).map { start[$0] }
      if marks.count >= 3, marks.allSatisfy({ $0 == 0x47 }) { return "mpegts" }
    }
    return nil
  }

  /// The first bytes of a file; none where it cannot be read.
  private static func start(of path: String) -> [UInt8] {
    guard let bytes = try? FileBytes(path: path) else { return [] }
    return bytes.slice(0..<min(bytes.count, 1024)).array()
  }
}
