import Digests
import FileFormats

/// The record of the files that `ardf` wrote into a folder, kept there as `.ardf.json`: a later run replaces nothing
/// else, and knows whether the files are still as they were written.
package enum OutputRecord: Equatable, Sendable {
  /// SHA-256 of every file by its path in the folder; see `digest(of:name:)`.
  case files(NameTable<String>)
  /// Folders that have records of their own, and beside them files whose names fit one of these patterns (`*` stands
  /// for anything).
  case folders(beside: [String])

  /// The record's name in its folder.
  package static let fileName = ".ardf.json"
  static let schema = "ardf.output/1"

  /// The record of a folder; nil where there is none, or none that can be read.
  package init?(of folder: String) {
    guard
      let document = try? JSONValue.read(
        path: "\(folder)/\(Self.fileName)", limits: JSONLimits(bytes: 128 << 20)),
      document["schema"]?.string == Self.schema
    else { return nil }
    if let files = document["files"]?.object {
      let digests = files.compactMapValues(\.string)
      guard digests.count == files.count else { return nil }
      self = .files(digests)
    } else if let beside = document["beside"]?.array {
      self = .folders(beside: beside.compactMap(\.string))
    } else {
      return nil
    }
  }

  /// Whether it is that of a folder of folders.
  package var isOfFolders: Bool {
    if case .folders = self { true } else { false }
  }

  /// The document.
  package var json: JSONValue {
    switch self {
    case .files(let digests):
      ["schema": .string(Self.schema), "files": .object(digests.mapValues(JSONValue.string))]
    case .folders(let beside):
      ["schema": .string(Self.schema), "beside": .array(beside.map(JSONValue.string))]
    }
  }

  /// Puts the record into its folder, in the place of another.
  package func write(to folder: String) throws(FileError) {
    try AtomicFile.write(json.serialized(pretty: true), to: "\(folder)/\(Self.fileName)", overwrite: true)
  }

  /// Makes a folder of folders, as which it is known from the beginning.
  ///
  /// `beside`: What files beside those folders are called, as patterns.
  package static func makeFolder(_ path: String, beside: [String]) throws(FileError) {
    try AtomicOutputs.makeFolder(path)
    guard OutputRecord(of: path)?.isOfFolders != true else { return }
    try OutputRecord.folders(beside: beside).write(to: path)
  }

  /// The record with the present digests of some of the folder's files.
  package func replacing(_ names: [String], in folder: String) throws(FileError) -> OutputRecord {
    guard case .files(var digests) = self else { return self }
    for name in names {
      digests[name] = Self.digest(of: try FileBytes(path: "\(folder)/\(name)"), name: name)
    }
    return .files(digests)
  }

  /// The SHA-256 of a file's bytes.
  ///
  /// That of a page leaves out the line of its element `timing`, which says how long the work took: all that differs
  /// between two runs on the same input.
  static func digest(of bytes: FileBytes, name: String) -> String {
    guard name.hasSuffix(".html"), let line = bytes.withBytes({ $0.line(holding: "id=\"timing\"") }) else {
      return sha256Hex(bytes)
    }
    return sha256Hex(
      bytes.slice(0..<line.lowerBound).array() + bytes.slice(line.upperBound..<bytes.count).array())
  }

  /// A file that is not as the record says, or gone; nil if all are as they were written.
  package func firstChange(in folder: String) -> String? { firstChange(in: folder) { _ in true } }

  /// A file that is there and not as the record says; nil if there is none.
  ///
  /// The record is written last: what was not touched since then need not be read.
  private func firstEdit(in folder: String) -> String? {
    let written = POSIX.changed("\(folder)/\(Self.fileName)") ?? .min
    return firstChange(in: folder) { POSIX.changed($0).map { $0 >= written } ?? false }
  }

  private func firstChange(in folder: String, of isAsked: (String) -> Bool) -> String? {
    guard case .files(let digests) = self else { return nil }
    return digests.sorted { ByteName($0.key) < ByteName($1.key) }.first { name, digest in
      let path = "\(folder)/\(name)"
      guard isAsked(path) else { return false }
      guard let bytes = try? FileBytes(path: path) else { return true }
      return Self.digest(of: bytes, name: name) != digest
    }?.key
  }

  /// Refuses a path that holds anything but what `ardf` wrote, as it wrote it; an empty folder, and none, may be taken.
  ///
  /// - `mendsChanges`: Lets files that were changed since then be replaced, as `--resume` does.
  /// - Throws: `FileError.foreign`, `.edited`, `.notADirectory` for a file or a link.
  package static func checkReplaceable(
    _ path: String, mendsChanges: Bool = false
  ) throws(FileError) {
    guard let kind = try? POSIX.kind(of: path) else { return }
    guard kind == .directory else { throw .notADirectory(path: path) }
    switch try irreplaceable(in: path, mendsChanges) {
    case .foreign(let entry): throw .foreign(path: path, entry: entry.isEmpty ? nil : entry)
    case .edited(let entry): throw .edited(path: path, entry: entry)
    case nil: return
    }
  }

  /// An entry that is not replaced, by its path in the folder that is asked about.
  private enum Irreplaceable {
    /// Something that `ardf` did not write; empty for the folder itself.
    case foreign(String)
    /// Something that was changed since `ardf` wrote it.
    case edited(String)

    /// The same seen from the folder above.
    func below(_ name: String) -> Irreplaceable {
      switch self {
      case .foreign(let entry): .foreign(entry.isEmpty ? name : "\(name)/\(entry)")
      case .edited(let entry): .edited("\(name)/\(entry)")
      }
    }
  }

  /// The first entry of a folder that is not replaced; nil where there is none.
  private static func irreplaceable(
    in folder: String, _ mendsChanges: Bool
  ) throws(FileError) -> Irreplaceable? {
    // Nothing of ours has a name that is not text.
    let (names, notText) = try POSIX.listing(of: folder)
    if let name = notText.first { return .foreign(name) }
    guard let record = OutputRecord(of: folder) else {
      return names.allSatisfy(AtomicOutputs.isTemporary) ? nil : .foreign("")
    }
    switch record {
    case .files(let digests):
      if let entry = try foreignEntry(in: folder, below: "", isListed: { digests[$0] != nil }) {
        return .foreign(entry)
      }
      return mendsChanges ? nil : record.firstEdit(in: folder).map(Irreplaceable.edited)
    case .folders(let beside):
      for name in names where name != fileName && !AtomicOutputs.isTemporary(name) {
        let path = "\(folder)/\(name)"
        switch try POSIX.kind(of: path) {
        case .directory:
          if let entry = try irreplaceable(in: path, mendsChanges) { return entry.below(name) }
        case .file where beside.contains { matches(name, $0) }: continue
        case .file, .link, .other: return .foreign(name)
        }
      }
      return nil
    }
  }

  /// The path in `folder` of something that is not listed; nil where there is none.
  private static func foreignEntry(
    in folder: String, below prefix: String, isListed: (String) -> Bool
  ) throws(FileError) -> String? {
    let (names, notText) = try POSIX.listing(of: "\(folder)/\(prefix)")
    if let name = notText.first { return prefix + name }
    for name in names {
      let path = prefix + name
      switch try POSIX.kind(of: "\(folder)/\(path)") {
      case .directory:
        if let entry = try foreignEntry(in: folder, below: path + "/", isListed: isListed) { return entry }
      case .file where isListed(path) || path == fileName || AtomicOutputs.isTemporary(name): continue
      case .file, .link, .other: return path
      }
    }
    return nil
  }

  /// Whether a name fits a pattern with at most one `*`.
  static func matches(_ name: String, _ pattern: String) -> Bool {
    guard let star = pattern.firstIndex(of: "*") else { return name == pattern }
    let (head, tail) = (pattern[..<star], pattern[pattern.index(after: star)...])
    return name.utf8.count >= head.utf8.count + tail.utf8.count && name.hasPrefix(head)
      && name.hasSuffix(tail)
  }
}

extension Span<UInt8> {
  /// The first line that holds a text, with its end.
  fileprivate func line(holding text: StaticString) -> Range<Int>? {
    let wanted = Array("\(text)".utf8)
    let newline = UInt8(ascii: "\n")
    var start = 0
    while start < count {
      var end = start
      var matched = 0
      var isFound = false
      while end < count, self[end] != newline {
        matched = self[end] == wanted[matched] ? matched + 1 : (self[end] == wanted[0] ? 1 : 0)
        if matched == wanted.count {
          isFound = true
          matched = 0
        }
        end += 1
      }
      let next = Swift.min(end + 1, count)
      if isFound { return start..<next }
      start = next
    }
    return nil
  }
}
