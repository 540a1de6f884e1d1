import AppCore
import TestSupport
import Testing

/// Recordings of rosbag2 in SQLite that ask for too much, or are not whole.
@Suite(.enabled(if: BagGoldenTests.isReadable("rosbag2"), "libsqlite3-0 is not installed"))
struct SQLiteBagTests {
  private static let topics =
    "CREATE TABLE topics(id INTEGER, name TEXT, type TEXT, serialization_format TEXT, offered_qos_profiles TEXT)"
  private static let messages = "CREATE TABLE messages(topic_id INTEGER, timestamp INTEGER, data BLOB)"

  private static func reason(_ image: SQLiteImage) throws -> String {
    let place = try TemporaryDirectory()
    let path = try place.write(image.bytes, to: "a.db3")
    do throws(CaptureError) {
      _ = try CaptureReader.open(path)
      return "none"
    } catch {
      guard case .malformed("a.db3", let reason) = error else { throw error }
      return reason
    }
  }

  @Test func namesOfTopicsAreShort() throws {
    for column in 0..<3 {
      var image = SQLiteImage()
      var texts = ["/a", "sensor_msgs/msg/Image", "cdr"]
      texts[column] = String(repeating: "a", count: 5000)
      image.add(
        "topics", Self.topics, rows: [[.integer(1)] + texts.map(SQLiteImage.Value.text) + [.text("")]])
      image.add("messages", Self.messages)
      #expect(try Self.reason(image) == "holds a value of 5000 bytes, more than 4096")
    }
  }

  @Test func computedTimesAreRefused() throws {
    var image = SQLiteImage()
    image.add(
      "topics", Self.topics,
      rows: [[.integer(1), .text("/a"), .text("sensor_msgs/msg/Image"), .text("cdr"), .text("")]])
    image.add(
      "messages", "CREATE TABLE messages(topic_id INTEGER, data BLOB, timestamp INTEGER AS (length(data)))",
      rows: [[.integer(1), .blob([0])]])
    #expect(try Self.reason(image).contains("the table messages has columns that are computed"))
  }

  @Test func aRecordingWhoseTablesAreInItsLogIsNamed() throws {
    let place = try TemporaryDirectory()
    let path = try place.write(SQLiteImage().bytes, to: "a.db3")
    #expect(throws: CaptureError.foreignLayout(path: path, layout: .otherDatabase)) {
      _ = try CaptureReader.open(path)
    }
    try place.write([1, 2, 3], to: "a.db3-wal")
    let error = CaptureError.foreignLayout(path: path, layout: .unclosedBag)
    #expect(throws: error) { _ = try CaptureReader.open(path) }
    #expect("\(error)".contains("a.db3-wal") && "\(error)".contains("wal_checkpoint"))
  }
}
