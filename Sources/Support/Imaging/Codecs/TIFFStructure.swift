import FileFormats

/// The picture's properties in the first directory of a TIFF file, read before a library sees it.
///
/// Source: Adobe, *TIFF, revision 6.0*; DNG and other raw files of cameras are TIFF files too, whose first picture is a
/// preview.
struct TIFFStructure {
  let width: Int
  let height: Int
  /// As the tag has it, 1 where there is none.
  let orientation: Int

  private static let (kind, widthTag, heightTag, orientationTag, rawVersion) = (254, 256, 257, 274, 50706)

  /// Whether the first bytes are a TIFF file's.
  static func isTIFF(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: "II*\0".utf8) || bytes.starts(with: "MM\0*".utf8)
  }

  /// Reads the directory.
  init(_ bytes: [UInt8], limits: ImageLimits) throws(ImageDefect) {
    let isLittle = bytes[0] == UInt8(ascii: "I")
    func number(_ position: Int, _ count: Int) throws(ImageDefect) -> Int {
      guard position >= 0, position <= bytes.count - count else { throw .truncated(.tiff) }
      let field = bytes[position..<position + count]
      return isLittle
        ? Int(littleEndianBytes: field) : Int(bigEndianBytes: field)
    }
    let directory = try number(4, 4)
    var tags: [Int: Int] = [:]
    for index in 0..<(try number(directory, 2)) {
      let entry = directory + 2 + 12 * index
      let (tag, type) = (try number(entry, 2), try number(entry + 2, 2))
      // Of two entries of a tag the first holds. Numbers of one or two bytes stand at the front of their four.
      guard tags[tag] == nil else { continue }
      tags[tag] = try number(entry + 8, type == 3 ? 2 : type == 1 ? 1 : 4)
    }
    guard tags[Self.rawVersion] == nil, tags[Self.kind, default: 0] & 1 == 0,
      bytes.dropFirst(8).prefix(2) != [67, 82]
    else { throw .unsupported(.tiff, detail: "a raw file of a camera") }
    (width, height) = (tags[Self.widthTag] ?? 0, tags[Self.heightTag] ?? 0)
    let turned = tags[Self.orientationTag] ?? 1
    orientation = (1...8).contains(turned) ? turned : 1
    try limits.check(width: width, height: height, format: .tiff)
  }
}
