import Archives
import FileFormats
import TestSupport
import Testing

/// A recording of rosbags, written by SQLite itself.
private enum Recording {
  /// Whether the library is here.
  static let isReadable: Bool = {
    do throws(SQLiteError) {
      _ = try open()
    } catch .missingLibrary {
      return false
    } catch {
      return true
    }
    return true
  }()

  static func open() throws(SQLiteError) -> SQLiteFile {
    try SQLiteFile(
      path: SharedData.packageRoot + "/Tests/AppCoreTests/Goldens/rosbag2/rosbag2.db3", mostBytes: 1 << 20)
  }
}

@Suite(.enabled(if: Recording.isReadable, "libsqlite3-0 is not installed"))
struct SQLiteFileTests {
  @Test func tablesAndRows() throws {
    let file = try Recording.open()
    #expect(try file.hasTable("topics") && file.hasTable("messages"))
    #expect(try !file.hasTable("topic") && !file.hasTable("messages\0"))
    var rows: [[SQLiteFile.Value]] = []
    try file.rows("SELECT id, type, NULL FROM topics ORDER BY id", limit: 10) { rows.append($0) }
    #expect(rows.first == [.integer(1), .text("tf2_msgs/msg/TFMessage"), .other])
    #expect(rows.count == 5)
    #expect(rows[0][0].integer(in: 0...1) == 1 && rows[0][0].integer(in: 2...3) == nil)
    #expect(rows[0][1].text != nil && rows[0][1].integer(in: 0...1) == nil)
  }

  @Test func nothingBeyondItsLimit() throws {
    let file = try Recording.open()
    #expect(throws: SQLiteError.tooManyRows(limit: 4)) {
      try file.rows("SELECT id FROM topics", limit: 4) { _ in }
    }
    let blob = try file.blob("messages", "data", row: 1, limit: 1 << 20)
    #expect(blob.starts(with: [0, 1, 0, 0]))
    #expect(try file.blob("messages", "data", row: 1, limit: 1 << 20, first: 3) == Array(blob[..<3]))
    #expect(throws: SQLiteError.tooLarge(bytes: blob.count, limit: blob.count - 1)) {
      _ = try file.blob("messages", "data", row: 1, limit: blob.count - 1)
    }
  }

  @Test func whatIsNotThereIsRefused() throws {
    let file = try Recording.open()
    for (table, column, row) in [("messages", "data", 1000), ("messages", "date", 1), ("none", "data", 1)] {
      #expect(throws: SQLiteError.self) { _ = try file.blob(table, column, row: row, limit: 100) }
    }
    let place = try TemporaryDirectory()
    let text = try place.write("no database, however long it is\n", to: "a%3f?#.db3")
    #expect(throws: SQLiteError.self) { _ = try SQLiteFile(path: text, mostBytes: 100).hasTable("topics") }
    #expect(throws: SQLiteError.self) {
      _ = try SQLiteFile(path: place.file("none.db3"), mostBytes: 100).hasTable("topics")
    }
  }

  private static func open(
    _ schema: String, _ rows: [[SQLiteImage.Value]] = [], mostSteps: Int32 = SQLiteFile.mostSteps
  ) throws -> SQLiteFile {
    var image = SQLiteImage()
    image.add("messages", schema, rows: rows)
    let place = try TemporaryDirectory()
    let file = try SQLiteFile(
      path: place.write(image.bytes, to: "a.db3"), mostBytes: 1 << 20, mostSteps: mostSteps)
    // The schema is read while the file is there.
    _ = try? file.hasTable("messages")
    return file
  }

  @Test func tablesWhoseColumnsAreComputedAreRefused() throws {
    let plain = try Self.open("CREATE TABLE messages(id INTEGER, data BLOB)", [[.integer(7), .blob([1])]])
    #expect(try plain.hasTable("messages"))
    for column in ["late INTEGER AS (length(hex(data)))", "late INTEGER AS (id + 1) STORED", "rowid AS (5)"] {
      let file = try Self.open("CREATE TABLE messages(id INTEGER, data BLOB, \(column))")
      #expect(throws: SQLiteError.computedColumns(table: "messages")) { _ = try file.hasTable("messages") }
    }
  }

  /// A view with the name of a table is no table, or the file counts as damaged.
  @Test func aViewIsNoTable() throws {
    let found = try? Self.open("CREATE VIEW messages AS SELECT 1 AS id").hasTable("messages")
    #expect(found != true)
  }

  @Test func aQueryHasANumberOfSteps() throws {
    let count =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 10000) SELECT max(x) FROM c"
    let schema = "CREATE TABLE messages(id INTEGER)"
    try Self.open(schema).rows(count, limit: 1) { #expect($0 == [.integer(10000)]) }
    #expect(throws: SQLiteError.tooManySteps(limit: 5000)) {
      try Self.open(schema, mostSteps: 5000).rows(count, limit: 1) { _ in }
    }
  }

  @Test func longTextsAreNotCopied() throws {
    let schema = "CREATE TABLE messages(name TEXT, data BLOB)"
    func file(_ count: Int) throws -> SQLiteFile {
      try Self.open(schema, [[.text(String(repeating: "a", count: count)), .blob([])]])
    }
    try file(SQLiteFile.mostTextBytes).rows("SELECT name FROM messages", limit: 1) {
      #expect($0[0].text?.utf8.count == SQLiteFile.mostTextBytes)
    }
    let most = SQLiteFile.mostTextBytes
    #expect(throws: SQLiteError.tooLarge(bytes: most + 1, limit: most)) {
      try file(most + 1).rows("SELECT name FROM messages", limit: 1) { _ in }
    }
    // SQLite itself loads no more than it is asked for, and more again afterwards.
    let long = try file(1000)
    #expect(throws: SQLiteError.refused("string or blob too big")) {
      try long.rows("SELECT name FROM messages", limit: 1, mostBytes: 100) { _ in }
    }
    try long.rows("SELECT name FROM messages", limit: 1) { #expect($0[0].text?.utf8.count == 1000) }
  }
}
