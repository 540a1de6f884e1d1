import Archives
import FileFormats
import Imaging

/// The kind of a file by its content, for messages about files given in place of others.
enum FileKind: Hashable {
  case picture(String)
  /// `.npy`.
  case array
  /// `.npz`.
  case arrays
  case pdf, film, json, text
  /// A zip archive that is neither a checkpoint nor of arrays.
  case archive
  /// A recording of ROS 2, or another database.
  case recording, database

  /// nil for weights and for unknown bytes.
  init?(of path: String) {
    guard let bytes = try? FileBytes(path: path) else { return nil }
    let start = bytes.slice(0..<min(bytes.count, 512)).array()
    // A weight file's header follows its length, of eight bytes.
    guard start.count < 9 || start[8] != UInt8(ascii: "{") else { return nil }
    func begins(_ text: String, at offset: Int = 0) -> Bool {
      start.dropFirst(offset).starts(with: text.utf8)
    }
    if let format = ImageFormat(sniffing: start) {
      self = .picture("\(format)")
    } else if begins("GIF8") {
      self = .picture("GIF")
    } else if begins("NUMPY", at: 1), start[0] == 0x93 {
      self = .array
    } else if begins("%PDF") {
      self = .pdf
    } else if begins("ftyp", at: 4) {
      self = .film
    } else if begins("MCAP", at: 1), start[0] == 0x89 {
      self = .recording
    } else if begins("SQLite format 3") {
      self = .database
    } else if begins("PK\u{3}\u{4}") {
      guard let kind = Self.ofArchive(bytes) else { return nil }
      self = kind
    } else {
      guard Self.isText(start) else { return nil }
      let text = start.drop { [0x20, 0x0a, 0x0d, 0x09].contains($0) }
      self = text.starts(with: "{\"".utf8) || text.starts(with: "[{".utf8) ? .json : .text
    }
  }

  /// The kind with its article.
  var name: String {
    switch self {
    case .picture(let format): "a picture (\(format))"
    case .array: "a NumPy array"
    case .arrays: "an archive of NumPy arrays"
    case .pdf: "a PDF document"
    case .film: "a film"
    case .json: "JSON"
    case .text: "a text"
    case .archive: "a zip archive, a capture for example"
    case .recording: "a recording of ROS 2"
    case .database: "a database, a recording of ROS 2 for example"
    }
  }

  /// nil for a checkpoint, and for one that cannot be read.
  private static func ofArchive(_ bytes: FileBytes) -> FileKind? {
    guard let names = (try? ZipArchive(bytes))?.members.map(\.name), !names.isEmpty,
      !names.contains(where: { $0.hasSuffix("data.pkl") || $0.hasSuffix("constants.pkl") })
    else { return nil }
    return names.allSatisfy { hasEnding($0, ".npy") } ? .arrays : .archive
  }

  /// Whether bytes are UTF-8 without control characters; a character at the end may be cut off.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy { $0 >= 0x20 || (0x09...0x0d).contains($0) }
      && (0..<4).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
  }
}
