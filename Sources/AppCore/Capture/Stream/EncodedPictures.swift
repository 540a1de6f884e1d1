import FileFormats

/// JPEG and PNG pictures one right after the other, distinguished by their own structure; what belongs to a picture's file
/// after it is passed over.
///
/// After damaged bytes, reading resumes at the beginning of the next picture.
final class EncodedPictures {
  enum Part: Equatable {
    /// A picture's bytes.
    case picture([UInt8])
    /// Bytes that are not a picture, and why.
    case damaged(String)
  }

  private let bytes: ByteReader
  /// The most bytes of one picture.
  private let limit: Int
  /// The trailer of the last picture returned.
  ///
  /// It is read when the next picture is wanted, which may come
  /// much later.
  private var trailer: PictureTrailer?

  private static let jpegStart: [UInt8] = [0xff, 0xd8, 0xff]
  private static let pngStart: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

  init(_ bytes: ByteReader, limit: Int) {
    self.bytes = bytes
    self.limit = limit
  }

  /// The next picture, or what lies before it; nil at the end.
  func next() throws(FileError) -> Part? {
    try trailer?.pass(bytes)
    trailer = nil
    var last: [UInt8] = []
    var skipped = 0
    // The first bytes, which tell what others are.
    var first: [UInt8] = []
    while let byte = try bytes.next() {
      last.append(byte)
      if first.count < Self.mostMark { first.append(byte) }
      let isJPEG = last.suffix(Self.jpegStart.count).elementsEqual(Self.jpegStart)
      guard isJPEG || last.suffix(Self.pngStart.count).elementsEqual(Self.pngStart) else {
        if last.count > Self.pngStart.count {
          last.removeFirst()
          skipped += 1
        }
        continue
      }
      let start = isJPEG ? Self.jpegStart : Self.pngStart
      skipped += last.count - start.count
      if skipped > 0 {
        bytes.unread(start)
        return .damaged(Self.defect(of: first, count: skipped))
      }
      if isJPEG { bytes.unread([0xff]) }
      let part = isJPEG ? try jpeg() : try png()
      if case .picture(let picture) = part { trailer = PictureTrailer(of: picture, limit: limit) }
      return part
    }
    skipped += last.count
    return skipped > 0 ? .damaged(Self.defect(of: first, count: skipped)) : nil
  }

  /// Bytes by which the kind of a file is recognized.
  private static let mostMark = 12

  /// Describes bytes that are neither JPEG nor PNG.
  ///
  /// Pictures of other kinds have no end that can be found in a stream.
  private static func defect(of first: [UInt8], count: Int) -> String {
    let brand = first.dropFirst(8)
    let isBoxes = first.count == mostMark && first[4..<8].elementsEqual("ftyp".utf8)
    let kinds = [("heic", "HEIC"), ("heix", "HEIC"), ("mif1", "HEIC"), ("msf1", "HEIC"), ("avif", "AVIF")]
    let kind =
      isBoxes
      ? kinds.first { brand.elementsEqual($0.0.utf8) }?.1
      : first.starts(with: "RIFF".utf8) && brand.elementsEqual("WEBP".utf8) ? "WebP" : nil
    guard let kind else {
      return counted(count, "byte that is not a picture", "bytes that are not a picture")
    }
    return
      "\(counted(count, "byte")) of \(kind), which pipes do not take: give the file by its name, or send JPEG or PNG"
  }

  /// The rest of a JPEG whose first marker has been read: segments, and scans of coded bytes between them.
  ///
  /// One that ends early after a scan is the decoder's to judge: it may lack the marker at its end alone.
  private func jpeg() throws(FileError) -> Part {
    var picture = [UInt8](Self.jpegStart.dropLast())
    var isCoded = false
    while let marker = try self.marker(&picture) {
      switch marker {
      case 0xd9: return .picture(picture)
      case 0x01, 0xd0...0xd7: continue
      case 0xd8:
        // The next picture begins where this one has not ended.
        bytes.unread([0xff, marker])
        return isCoded ? .picture(picture.dropLast(2)) : .damaged("a JPEG that ends early")
      default:
        let count = picture.count
        guard try bytes.append(2, to: &picture) else { return .damaged("a JPEG that ends early") }
        let length = Int(bigEndianBytes: picture[count..<count + 2])
        guard length >= 2, picture.count + length <= limit else {
          return .damaged(length < 2 ? "a JPEG with a broken segment" : tooLong)
        }
        guard try bytes.append(length - 2, to: &picture) else { return .damaged("a JPEG that ends early") }
        if marker == 0xda {
          if let defect = try scan(&picture) { return .damaged(defect) }
          isCoded = true
        }
      }
    }
    return isCoded
      ? .picture(picture) : .damaged("a JPEG that ends early or has no marker where a segment begins")
  }

  /// More bytes between two segments than any camera leaves there.
  private static let mostStrayBytes = 1 << 10

  /// The code of the marker that comes next, after a few bytes that belong to no segment; nil where none does.
  private func marker(_ picture: inout [UInt8]) throws(FileError) -> UInt8? {
    let start = picture.count
    while picture.count - start < Self.mostStrayBytes, let byte = try bytes.next() {
      picture.append(byte)
      let last = picture[start...]
      if last.count > 1, last[last.endIndex - 2] == 0xff, byte != 0xff, byte != 0x00 { return byte }
      // The next picture begins where this one has not ended.
      if last.suffix(Self.pngStart.count).elementsEqual(Self.pngStart) { break }
    }
    bytes.unread(Array(picture[start...]))
    picture.removeSubrange(start...)
    return nil
  }

  /// Appends coded bytes up to the marker after them, or to the end; what is wrong, if anything.
  private func scan(_ picture: inout [UInt8]) throws(FileError) -> String? {
    while let byte = try bytes.next() {
      guard picture.count < limit else { return tooLong }
      guard byte == 0xff else {
        picture.append(byte)
        continue
      }
      guard let code = try bytes.next() else { break }
      switch code {
      case 0x00, 0xd0...0xd7: picture += [byte, code]
      case 0xff:
        // A filling byte.
        bytes.unread([code])
      default:
        bytes.unread([byte, code])
        return nil
      }
    }
    return nil
  }

  /// The rest of a PNG after its signature: chunks up to IEND.
  private func png() throws(FileError) -> Part {
    var picture = Self.pngStart
    while true {
      let start = picture.count
      guard try bytes.append(8, to: &picture) else { return .damaged("a PNG that ends early") }
      let length = Int(bigEndianBytes: picture[start..<start + 4])
      let type = picture[start + 4..<start + 8]
      guard type.allSatisfy({ (0x41...0x5a).contains($0 & 0xdf) }) else {
        return .damaged("a PNG with a broken chunk")
      }
      guard picture.count + length + 4 <= limit else { return .damaged(tooLong) }
      guard try bytes.append(length + 4, to: &picture) else { return .damaged("a PNG that ends early") }
      if type.elementsEqual("IEND".utf8) { return .picture(picture) }
    }
  }

  private var tooLong: String { "a picture of more than \(limit) bytes" }
}
