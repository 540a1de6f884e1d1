import Archives
import FileFormats
import Synchronization

/// A file of MCAP, the container that ROS 2 and Foxglove record into (mcap.dev/spec).
///
/// It is read from front to back, so that neither its summary nor its end is needed: a recording that was cut short is read
/// as far as it goes. Every chunk's checksum is verified.
struct MCAPFile: BagFile {
  static let ending = ".mcap"
  private static let magic: [UInt8] = [0x89] + Array("MCAP0\r\n".utf8)

  let name: String
  private(set) var topics: [BagTopic] = []
  private(set) var entries: [BagEntry] = []
  private(set) var damage: [SkippedFrame] = []
  private(set) var notes: [String] = []

  private let bytes: FileBytes
  private let limits: CaptureLimits
  private var chunks: [MCAPChunk] = []
  private let recent = RecentChunks()

  /// - Throws: `CaptureError` where the file is none of MCAP, or asks for more than its limits.
  init(path: String, limits: CaptureLimits) throws(CaptureError) {
    do {
      bytes = try FileBytes(path: path)
    } catch {
      throw CaptureError(error, of: path)
    }
    name = lastComponent(path)
    self.limits = limits
    try read()
  }

  init(_ bytes: FileBytes, name: String, limits: CaptureLimits) throws(CaptureError) {
    self.bytes = bytes
    self.name = name
    self.limits = limits
    try read()
  }

  func stamp(of entry: BagEntry) -> Int { entry.stamp }

  func bytes(of entry: BagEntry, first: Int?) throws(CaptureError) -> FileBytes {
    let source = entry.place < 0 ? bytes : try contents(of: entry.place)
    let count = min(entry.count, first ?? entry.count)
    return source.slice(entry.offset..<entry.offset + count)
  }

  private func contents(of chunk: Int) throws(CaptureError) -> FileBytes {
    if let found = recent.find(chunk) { return found }
    let contents = try chunks[chunk].contents(in: bytes, file: name)
    recent.keep(contents, of: chunk)
    return contents
  }

  // MARK: - Reading

  private enum Record {
    static let footer = 0x02
    static let schema = 0x03
    static let channel = 0x04
    static let message = 0x05
    static let chunk = 0x06
    static let end = 0x0f
  }

  /// What channels and schemas are known, by their numbers.
  private struct Declarations {
    var schemas: [Int: String] = [:]
    /// The topic of a channel.
    var channels: [Int: Int] = [:]
    /// The topics by name, type and encoding.
    var places: NameTable<Int> = [:]
  }

  private mutating func read() throws(CaptureError) {
    var reader = LittleEndianReader(bytes)
    guard reader.slice(Self.magic.count)?.array() == Self.magic else {
      throw .malformed(file: name, reason: "does not begin as MCAP does")
    }
    var declarations = Declarations()
    var unpacked = 0
    let most = BagLimits.unpackedBytes + BagLimits.ratio * bytes.count
    while true {
      let start = reader.position
      guard let kind = reader.number(bytes: 1), let count = reader.number(bytes: 8),
        let content = reader.slice(count)
      else {
        notes.append("\(name) was cut short at byte \(start), and is read that far")
        return
      }
      switch kind {
      // What follows is a summary of the data.
      case Record.end: return checkWhole(content, until: start)
      case Record.footer: return
      case Record.chunk:
        let offset = reader.position - count
        try read(chunk: content, at: offset, start: start, &declarations, unpacked: &unpacked, most: most)
      default:
        guard try read(kind, content, chunk: -1, at: reader.position - count, &declarations) else {
          throw .malformed(file: name, reason: "a record at byte \(start) is cut short")
        }
      }
    }
  }

  /// Reads a chunk; one that is damaged is left out.
  private mutating func read(
    chunk content: FileBytes, at offset: Int, start: Int, _ declarations: inout Declarations,
    unpacked: inout Int, most: Int
  ) throws(CaptureError) {
    func leaveOut(_ reason: String) {
      damage.append(
        SkippedFrame(name: "\(name), chunk at byte \(start)", reason: reason))
    }
    guard damage.count <= limits.frames else {
      throw .malformed(file: name, reason: "all of its chunks are damaged")
    }
    guard let chunk = MCAPChunk(content, at: offset) else {
      return leaveOut("is cut short; its messages are left out")
    }
    guard chunk.size <= limits.frameFileBytes else {
      throw .fileTooLarge(
        file: "\(name), chunk at byte \(start)", bytes: chunk.size, limit: limits.frameFileBytes)
    }
    unpacked += chunk.size
    guard unpacked <= most else {
      throw .malformed(file: name, reason: "its chunks unpack to more than \(most) bytes")
    }
    let contents: FileBytes
    do throws(CaptureError) {
      contents = try chunk.contents(in: bytes, file: name)
    } catch .malformed(_, let reason) {
      return leaveOut("\(reason); its messages are left out")
    }
    chunks.append(chunk)
    var reader = LittleEndianReader(contents)
    while reader.remaining > 0 {
      guard let kind = reader.number(bytes: 1), let count = reader.number(bytes: 8),
        let content = reader.slice(count),
        try read(kind, content, chunk: chunks.count - 1, at: reader.position - count, &declarations)
      else { return leaveOut("ends inside a record, and is read that far") }
    }
  }

  /// Reads a record that may be in a chunk or beside them; false where it is cut short.
  ///
  /// `offset`: where `content` begins in the chunk, or in the file.
  private mutating func read(
    _ kind: Int, _ content: FileBytes, chunk: Int, at offset: Int, _ declarations: inout Declarations
  ) throws(CaptureError) -> Bool {
    var fields = LittleEndianReader(content)
    switch kind {
    case Record.schema:
      guard let id = fields.number(bytes: 2), let type = fields.text() else { return false }
      declarations.schemas[id] = type
    case Record.channel:
      guard let id = fields.number(bytes: 2), let schema = fields.number(bytes: 2),
        let topic = fields.text(), let encoding = fields.text()
      else { return false }
      let found = BagTopic(name: topic, type: declarations.schemas[schema] ?? "", encoding: encoding)
      declarations.channels[id] = try place(of: found, &declarations)
    case Record.message:
      guard let channel = fields.number(bytes: 2), fields.number(bytes: 4) != nil,
        let time = fields.number(bytes: 8), fields.slice(8) != nil
      else { return false }
      guard let topic = declarations.channels[channel], topics[topic].isRead else { return true }
      guard entries.count < BagLimits.entries else {
        throw .malformed(file: name, reason: "holds more than \(BagLimits.entries) messages that are read")
      }
      let data = content.slice(fields.position..<content.count)
      entries.append(
        BagEntry(
          topic: topic, stamp: ROSHeader.stamp(of: data), time: min(time, BagLimits.latest), place: chunk,
          offset: offset + fields.position, count: data.count))
    default: break
    }
    return true
  }

  /// The position of a topic, which several channels may have.
  private mutating func place(
    of topic: BagTopic, _ declarations: inout Declarations
  ) throws(CaptureError) -> Int {
    let key = "\(topic.name)\0\(topic.type)\0\(topic.encoding)"
    if let known = declarations.places[key] { return known }
    guard topics.count < BagLimits.topics else {
      throw .malformed(file: name, reason: "holds more than \(BagLimits.topics) topics")
    }
    topics.append(topic)
    declarations.places[key] = topics.count - 1
    return topics.count - 1
  }

  /// Checks the data's checksum, where the record that ends them has one.
  private mutating func checkWhole(_ content: FileBytes, until end: Int) {
    var fields = LittleEndianReader(content)
    guard let stated = fields.number(bytes: 4), stated != 0 else { return }
    guard Int(CRC32.checksum(of: bytes.slice(0..<end))) == stated else {
      damage.append(
        SkippedFrame(name: name, reason: "the checksum of its data is wrong: the file is damaged"))
      return
    }
  }
}

/// Where a chunk's records lie.
struct MCAPChunk: Sendable {
  /// How many bytes they have, unpacked.
  let size: Int

  private let checksum: Int
  private let compression: String
  private let range: Range<Int>

  /// `offset`: where the record's content begins in the file.
  init?(_ content: FileBytes, at offset: Int) {
    var fields = LittleEndianReader(content)
    guard fields.slice(16) != nil, let size = fields.number(bytes: 8),
      let checksum = fields.number(bytes: 4), let compression = fields.text(atMost: 64),
      let count = fields.number(bytes: 8), fields.slice(count) != nil
    else { return nil }
    self.size = size
    self.checksum = checksum
    self.compression = compression
    range = offset + fields.position - count..<offset + fields.position
  }

  /// The records, their checksum verified; those that are not compressed are shared with the file.
  func contents(in file: FileBytes, file name: String) throws(CaptureError) -> FileBytes {
    let stored = file.slice(range)
    let contents: FileBytes
    switch compression {
    case "":
      guard stored.count == size else {
        throw .malformed(file: name, reason: "has another number of bytes than it states")
      }
      contents = stored
    case "lz4": contents = try unpacked(stored, .lz4, name)
    case "zstd": contents = try unpacked(stored, .zstandard, name)
    default:
      throw .foreignLayout(path: name, layout: .bagCompression(printableName(compression)))
    }
    // 0 stands for none.
    guard checksum == 0 || Int(CRC32.checksum(of: contents)) == checksum else {
      throw .malformed(file: name, reason: "has a wrong checksum")
    }
    return contents
  }

  private func unpacked(
    _ stored: FileBytes, _ compression: Compression, _ name: String
  ) throws(CaptureError) -> FileBytes {
    do {
      return FileBytes(try compression.decompress(stored, size: size))
    } catch {
      guard case .missingLibrary = error else { throw .malformed(file: name, reason: "holds \(error)") }
      throw .missingLibrary(file: name, reason: "\(error)")
    }
  }
}

/// The chunks that were unpacked last: a picture and its depth, and those of the next frame, often share one.
private final class RecentChunks: Sendable {
  private static let most = 2
  private let kept = Mutex<[(chunk: Int, contents: FileBytes)]>([])

  func find(_ chunk: Int) -> FileBytes? {
    kept.withLock { kept in kept.first { $0.chunk == chunk }?.contents }
  }

  func keep(_ contents: FileBytes, of chunk: Int) {
    kept.withLock { kept in kept = Array(([(chunk, contents)] + kept).prefix(Self.most)) }
  }
}
