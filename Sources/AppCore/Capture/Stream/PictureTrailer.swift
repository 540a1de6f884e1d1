import FileFormats
import Imaging

/// Bytes after a picture within its file that are not a picture of their own: a gain map or depth that its segments name,
/// the film of a Motion Photo, a phone's own blocks, and padding.
struct PictureTrailer {
  /// Bytes that the picture says are its file's.
  private let declared: Int?
  /// The most bytes of a part.
  private let limit: Int

  init(of picture: [UInt8], limit: Int) {
    declared = picture.starts(with: [0xff, 0xd8]) ? JPEGParts.declaredBytes(after: picture) : nil
    self.limit = limit
  }

  /// Passes over all that belongs to the picture that was read last.
  ///
  /// Bytes of unknown meaning stay, to be reported as bytes that are not a picture.
  func pass(_ bytes: ByteReader) throws(FileError) {
    if let declared { try passDeclared(declared, bytes) }
    var isOver = false
    while !isOver {
      try passPadding(bytes)
      if try passFilm(bytes) { continue }
      isOver = try !passBlocks(bytes)
    }
  }

  /// Passes over as many bytes as the picture says are its file's, if what follows them is the stream's end or something
  /// that may follow a file: else they were taken off, and what is here is the next picture.
  private func passDeclared(_ count: Int, _ bytes: ByteReader) throws(FileError) {
    guard count <= limit else { return }
    var part: [UInt8] = []
    let isWhole = try bytes.append(count, to: &part)
    let next = isWhole ? try peek(Self.starts, bytes) : []
    let isPicture = Self.pictures.contains { next.starts(with: $0) }
    // Zeros may be padding before it.
    let rest = Array(next.drop { $0 == 0 })
    let isFilm = String(decoding: next, as: UTF8.self).contains("ftyp")
    let isKnown = rest.isEmpty || isPicture || isFilm || isBlock(next)
    if !isWhole || !isKnown { bytes.unread(part) }
  }

  private static let starts = 12
  private static let pictures: [[UInt8]] = [
    [0xff, 0xd8, 0xff], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  ]

  /// The next bytes, which stay; fewer before the end.
  private func peek(_ count: Int, _ bytes: ByteReader) throws(FileError) -> [UInt8] {
    var next: [UInt8] = []
    _ = try bytes.append(count, to: &next)
    bytes.unread(next)
    return next
  }

  /// Bytes that fill a file up to a round size, or a line's end that a tool has put after it.
  private func passPadding(_ bytes: ByteReader) throws(FileError) {
    // The zeros may be a length's: of a film, or of a phone's blocks.
    while true {
      let next = try peek(Self.starts, bytes)
      guard let first = next.first, !isBoxOfFilm(next), !isBlock(next) else { return }
      let isFilling =
        first == 0 || first == 0x0a || first == 0x0d || first == 0xff && next.dropFirst().first == 0xff
      guard isFilling else { return }
      _ = try bytes.next()
    }
  }

  // MARK: - Films

  /// Types of top-level boxes of an ISO film, by which its continuation is recognized.
  private static let boxes: Set<String> = [
    "ftyp", "styp", "moov", "moof", "mdat", "free", "skip", "wide", "uuid", "meta", "mfra", "sidx", "ssix",
    "prft",
    "pdin", "udta", "emsg",
  ]

  private func isBoxOfFilm(_ next: [UInt8], of kinds: Set<String> = ["ftyp"]) -> Bool {
    next.count >= 8 && kinds.contains(String(decoding: next[4..<8], as: UTF8.self))
  }

  /// Passes over an ISO film, box by box; false where there is none.
  private func passFilm(_ bytes: ByteReader) throws(FileError) -> Bool {
    guard isBoxOfFilm(try peek(8, bytes)) else { return false }
    while true {
      let head = try peek(16, bytes)
      guard isBoxOfFilm(head, of: Self.boxes) else { return true }
      var length = Self.number(head[0..<4])
      if length == 1, head.count == 16 { length = Self.number(head[8..<16]) }
      // A length of 0 is that of the last box of a file, which ends at an unknown place.
      guard length >= 8, try pass(length, bytes) else { return true }
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 > Int.max >> 8 ? Int.max : $0 << 8 | Int($1) }
  }

  /// Passes over bytes without holding them; false where the end comes before.
  private func pass(_ count: Int, _ bytes: ByteReader) throws(FileError) -> Bool {
    var left = count
    while left > 0 {
      var piece: [UInt8] = []
      guard try bytes.append(min(left, 1 << 16), to: &piece) else { return false }
      left -= piece.count
    }
    return true
  }

  // MARK: - Blocks

  /// Whether a block begins as Samsung's do: two zeros, a kind, and the length of a short name.
  private func isBlock(_ next: [UInt8]) -> Bool {
    guard next.count >= 12, next[0] == 0, next[1] == 0 else { return false }
    let length = Self.number(ArraySlice(next[4..<8].reversed()))
    return (4...64).contains(length)
      && next[8..<12].allSatisfy { (0x41...0x7a).contains($0) || (0x30...0x39).contains($0) }
  }

  /// Passes over Samsung's blocks up to the end of their directory; false where there are none.
  private func passBlocks(_ bytes: ByteReader) throws(FileError) -> Bool {
    guard isBlock(try peek(Self.starts, bytes)) else { return false }
    var part: [UInt8] = []
    let end = Array("SEFT".utf8)
    while part.count < limit, let byte = try bytes.next() {
      part.append(byte)
      if part.suffix(end.count).elementsEqual(end) { return true }
    }
    bytes.unread(part)
    // It is not a trailer of Samsung's, and its zeros are not padding.
    return false
  }
}
