import FileFormats

/// A capture that a manifest names.
package struct ManifestEntry: Equatable, Sendable {
  /// The capture's id in records: a name of the user's, or its path.
  package let id: String
  /// As the line has it; a relative one counts from the current folder.
  package let path: String
  /// Depth of a plain picture, with what belongs to it.
  package let depth: String?
  package let confidence: String?
  /// Numbers or a file, as `--intrinsics` takes them.
  package let intrinsics: String?

  package init(
    id: String? = nil, path: String, depth: String? = nil, confidence: String? = nil,
    intrinsics: String? = nil
  ) {
    self.id = id ?? path
    self.path = path
    self.depth = depth
    self.confidence = confidence
    self.intrinsics = intrinsics
  }

  /// The capture of a line: a path, or an object with `path`, and maybe `id`, `depth`, `confidence`, `intrinsics`.
  ///
  /// Other fields of an object are the user's own.
  package init(line: [UInt8]) throws(ManifestDefect) {
    guard let text = String(validating: line, as: UTF8.self) else { throw .notText }
    guard !text.utf8.contains(0) else { throw .notText }
    guard text.hasPrefix("{") else {
      self.init(path: text)
      return
    }
    let fields: JSONValue
    do throws(JSONError) {
      fields = try JSONValue.parse(line)
    } catch {
      throw .notJSON("\(error)")
    }
    func string(_ name: String) throws(ManifestDefect) -> String? {
      guard let value = fields[name], !value.isNull else { return nil }
      guard let text = value.string, !text.isEmpty, !text.utf8.contains(0) else {
        throw .field(name, "a text")
      }
      return text
    }
    guard let path = try string("path") else { throw .field("path", "the picture's or capture's") }
    var intrinsics: String?
    if let numbers = fields["intrinsics"]?.numbers, !numbers.isEmpty {
      intrinsics = numbers.map { "\($0)" }.joined(separator: ",")
    } else {
      intrinsics = try string("intrinsics")
    }
    let (depth, confidence) = (try string("depth"), try string("confidence"))
    guard depth == nil || intrinsics != nil else {
      throw .field("intrinsics", "the camera of \"depth\": fx, fy, cx, cy or a file")
    }
    guard confidence == nil || depth != nil else { throw .field("depth", "that of \"confidence\"") }
    self.init(
      id: try string("id"), path: path, depth: depth, confidence: confidence, intrinsics: intrinsics)
  }
}

/// Why a line of a manifest names no capture.
package enum ManifestDefect: Error, Equatable, CustomStringConvertible {
  case notText
  case notJSON(String)
  case field(String, String)
  /// A capture before it has the same id, and other files.
  case idTaken(String)

  package var description: String {
    switch self {
    case .notText: "the line is not UTF-8 text; rename the file"
    case .notJSON(let reason): "the line begins with { but is not a JSON object: \(reason)"
    case .field(let name, let expected): "field \"\(name)\" must be \(expected)"
    case .idTaken(let id): "\(id): another capture before it has that id; give each an \"id\" of its own"
    }
  }
}

/// A list of captures, a line each, of any length: read once, a line at a time.
///
/// A capture that is given twice counts for nothing the second time, like an empty line. What tells is the list alone,
/// not what lies at its paths, so that all shards and `ardf merge` number its captures alike.
package struct Manifest {
  /// Bytes of a line.
  package static let longest = 1 << 20

  /// One of the shard's captures.
  package struct Capture: Sendable {
    /// Among all captures, from 0.
    package let number: Int
    package let entry: Result<ManifestEntry, ManifestDefect>
  }

  private let shard: Shard
  private var lines: LineReader
  private var known = KnownCaptures()
  /// Captures seen so far, those of other shards too.
  package private(set) var count = 0
  /// Lines so far that give a capture again, of any shard.
  package private(set) var repeats = 0
  /// The id of the first capture that is given again.
  package private(set) var firstRepeat: String?

  package init(_ pipe: InputPipe, shard: Shard) {
    self.shard = shard
    lines = LineReader(pipe, longest: Self.longest)
  }

  /// The next of the shard's captures; nil at the end.
  package mutating func next() throws(LineReader.Failure) -> Capture? {
    while let line = try lines.next() {
      guard let text = Self.content(of: line.bytes) else { continue }
      let entry: Result<ManifestEntry, ManifestDefect>
      do throws(ManifestDefect) {
        let found = try ManifestEntry(line: text)
        guard try known.add(found) else {
          repeats += 1
          firstRepeat = firstRepeat ?? found.id
          continue
        }
        entry = .success(found)
      } catch {
        entry = .failure(error)
      }
      defer { count += 1 }
      if shard.takes(capture: count) { return Capture(number: count, entry: entry) }
    }
    return nil
  }

  /// A line without what editors put around it; nil for an empty one, which counts for nothing.
  private static func content(of line: [UInt8]) -> [UInt8]? {
    var text = line[...]
    if text.starts(with: [0xef, 0xbb, 0xbf]) { text = text.dropFirst(3) }
    if text.last == UInt8(ascii: "\r") { text = text.dropLast() }
    return text.isEmpty ? nil : Array(text)
  }

  /// How many captures a file names that one shard takes.
  package static func count(_ path: String, shard: Shard = .whole) throws(LineReader.Failure) -> Int {
    let pipe: InputPipe
    do throws(FileError) {
      pipe = try InputPipe.list(path)
    } catch {
      throw .file(error)
    }
    var captures = Manifest(pipe, shard: shard)
    var total = 0
    while try captures.next() != nil { total += 1 }
    return total
  }
}

/// The captures of a list so far, in some 20 bytes each: hashes of their ids and of their other fields.
private struct KnownCaptures {
  private var contents: [UInt64: UInt32] = [:]

  /// Adds a capture; false where it is known.
  ///
  /// - Throws: `ManifestDefect.idTaken` where another one has its id.
  mutating func add(_ entry: ManifestEntry) throws(ManifestDefect) -> Bool {
    let path = Self.plain(entry.path)
    let content = Self.hash(
      [path] + [entry.depth, entry.confidence].map { $0.map(Self.plain) } + [entry.intrinsics])
    let short = UInt32(truncatingIfNeeded: content ^ content >> 32)
    let key = Self.hash([entry.id == entry.path ? path : entry.id])
    guard let other = contents[key] else {
      contents[key] = short
      return true
    }
    guard other == short else { throw .idTaken(entry.id) }
    return false
  }

  /// A path without the components that change nothing.
  private static func plain(_ path: String) -> String {
    let components = path.utf8.split(separator: UInt8(ascii: "/"))
    let kept = components.filter { !$0.elementsEqual(".".utf8) }
    return (path.hasPrefix("/") ? "/" : "") + kept.map { String(Substring($0)) }.joined(separator: "/")
  }

  /// A number for texts, the same in every process.
  private static func hash(_ texts: [String?]) -> UInt64 {
    var hash = FNV1a()
    for text in texts {
      // What no text holds parts one from the next.
      hash.add(text == nil ? 1 : 0)
      hash.add((text ?? "").utf8)
      hash.add(0)
    }
    return hash.hash
  }
}

extension ManifestDefect: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
