import Archives
import FileFormats

/// A file of rosbag2's first kind: an SQLite database with tables `topics` and `messages`.
struct SQLiteBag: BagFile {
  static let ending = ".db3"

  let name: String
  private(set) var topics: [BagTopic] = []
  private(set) var entries: [BagEntry] = []
  let damage: [SkippedFrame] = []
  private(set) var notes: [String] = []

  private let database: SQLiteFile
  private let limits: CaptureLimits

  /// - Throws: `CaptureError` where the file is not one of rosbag2, or SQLite's library is missing.
  init(path: String, limits: CaptureLimits) throws(CaptureError) {
    let name = lastComponent(path)
    self.name = name
    self.limits = limits
    guard pathKind(path) == .file else { throw .notARegularFile(file: path, name: name) }
    database = try Self.reading(name) { () throws(SQLiteError) in
      try SQLiteFile(path: path, mostBytes: limits.frameFileBytes)
    }
    let isUnclosed = ((try? FileBytes(path: "\(path)-wal"))?.count ?? 0) > 0
    for table in ["topics", "messages"] {
      guard try Self.reading(name, { () throws(SQLiteError) in try database.hasTable(table) }) else {
        throw .foreignLayout(path: path, layout: isUnclosed ? .unclosedBag : .otherDatabase)
      }
    }
    try readTopics()
    try readMessages()
    if isUnclosed {
      notes.append(
        "\(name) was not closed: what is still in \(name)-wal is left out (ros2 bag reindex gathers it)")
    }
  }

  func stamp(of entry: BagEntry) throws(CaptureError) -> Int {
    ROSHeader.stamp(of: try bytes(of: entry, first: ROSHeader.stampBytes))
  }

  func bytes(of entry: BagEntry, first: Int?) throws(CaptureError) -> FileBytes {
    try Self.reading("\(name), message \(entry.place)") { () throws(SQLiteError) in
      FileBytes(
        try database.blob("messages", "data", row: entry.place, limit: limits.frameFileBytes, first: first))
    }
  }

  private mutating func readTopics() throws(CaptureError) {
    let query = "SELECT id, name, type, serialization_format FROM topics ORDER BY rowid"
    var found: [Int: BagTopic] = [:]
    var order: [Int] = []
    try Self.reading(name) { () throws(SQLiteError) in
      try database.rows(query, limit: BagLimits.topics, mostBytes: BagLimits.topicBytes) {
        row throws(SQLiteError) in
        guard let id = row[0].integer(in: 0...Int.max), let name = row[1].text, let type = row[2].text,
          let encoding = row[3].text
        else { throw .badValue(column: "id, name, type or serialization_format") }
        found[id] = BagTopic(name: name, type: type, encoding: encoding)
        order.append(id)
      }
    }
    topics = order.compactMap { found[$0] }
    places = Dictionary(zip(order, order.indices)) { first, _ in first }
  }

  /// The position of a topic by its number.
  private var places: [Int: Int] = [:]

  private mutating func readMessages() throws(CaptureError) {
    let read = places.filter { topics[$0.value].isRead }
    guard !read.isEmpty else { return }
    // The data are not asked for: rows are short, whatever a message holds.
    let numbers = read.keys.sorted().map(String.init).joined(separator: ", ")
    let query =
      "SELECT rowid, topic_id, timestamp FROM messages WHERE topic_id IN (\(numbers)) ORDER BY rowid"
    var entries: [BagEntry] = []
    try Self.reading(name) { () throws(SQLiteError) in
      try database.rows(query, limit: BagLimits.entries) { row throws(SQLiteError) in
        guard let id = row[0].integer(in: 0...Int.max),
          let topic = row[1].integer(in: 0...Int.max).flatMap({ read[$0] }),
          let time = row[2].integer(in: 0...BagLimits.latest)
        else { throw .badValue(column: "topic_id or timestamp") }
        entries.append(BagEntry(topic: topic, time: time, place: id, offset: 0, count: 0))
      }
    }
    self.entries = entries
  }

  private static func reading<Result>(
    _ name: String, _ body: () throws(SQLiteError) -> Result
  ) throws(CaptureError) -> Result {
    do {
      return try body()
    } catch {
      guard case .missingLibrary = error else { throw .malformed(file: name, reason: error.description) }
      throw .missingLibrary(file: name, reason: error.description)
    }
  }
}
