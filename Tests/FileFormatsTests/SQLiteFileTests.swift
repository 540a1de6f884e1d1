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
}
