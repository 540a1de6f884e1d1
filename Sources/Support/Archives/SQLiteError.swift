import FileFormats

/// Why an SQLite file cannot be read.
package enum SQLiteError: Error, Equatable, CustomStringConvertible {
  /// The library's file name, by which the loader finds it.
  static let library = "libsqlite3.so.0"

  /// The library is not there.
  case missingLibrary(reason: String)
  /// The library's own words.
  case refused(String)
  /// A row has another kind of value than its column should.
  case badValue(column: String)
  /// A table with columns that are computed, by expressions of the file.
  case computedColumns(table: String)
  /// A query of more steps than the limit.
  case tooManySteps(limit: Int)
  /// A table of more rows than the limit.
  case tooManyRows(limit: Int)
  /// A value of more bytes than the limit.
  case tooLarge(bytes: Int, limit: Int)

  /// One line that names the defect and the remedy.
  package var description: String {
    switch self {
    case .missingLibrary(let reason):
      "an SQLite file needs \(Self.library) (\(reason)): install the Debian package libsqlite3-0"
    case .refused(let words): "SQLite says: \(printableName(words))"
    case .badValue(let column): "a row holds something else than its column \(printableName(column)) should"
    case .computedColumns(let table):
      "the table \(printableName(table)) has columns that are computed, which is not read: store their values"
    case .tooManySteps(let limit): "reading it takes more than \(limit) steps of SQLite"
    case .tooManyRows(let limit): "holds a table of more than \(limit) rows"
    case .tooLarge(let bytes, let limit): "holds a value of \(bytes) bytes, more than \(limit)"
    }
  }
}

extension SQLiteError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    switch self {
    case .missingLibrary: .unavailable
    case .refused, .badValue, .computedColumns, .tooManySteps, .tooManyRows, .tooLarge: .malformedInput
    }
  }
}
