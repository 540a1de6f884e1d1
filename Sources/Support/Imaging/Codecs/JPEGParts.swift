import FileFormats

/// The parts that a JPEG file declares after its picture: gain maps, depth, films.
package enum JPEGParts {
  /// Bytes after the end of the picture that its own segments say belong to the same file; nil where they say nothing.
  ///
  /// By the index of CIPA's Multi-Picture Format, or by the lengths that Google's container (XMP) lists.
  package static func declaredBytes(after picture: [UInt8]) -> Int? {
    let segments = JPEGStructure.header(picture).segments
    let found = [multiPictureEnd(segments).map { $0 - picture.count }, containerBytes(segments)]
    return found.compactMap(\.self).filter { $0 > 0 }.max()
  }

  /// Where the last picture ends that the index names, counted from the file's first byte.
  private static func multiPictureEnd(_ segments: [JPEGStructure.Segment]) -> Int? {
    let preamble = Array("MPF\0".utf8)
    guard
      let segment = segments.first(where: {
        $0.marker == JPEGStructure.application2 && $0.payload.starts(with: preamble)
      })
    else { return nil }
    let index = Array(segment.payload.dropFirst(preamble.count))
    let origin = segment.payload.startIndex + preamble.count
    let isLittleEndian = index.starts(with: "II".utf8)
    func number(_ offset: Int, _ count: Int) -> Int? {
      guard offset >= 0, offset + count <= index.count else { return nil }
      let bytes = index[offset..<offset + count]
      return isLittleEndian ? Int(littleEndianBytes: bytes) : Int(bigEndianBytes: bytes)
    }
    guard let directory = number(4, 4), let count = number(directory, 2) else { return nil }
    for entry in 0..<count {
      let start = directory + 2 + 12 * entry
      // MP Entry: 16 bytes per picture, of which the second word is the size and the third the offset.
      guard number(start, 2) == 0xB002, let size = number(start + 4, 4), let list = number(start + 8, 4)
      else {
        continue
      }
      return stride(from: 0, to: min(size, 16 * 1000), by: 16).compactMap { position -> Int? in
        guard let length = number(list + position + 4, 4), let offset = number(list + position + 8, 4)
        else { return nil }
        // The first picture's offset is 0, and counts from the file's beginning.
        return offset == 0 ? length : origin + offset + length
      }.max()
    }
    return nil
  }

  /// The sum of `Item:Length` and `Item:Padding` of Google's container.
  private static func containerBytes(_ segments: [JPEGStructure.Segment]) -> Int? {
    guard
      let segment = segments.first(where: {
        $0.marker == JPEGStructure.application1
          && $0.payload.starts(with: "http://ns.adobe.com/xap/1.0/\0".utf8)
      })
    else { return nil }
    let text = String(decoding: segment.payload, as: UTF8.self)
    var sum = 0
    for name in ["Item:Length=\"", "Item:Padding=\""] {
      for part in text.split(separator: name, omittingEmptySubsequences: false).dropFirst() {
        guard let length = integer(of: part.prefix { $0 != "\"" }, in: 0...Int(Int32.max)) else {
          return nil
        }
        sum += length
      }
    }
    return sum > 0 ? sum : nil
  }
}
