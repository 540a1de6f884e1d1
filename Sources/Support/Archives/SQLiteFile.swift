import FileFormats

/// An SQLite file, opened for reading by libsqlite3 as a file that does not change: no journal is replayed, no lock taken.
///
/// Nothing that its schema asks for runs: only tables whose columns are stored are read, no functions are trusted, and a query
/// has a number of steps. Calls may come from any thread.
@safe package final class SQLiteFile: Sendable {
  /// A column's value in a row.
  package enum Value: Sendable, Equatable {
    /// An integer.
    case integer(Int)
    /// Text in UTF-8.
    case text(String)
    /// Anything else.
    case other

    /// The integer that it is, where `range` has it.
    package func integer(in range: ClosedRange<Int>) -> Int? {
      if case .integer(let value) = self, range.contains(value) { value } else { nil }
    }
    /// The text that it is.
    package var text: String? { if case .text(let value) = self { value } else { nil } }
  }

  private static let integerType: Int32 = 1
  private static let textType: Int32 = 3
  /// Read only, the name a URI, calls from any thread.
  private static let flags: Int32 = 0x1 | 0x40 | 0x10000
  private static let (ok, interrupted, row, done): (Int32, Int32, Int32, Int32) = (0, 9, 100, 101)
  /// The number of the limit on the bytes of a value.
  private static let lengthLimit: Int32 = 0

  private let library: LibSQLite
  private let address: UInt
  private let mostSteps: Int32

  /// Instructions of a query: some dozens for each row that is read or passed over.
  package static let mostSteps: Int32 = 1 << 30
  /// Bytes of a text that a row holds; longer ones are refused before they are copied.
  package static let mostTextBytes = 4096

  /// Opens a regular file.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - mostBytes: Bytes of one value.
  ///   - mostSteps: Instructions of a query, where the library counts them.
  /// - Throws: `SQLiteError`.
  package init(path: String, mostBytes: Int, mostSteps: Int32 = mostSteps) throws(SQLiteError) {
    library = try LibSQLite.shared()
    self.mostSteps = mostSteps
    var handle: OpaquePointer?
    let name = "file:\(Self.escaped(POSIX.resolved(path) ?? path))?immutable=1"
    let status = unsafe library.open(name, &handle, Self.flags, nil)
    guard status == Self.ok, let opened = unsafe handle else {
      let words = unsafe Self.words(library, handle)
      _ = unsafe library.close(handle)
      throw .refused(words)
    }
    address = UInt(bitPattern: opened)
    _ = unsafe library.limit(opened, Self.lengthLimit, Int32(clamping: mostBytes))
    // A statement's steps are counted over all its rows: it stops where it is first asked whether to.
    if let onProgress = unsafe library.onProgress { unsafe onProgress(opened, mostSteps, { _ in 1 }, nil) }
    for setting in ["trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"] {
      try rows("PRAGMA \(setting)", limit: 1) { _ in }
    }
  }

  deinit { _ = unsafe library.close(handle) }

  private var handle: OpaquePointer? { unsafe OpaquePointer(bitPattern: address) }

  /// Whether there is a table of that name, no view and no virtual table, whatever its row says that it is.
  ///
  /// `name`: Of letters.
  /// - Throws: `SQLiteError.computedColumns` where reading the table would run expressions of the file.
  package func hasTable(_ name: String) throws(SQLiteError) -> Bool {
    var found = false
    let query = "SELECT name, rootpage, upper(substr(sql, 1, 13)) FROM sqlite_master WHERE type = 'table'"
    try rows(query, limit: Self.mostTables) { row in
      if row[0].text?.isSameName(as: name) == true, row[1].integer(in: 1...Int.max) != nil,
        row[2] == .text("CREATE TABLE ")
      {
        found = true
      }
    }
    guard found else { return false }
    // The last column tells what is hidden or computed; a library without this knows no computed columns.
    try rows("PRAGMA table_xinfo(\(name))", limit: Self.mostColumns) { row throws(SQLiteError) in
      guard row.last == .integer(0) else { throw .computedColumns(table: name) }
    }
    return true
  }

  private static let mostTables = 1000
  private static let mostColumns = 2000

  /// Calls `body` with each row of a query, which the program itself has written.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - limit: The most rows.
  ///   - mostBytes: Bytes of a value and of a row, where that is less than what the file's values may have.
  ///   - body: Takes the values of a row.
  /// - Throws: `SQLiteError`, what `body` throws too.
  package func rows(
    _ query: String, limit: Int, mostBytes: Int? = nil, _ body: ([Value]) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    guard let database = unsafe handle else { return }
    let usual = unsafe library.limit(database, Self.lengthLimit, -1)
    if let mostBytes {
      _ = unsafe library.limit(database, Self.lengthLimit, min(usual, Int32(clamping: mostBytes)))
    }
    defer { _ = unsafe library.limit(database, Self.lengthLimit, usual) }
    var prepared: OpaquePointer?
    guard unsafe library.prepare(database, query, -1, &prepared, nil) == Self.ok,
      let statement = unsafe prepared
    else { throw .refused(words) }
    defer { _ = unsafe library.finalize(statement) }
    var count = 0
    while true {
      let status = unsafe library.step(statement)
      if status == Self.done { return }
      guard status != Self.interrupted else { throw .tooManySteps(limit: Int(mostSteps)) }
      guard status == Self.row else { throw .refused(words) }
      count += 1
      guard count <= limit else { throw .tooManyRows(limit: limit) }
      var values: [Value] = []
      for column in unsafe 0..<library.columns(statement) {
        values.append(try unsafe value(statement, column))
      }
      try body(values)
    }
  }

  private func value(_ statement: OpaquePointer, _ column: Int32) throws(SQLiteError) -> Value {
    switch unsafe library.type(statement, column) {
    case Self.integerType: return unsafe .integer(Int(library.integer(statement, column)))
    case Self.textType:
      let count = unsafe Int(library.bytes(statement, column))
      guard count <= Self.mostTextBytes else { throw .tooLarge(bytes: count, limit: Self.mostTextBytes) }
      guard let first = unsafe library.text(statement, column) else { return .other }
      let text = unsafe String(
        validating: UnsafeBufferPointer(start: first, count: count), as: UTF8.self)
      return text.map { .text($0) } ?? .other
    default: return .other
    }
  }

  /// A blob's size and its first bytes, or all.
  ///
  /// - Parameters:
  ///   - table: A table's name.
  ///   - column: A column's.
  ///   - row: The row's number.
  ///   - limit: The most bytes that the blob may have; no more is allocated.
  ///   - first: How many are read at most; nil for all.
  /// - Returns: The bytes.
  /// - Throws: `SQLiteError`.
  package func blob(
    _ table: String, _ column: String, row: Int, limit: Int, first: Int? = nil
  ) throws(SQLiteError) -> [UInt8] {
    guard let database = unsafe handle else { return [] }
    var opened: OpaquePointer?
    guard unsafe library.openBlob(database, "main", table, column, Int64(row), 0, &opened) == Self.ok,
      let blob = unsafe opened
    else {
      _ = unsafe library.closeBlob(opened)
      throw .refused(words)
    }
    defer { _ = unsafe library.closeBlob(blob) }
    let size = unsafe Int(library.blobBytes(blob))
    guard size <= limit else { throw .tooLarge(bytes: size, limit: limit) }
    let wanted = min(size, first ?? size)
    var status = Self.ok
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: max(wanted, 1)) { target, count in
      status = unsafe library.readBlob(blob, target.baseAddress, Int32(clamping: wanted), 0)
      count = status == Self.ok ? wanted : 0
    }
    guard status == Self.ok else { throw .refused(words) }
    return bytes
  }

  private var words: String { unsafe Self.words(library, handle) }

  private static func words(_ library: LibSQLite, _ handle: OpaquePointer?) -> String {
    unsafe library.message(handle).map { unsafe String(cString: $0) } ?? "the file cannot be opened"
  }

  /// A path as a URI has it.
  private static func escaped(_ path: String) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_.".utf8)
    return path.utf8.map { byte in
      plain.contains(byte)
        ? String(UnicodeScalar(byte))
        : "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }
}
