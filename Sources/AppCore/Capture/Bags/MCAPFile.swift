import Archives
import FileFormats

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
  /// Messages of channels that are not declared.
  private var undeclared = 0
  private let recent: RecentChunks
  /// The file's number in `recent`.
  private let number: Int

  /// - Throws: `CaptureError` if the file is not MCAP, or asks for more than its limits.
  init(path: String, limits: CaptureLimits, recent: RecentChunks) throws(CaptureError) {
    do {
      bytes = try FileBytes(path: path)
    } catch {
      throw CaptureError(error, of: path)
    }
    name = lastComponent(path)
    self.limits = limits
    self.recent = recent
    number = recent.nextFile()
    recent.allow(BagLimits.ratio * bytes.count)
    try read()
  }

  func stamp(of entry: BagEntry) -> Int { entry.stamp }

  func bytes(of entry: BagEntry, first: Int?) throws(CaptureError) -> FileBytes {
    let source = entry.place < 0 ? bytes : try contents(of: entry.place)
    let count = min(entry.count, first ?? entry.count)
    return source.slice(entry.offset..<entry.offset + count)
  }

  private func contents(of chunk: Int) throws(CaptureError) -> FileBytes {
    if let found = recent.find(chunk, of: number) { return found }
    guard recent.charge(chunks[chunk].size) else {
      throw .tooMuchUnpacking(file: name)
    }
    let contents = try chunks[chunk].contents(in: bytes, file: name)
    recent.keep(contents, chunk, of: number)
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

  /// Declared channels and schemas, by their numbers.
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
    try readSummary(&declarations)
    defer {
      if undeclared > 0 {
        notes.append(
          "\(name): left out \(counted(undeclared, "message")) of channels that it does not declare")
      }
    }
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

  /// Takes the channels that the summary at the end declares again: the chunk that declares them first may be damaged.
  private mutating func readSummary(_ declarations: inout Declarations) throws(CaptureError) {
    // The footer: its kind, 20 as its size, where the summary begins, and 12 bytes more.
    let end = bytes.count - Self.magic.count - 29
    guard end > Self.magic.count else { return }
    var footer = LittleEndianReader(bytes, at: end)
    guard footer.number(bytes: 1) == Record.footer, footer.number(bytes: 8) == 20,
      let start = footer.number(bytes: 8), start >= Self.magic.count, start <= end
    else { return }
    var reader = LittleEndianReader(bytes.slice(0..<end), at: start)
    while let kind = reader.number(bytes: 1), let count = reader.number(bytes: 8),
      let content = reader.slice(count)
    {
      guard kind == Record.schema || kind == Record.channel else { continue }
      guard try read(kind, content, chunk: -1, at: 0, &declarations) else { return }
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
      guard let topic = declarations.channels[channel] else {
        undeclared += 1
        return true
      }
      guard topics[topic].isRead else { return true }
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
