import Archives
import FileFormats

/// A recording of ROS 2 in one file or several, which a long one was split into.
struct BagRecording: Sendable {
  /// A message, and the file that holds it.
  struct Message: Sendable {
    let file: Int
    let entry: BagEntry
  }

  /// A topic, with its messages in the order of the files.
  struct Topic: Sendable {
    let topic: BagTopic
    var messages: [Message] = []

    var name: String { topic.name }
    var type: MessageType? { topic.isRead ? MessageType(rawValue: topic.type) : nil }
  }

  static let endings = [MCAPFile.ending, SQLiteBag.ending]
  /// The metadata file that rosbag2 writes beside its files.
  static let metadata = "metadata.yaml"

  /// All topics by their names.
  let topics: [Topic]
  let damage: [SkippedFrame]
  let notes: [String]

  private let files: [any BagFile]
  private let limits: CaptureLimits
  /// Unpacked chunks, kept until `finishOpening`.
  private let recent: RecentChunks

  init(files paths: [String], limits: CaptureLimits) throws(CaptureError) {
    var files: [any BagFile] = []
    let recent = RecentChunks()
    for path in paths {
      files.append(
        hasEnding(path, SQLiteBag.ending)
          ? try SQLiteBag(path: path, limits: limits)
          : try MCAPFile(path: path, limits: limits, recent: recent))
    }
    self.recent = recent
    self.files = files
    self.limits = limits
    damage = files.flatMap(\.damage)
    notes = files.flatMap(\.notes)
    var places: NameTable<Int> = [:]
    var topics: [Topic] = []
    for (number, file) in files.enumerated() {
      let own = file.topics.map { topic in
        let key = "\(topic.name)\0\(topic.type)\0\(topic.encoding)"
        if let known = places[key] { return known }
        topics.append(Topic(topic: topic))
        places[key] = topics.count - 1
        return topics.count - 1
      }
      for entry in file.entries {
        topics[own[entry.topic]].messages.append(Message(file: number, entry: entry))
      }
    }
    self.topics = topics.sorted { naturallyPrecedes($0.name, $1.name) }
  }

  /// Ends what opening may cost: from here on what a frame needs is unpacked whenever it is read.
  func finishOpening() { recent.finishOpening() }

  /// When what a message holds was measured, nanoseconds; when it was recorded where it does not say so.
  func time(of message: Message) throws(CaptureError) -> Int {
    let stamp = try files[message.file].stamp(of: message.entry)
    guard stamp == 0 else { return stamp }
    // What was compressed by itself shows its time only when decompressed.
    let stated = ROSHeader.stamp(of: try bytes(of: message, first: ROSHeader.stampBytes))
    return stated == 0 ? message.entry.time : stated
  }

  /// A message's bytes, or the first of them; those that the recorder compressed one by one are decompressed.
  func bytes(of message: Message, first: Int? = nil) throws(CaptureError) -> FileBytes {
    let file = files[message.file]
    let stored = try file.bytes(of: message.entry, first: first)
    guard stored.count > 4, stored.slice(0..<4).array() == Self.zstandard else { return stored }
    let whole = first == nil ? stored : try file.bytes(of: message.entry, first: nil)
    do {
      guard let size = try Compression.statedSize(ofZstandard: whole) else {
        throw CompressionError.damaged(.zstandard)
      }
      guard size <= limits.frameFileBytes else {
        throw CaptureError.fileTooLarge(
          file: "\(file.name), a message", bytes: size, limit: limits.frameFileBytes)
      }
      recent.allow(BagLimits.ratio * whole.count)
      guard recent.charge(size) else { throw CaptureError.tooMuchUnpacking(file: file.name) }
      let bytes = FileBytes(try Compression.zstandard.decompress(whole, size: size))
      return bytes.slice(0..<min(bytes.count, first ?? bytes.count))
    } catch let error as CaptureError {
      throw error
    } catch {
      guard case CompressionError.missingLibrary = error else {
        throw .malformed(file: file.name, reason: "holds \(error)")
      }
      throw .missingLibrary(file: file.name, reason: "\(error)")
    }
  }

  /// How a frame of Zstandard begins, and no message of CDR.
  private static let zstandard: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd]

  /// Messages at a topic's beginning of which the first that can be decoded tells what the topic holds.
  private static let firstMessages = 16

  /// Decodes the first readable message of a topic; returns its position and content, nil where no message can be
  /// decoded.
  func first<Result>(
    of topic: Topic, first: Int? = nil, _ decode: (FileBytes) throws(CDRError) -> Result
  ) throws(CaptureError) -> (position: Int, said: Result)? {
    for (position, message) in topic.messages.prefix(Self.firstMessages).enumerated() {
      if let said = try readable(message, of: topic.name, first: first, decode) { return (position, said) }
    }
    return nil
  }

  /// Decodes a message; nil where it is damaged.
  func readable<Result>(
    _ message: Message, of topic: String, first: Int? = nil, _ decode: (FileBytes) throws(CDRError) -> Result
  ) throws(CaptureError) -> Result? {
    do throws(CaptureError) {
      return try decoded(message, of: topic, first: first, decode)
    } catch .malformed {
      return nil
    }
  }

  /// Decodes a message.
  func decoded<Result>(
    _ message: Message, of topic: String, first: Int? = nil, _ decode: (FileBytes) throws(CDRError) -> Result
  ) throws(CaptureError) -> Result {
    let bytes = try bytes(of: message, first: first)
    do {
      return try decode(bytes)
    } catch {
      throw .malformed(file: "\(files[message.file].name), \(topic)", reason: error.reason)
    }
  }
}
