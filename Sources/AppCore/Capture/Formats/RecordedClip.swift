import FileFormats
import Geometry
import Imaging

/// A clip in its recorded form: `index.jsonl`, one line `{seq, offset, length}` a message, and `messages.bin`.
///
/// A message is four parts, each preceded by its length as u32 little-endian: JSON header, JPEG, depth as raw
/// u16 millimeters, confidence as raw u8.
struct RecordedClip: CaptureSource {
  static let indexFile = "index.jsonl"
  static let messagesFile = "messages.bin"

  let path: String
  let frames: [FrameReference]
  let defects: [Int: CaptureError]
  let skipped: [SkippedFrame]
  var layout: CaptureLayout { .recordedClip }

  private let messages: FileBytes
  private let numbers: [Int]
  /// The highest number of a message, and the last byte that one may have.
  static let lastNumber = 1 << 50

  private let limits: CaptureLimits
  private let ranges: [Int: Range<Int>]

  /// - `messageBytes`: How many bytes `messages` gives; the index is checked against it before they are asked for.
  init(
    path: String, index: FileBytes, messageBytes: Int, limits: CaptureLimits,
    messages: () throws(CaptureError) -> FileBytes
  ) throws(CaptureError) {
    let ranges = try Self.ranges(index: index, messageBytes: messageBytes, path: path, limits: limits)
    let messages = try messages()
    var listing = SequenceListing(path: path, limits: limits)
    for (number, range) in ranges.sorted(by: { $0.key < $1.key }) {
      try listing.add(name: Self.name(number), file: "\(number)") { () throws(CaptureError) in
        try ClipMessage(messages.slice(range), number: number, limits: limits).header().timestamp()
      }
    }
    try listing.finish()
    self.path = path
    self.messages = messages
    self.limits = limits
    self.ranges = ranges
    frames = listing.frames.map(\.reference)
    (defects, skipped) = (listing.defects, listing.skipped)
    numbers = listing.frames.compactMap { integer(of: $0.file, in: 0...Self.lastNumber) }
  }

  func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame {
    let reference = try reference(at: index)
    let message = try message(at: index)
    var parts = try message.header().parts(name: reference.name)
    if decodingImage {
      parts.image = try DepthDecoding.picture(
        message.picture.array(), file: "\(reference.name), picture", limits: limits)
    }
    guard let size = parts.statedDepthSize else { return try parts.assembled() }
    parts.depth = try message.depth(size: size)
    parts.confidence = try message.confidence(size: size)
    return try parts.assembled()
  }

  func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? {
    _ = try reference(at: index)
    return EncodedPicture(try message(at: index).picture.array())
  }

  private func message(at index: Int) throws(CaptureError) -> ClipMessage {
    let number = numbers[index]
    guard let range = ranges[number] else { throw .noSuchFrame(index: index, count: frames.count) }
    return try ClipMessage(messages.slice(range), number: number, limits: limits)
  }

  /// Five digits, as the clip's unpacked files are named.
  private static func name(_ number: Int) -> String {
    zeroPadded(number, 5)
  }

  /// Where each message lies, by sequence number.
  private static func ranges(
    index: FileBytes, messageBytes: Int, path: String, limits: CaptureLimits
  ) throws(CaptureError) -> [Int: Range<Int>] {
    guard let lines = lines(of: index, atMost: limits.frames) else {
      throw .tooManyFrames(path: path, limit: limits.frames)
    }
    var ranges: [Int: Range<Int>] = [:]
    var total = 0
    for (row, line) in lines.enumerated() {
      guard line.count <= longestLine else {
        throw .badLine(file: indexFile, line: row + 1, expected: "one object of seq, offset and length")
      }
      let fields = try FrameFields(
        file: "\(indexFile), line \(row + 1)", json: index.slice(line).array())
      let number = try fields.count("seq", in: 0...lastNumber)
      let offset = try fields.count("offset", in: 0...lastNumber)
      let length = try fields.count("length", in: 0...lastNumber)
      guard length <= messageBytes, offset <= messageBytes - length else {
        throw .badMessage(
          file: messagesFile, message: number,
          reason: "ends beyond the file's \(counted(messageBytes, "byte"))")
      }
      guard ranges.updateValue(offset..<offset + length, forKey: number) == nil else {
        throw .badMessage(file: indexFile, message: number, reason: "is listed twice")
      }
      // Each message is read once, so that lines cannot ask for more bytes than the file has.
      total += length
      guard total <= messageBytes else {
        throw .badMessage(file: indexFile, message: number, reason: "shares bytes with another")
      }
    }
    return ranges
  }

  /// Bytes of a line of the index.
  private static let longestLine = 4096

  /// Where the lines lie that are not blank; nil where there are more than `most`.
  private static func lines(of index: FileBytes, atMost most: Int) -> [Range<Int>]? {
    index.withBytes { bytes in
      var lines: [Range<Int>] = []
      var start = 0
      var isBlank = true
      for position in 0...bytes.count {
        guard position == bytes.count || bytes[position] == UInt8(ascii: "\n") else {
          isBlank = isBlank && TextSeparator.isBlank(bytes[position])
          continue
        }
        if !isBlank { lines.append(start..<position) }
        guard lines.count <= most else { return nil }
        start = position + 1
        isBlank = true
      }
      return lines
    }
  }
}

/// The parts of one message.
struct ClipMessage {
  let picture: FileBytes
  private let number: Int
  private let limits: CaptureLimits
  private let headerBytes: FileBytes
  private let depthBytes: FileBytes
  private let confidenceBytes: FileBytes

  private static let partCount = 4

  init(_ message: FileBytes, number: Int, limits: CaptureLimits) throws(CaptureError) {
    var parts: [FileBytes] = []
    var position = 0
    while parts.count < Self.partCount {
      guard message.count - position >= 4 else {
        throw .badMessage(
          file: RecordedClip.messagesFile, message: number, reason: "has \(parts.count) of its 4 parts")
      }
      let length = Int(message.slice(position..<position + 4).littleEndianUInt32)
      position += 4
      guard length <= message.count - position else {
        throw .badMessage(
          file: RecordedClip.messagesFile, message: number, reason: "ends inside part \(parts.count + 1)")
      }
      parts.append(message.slice(position..<position + length))
      position += length
    }
    guard position == message.count else {
      throw .badMessage(
        file: RecordedClip.messagesFile, message: number,
        reason: "has \(counted(message.count - position, "byte")) after its last part")
    }
    self.number = number
    self.limits = limits
    (headerBytes, picture, depthBytes, confidenceBytes) = (parts[0], parts[1], parts[2], parts[3])
  }

  func header() throws(CaptureError) -> ClipHeader {
    guard headerBytes.count <= limits.metadataBytes else {
      throw .badMessage(file: RecordedClip.messagesFile, message: number, reason: "has an oversized header")
    }
    return ClipHeader(try FrameFields(file: "message \(number)", json: headerBytes.array()))
  }

  func depth(size: PixelSize) throws(CaptureError) -> Plane<Float> {
    try check(depthBytes, cells: size, bytesPerCell: 2, what: "depth")
    let millimeters = depthBytes.elements(of: UInt16.self).map(UInt16.init(littleEndian:))
    return DepthDecoding.meters(Plane(width: size.width, height: size.height, elements: millimeters))
  }

  func confidence(size: PixelSize) throws(CaptureError) -> Plane<UInt8> {
    try check(confidenceBytes, cells: size, bytesPerCell: 1, what: "confidence")
    return Plane(width: size.width, height: size.height, elements: confidenceBytes.array())
  }

  private func check(
    _ bytes: FileBytes, cells: PixelSize, bytesPerCell: Int, what: String
  ) throws(CaptureError) {
    let expected = cells.width * cells.height * bytesPerCell
    guard bytes.count == expected else {
      throw .badMessage(
        file: RecordedClip.messagesFile, message: number,
        reason: "holds \(counted(bytes.count, "byte")) of \(what), its header promises \(expected)")
    }
  }
}

extension FileBytes {
  /// The first four bytes, least significant first; there must be as many.
  fileprivate var littleEndianUInt32: UInt32 {
    withBytes { bytes in
      UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16 | UInt32(bytes[3]) << 24
    }
  }
}
