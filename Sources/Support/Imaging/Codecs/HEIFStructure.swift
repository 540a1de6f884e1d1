import FileFormats

/// The boxes of a HEIF file (ISO/IEC 14496-12, 23008-12): what is known of it before a library sees it.
enum HEIFStructure {
  private static let avifBrands = ["avif", "avis"]
  private static let hevcBrands = ["heic", "heix", "heim", "heis", "hevc", "hevx"]
  private static let neutralBrands = ["mif1", "msf1", "miaf"]
  /// The type of a sequence parameter set among HEVC's units.
  private static let sequenceParameters: UInt8 = 33

  /// The format that the brands announce; nil for films and other brands.
  static func format(of bytes: [UInt8]) -> ImageFormat? {
    guard bytes.dropFirst(4).starts(with: Array("ftyp".utf8)), bytes.count >= 12 else { return nil }
    func brand(_ position: Int) -> String { String(decoding: bytes[position..<position + 4], as: UTF8.self) }
    let first = brand(8)
    if avifBrands.contains(first) { return .avif }
    if hevcBrands.contains(first) { return .heic }
    guard neutralBrands.contains(first) else { return nil }
    let end = min(number(bytes, 0, 4), bytes.count, 256)
    let others = stride(from: 16, through: end - 4, by: 4).map(brand)
    return others.contains(where: avifBrands.contains) ? .avif : .heic
  }

  /// Refuses a file that ends early, and one that states a picture beyond the limits in any place where a decoder would
  /// believe it.
  static func check(_ bytes: [UInt8], _ format: ImageFormat, limits: ImageLimits) throws(ImageDefect) {
    let (boxes, isWhole) = boxes(bytes, in: 0..<bytes.count)
    guard isWhole else { throw .truncated(format) }
    guard let meta = boxes.first(where: { $0.type == "meta" }) else {
      // A film of pictures alone has none.
      if boxes.contains(where: { $0.type == "moov" }) {
        throw .unsupported(format, detail: "a sequence of pictures without a single one")
      }
      throw .truncated(format)
    }
    // Four bytes of version and flags.
    let parts = self.boxes(bytes, in: meta.body.dropFirst(4)).boxes
    for properties in parts.filter({ $0.type == "iprp" }) {
      for container in self.boxes(bytes, in: properties.body).boxes where container.type == "ipco" {
        for property in self.boxes(bytes, in: container.body).boxes {
          guard let (width, height) = size(property, bytes) else { continue }
          try limits.check(width: width, height: height, format: format)
        }
      }
    }
  }

  struct Box {
    let type: String
    let body: Range<Int>
  }

  /// The boxes that lie one after the other, and whether the last of them ends where it should.
  static func boxes(_ bytes: [UInt8], in range: Range<Int>) -> (boxes: [Box], isWhole: Bool) {
    var boxes: [Box] = []
    var position = range.lowerBound
    while position + 8 <= range.upperBound {
      var (length, head) = (number(bytes, position, 4), 8)
      if length == 1 {
        guard position + 16 <= range.upperBound else { return (boxes, false) }
        (length, head) = (number(bytes, position + 8, 8), 16)
      } else if length == 0 {
        length = range.upperBound - position
      }
      let type = String(decoding: bytes[position + 4..<position + 8], as: UTF8.self)
      guard length >= head, length <= range.upperBound - position else { return (boxes, false) }
      boxes.append(Box(type: type, body: position + head..<position + length))
      position += length
    }
    return (boxes, position == range.upperBound)
  }

  /// The size that a property states: of an item, or of the pictures that HEVC's parameters are for.
  private static func size(_ property: Box, _ bytes: [UInt8]) -> (width: Int, height: Int)? {
    let body = property.body
    switch property.type {
    case "ispe":
      guard body.count >= 12 else { return nil }
      return (number(bytes, body.lowerBound + 4, 4), number(bytes, body.lowerBound + 8, 4))
    case "hvcC":
      return codedSize(Array(bytes[body]))
    default: return nil
    }
  }

  /// The size in the first sequence parameter set of a `hvcC` (ISO/IEC 14496-15, 8.3.3.1).
  private static func codedSize(_ record: [UInt8]) -> (width: Int, height: Int)? {
    guard record.count >= 23 else { return nil }
    var position = 23
    for _ in 0..<record[22] {
      guard position + 3 <= record.count else { return nil }
      let type = record[position] & 0x3f
      let count = number(record, position + 1, 2)
      position += 3
      for _ in 0..<count {
        guard position + 2 <= record.count else { return nil }
        let length = number(record, position, 2)
        position += 2
        guard position + length <= record.count else { return nil }
        if type == sequenceParameters {
          return HEVCParameters.size(Array(record[position..<position + length]))
        }
        position += length
      }
    }
    return nil
  }

  /// A number of at most eight bytes, most significant first; one beyond what `Int` holds is the largest.
  private static func number(_ bytes: [UInt8], _ position: Int, _ count: Int) -> Int {
    Int(clamping: UInt64(bigEndianBytes: bytes[position..<position + count]))
  }
}
