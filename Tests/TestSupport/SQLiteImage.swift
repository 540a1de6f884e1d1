/// A database of SQLite of some tables, a page each (sqlite.org/fileformat2.html).
package struct SQLiteImage {
  /// A value of a row.
  package enum Value {
    case integer(Int)
    case text(String)
    case blob([UInt8])
  }

  private static let pageBytes = 1 << 16
  private var tables: [(name: String, schema: String, rows: [[Value]])] = []

  package init() {}

  /// Adds a table; `schema` is the statement that the file says made it.
  package mutating func add(_ name: String, _ schema: String, rows: [[Value]] = []) {
    tables.append((name, schema, rows))
  }

  /// The file.
  package var bytes: [UInt8] {
    let listed = tables.enumerated().map { index, table in
      [
        Value.text("table"), .text(table.name), .text(table.name), .integer(index + 2), .text(table.schema),
      ]
    }
    var header = Array("SQLite format 3\0".utf8) + [0, 1, 1, 1, 0, 64, 32, 32]
    // Its pages, and that it is encoded in UTF-8 with schemas of the fourth form.
    for word in [1, tables.count + 1, 0, 0, 1, 4, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3_040_001] {
      header += Self.big(word, 4)
    }
    return Self.page(listed, after: header) + tables.flatMap { Self.page($0.rows, after: []) }
  }

  private static func big(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
  }

  /// A leaf of a table's tree.
  private static func page(_ rows: [[Value]], after header: [UInt8]) -> [UInt8] {
    var (places, cells): ([Int], [UInt8]) = ([], [])
    for (index, row) in rows.enumerated() {
      let record = record(row)
      let cell = varint(record.count) + varint(index + 1) + record
      cells = cell + cells
      places.append(pageBytes - cells.count)
    }
    var start = header + [13, 0, 0]
    start += big(rows.count, 2) + big(pageBytes - cells.count, 2) + [0]
    start += places.flatMap { big($0, 2) }
    precondition(start.count + cells.count <= pageBytes, "a table is one page")
    return start + [UInt8](repeating: 0, count: pageBytes - start.count - cells.count) + cells
  }

  private static func record(_ row: [Value]) -> [UInt8] {
    var (kinds, body): ([UInt8], [UInt8]) = ([], [])
    for value in row {
      switch value {
      case .integer(let number): (kinds, body) = (kinds + [6], body + big(number, 8))
      case .text(let text):
        (kinds, body) = (kinds + varint(13 + 2 * text.utf8.count), body + Array(text.utf8))
      case .blob(let bytes): (kinds, body) = (kinds + varint(12 + 2 * bytes.count), body + bytes)
      }
    }
    // The header counts itself.
    return varint(kinds.count + 1) + kinds + body
  }

  private static func varint(_ value: Int) -> [UInt8] {
    var bytes = [UInt8(value & 0x7f)]
    var rest = value >> 7
    while rest > 0 {
      bytes.insert(UInt8(rest & 0x7f) | 0x80, at: 0)
      rest >>= 7
    }
    return bytes
  }
}
