import FileFormats

/// The functions of libsqlite3 that reading takes.
@safe struct LibSQLite: Sendable {
  typealias Open =
    @convention(c) (
      UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>, Int32, UnsafePointer<CChar>?
    ) -> Int32
  typealias OfDatabase = @convention(c) (OpaquePointer?) -> Int32
  typealias Words = @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?
  typealias Limit = @convention(c) (OpaquePointer, Int32, Int32) -> Int32
  typealias Prepare =
    @convention(c) (
      OpaquePointer, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<OpaquePointer?>,
      UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) -> Int32
  typealias Number = @convention(c) (OpaquePointer, Int32) -> Int64
  typealias Size = @convention(c) (OpaquePointer, Int32) -> Int32
  typealias Text = @convention(c) (OpaquePointer, Int32) -> UnsafePointer<UInt8>?
  typealias OpenBlob =
    @convention(c) (
      OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>, Int64, Int32,
      UnsafeMutablePointer<OpaquePointer?>
    ) -> Int32
  typealias ReadBlob = @convention(c) (OpaquePointer, UnsafeMutableRawPointer?, Int32, Int32) -> Int32

  typealias Progress = @convention(c) (UnsafeMutableRawPointer?) -> Int32
  typealias OnProgress =
    @convention(c) (OpaquePointer, Int32, Progress?, UnsafeMutableRawPointer?) -> Void

  let open: Open
  let close: OfDatabase
  let message: Words
  let limit: Limit
  let prepare: Prepare
  let step: OfDatabase
  let finalize: OfDatabase
  let columns: OfDatabase
  let type: Size
  let integer: Number
  let text: Text
  let bytes: Size
  let openBlob: OpenBlob
  let blobBytes: OfDatabase
  let readBlob: ReadBlob
  let closeBlob: OfDatabase
  /// nil where the library was built without it.
  let onProgress: OnProgress?

  private static let opened = Result { () throws(SQLiteError) in try LibSQLite() }

  /// The library, opened once for the whole process.
  static func shared() throws(SQLiteError) -> LibSQLite { try opened.get() }

  private init() throws(SQLiteError) {
    do {
      let library = try RuntimeLibrary(SQLiteError.library)
      unsafe open = try library.function("sqlite3_open_v2")
      unsafe close = try library.function("sqlite3_close_v2")
      unsafe message = try library.function("sqlite3_errmsg")
      unsafe limit = try library.function("sqlite3_limit")
      unsafe prepare = try library.function("sqlite3_prepare_v2")
      unsafe step = try library.function("sqlite3_step")
      unsafe finalize = try library.function("sqlite3_finalize")
      unsafe columns = try library.function("sqlite3_column_count")
      unsafe type = try library.function("sqlite3_column_type")
      unsafe integer = try library.function("sqlite3_column_int64")
      unsafe text = try library.function("sqlite3_column_text")
      unsafe bytes = try library.function("sqlite3_column_bytes")
      unsafe openBlob = try library.function("sqlite3_blob_open")
      unsafe blobBytes = try library.function("sqlite3_blob_bytes")
      unsafe readBlob = try library.function("sqlite3_blob_read")
      unsafe closeBlob = try library.function("sqlite3_blob_close")
      unsafe onProgress = library.optionalFunction("sqlite3_progress_handler")
    } catch {
      throw .missingLibrary(reason: error.description)
    }
  }
}
