import FileFormats

/// A folder of rosbag2: `metadata.yaml`, and the files that the recording was split into.
enum BagFolder: CaptureFormat {
  static let marks = "\(BagRecording.metadata) with \(MCAPFile.ending) or \(SQLiteBag.ending) (ROS 2)"

  static func recognizes(_ folder: CaptureFolder, names: NameSet) -> Bool {
    names.contains(BagRecording.metadata) && !files(of: names.sorted).isEmpty
  }

  static func open(_ folder: CaptureFolder) throws(CaptureError) -> BagCapture {
    try open(folder, wanted: [], path: folder.path)
  }

  /// `wanted`: topics; see `BagCapture`.
  static func open(
    _ folder: CaptureFolder, wanted: [String], path: String
  ) throws(CaptureError) -> BagCapture {
    var files: [String] = []
    let all = Self.files(of: try folder.names())
    let meant = try Self.meant(all, in: folder)
    let taken = NameSet(meant)
    let notes = all.filter { !taken.contains($0) }.map {
      "\($0) is not part of the recording (\(BagRecording.metadata)), and is left out"
    }
    for name in meant {
      // Recordings are mapped, or read by the page.
      files.append(try folder.location(of: name, namedBy: BagRecording.metadata, limit: .max))
    }
    return try BagCapture(files: files, path: path, wanted: wanted, limits: folder.limits, notes: notes)
  }

  /// Those of the recording's files that its metadata list; where they list none of them, those of one kind: the other is
  /// the same recording, converted.
  private static func meant(_ files: [String], in folder: CaptureFolder) throws(CaptureError) -> [String] {
    let path = try folder.location(
      of: BagRecording.metadata, namedBy: BagRecording.metadata, limit: folder.limits.indexBytes)
    var listed: NameSet = []
    var isList = false
    for line in (try? FileBytes.contents(of: path)).map(TextFile.text)?
      .split(whereSeparator: \.isNewline) ?? []
    {
      let words = line.filter { !" \t\"'".contains($0) }
      if words.hasPrefix("-"), isList {
        listed.insert(lastComponent(String(words.dropFirst())))
      } else {
        isList = words == "relative_file_paths:"
      }
    }
    let found = files.filter(listed.contains)
    if !found.isEmpty { return found }
    return BagRecording.endings.lazy.map { ending in files.filter { hasEnding($0, ending) } }
      .first { !$0.isEmpty } ?? []
  }

  /// The recording's files; the numbers in their names are their order.
  private static func files(of names: [String]) -> [String] {
    names.filter { name in BagRecording.endings.contains { hasEnding(name, $0) } }
  }
}

/// A recording, and which of its topics are meant: `robot.mcap:/front/color,/front/depth`.
struct BagPath {
  let path: String
  /// Names of topics, or of what lies above them.
  let topics: [String]

  /// nil for a path that names no topics.
  init?(_ text: String) {
    guard pathKind(text) == nil else { return nil }
    let bytes = Array(text.utf8)
    for position in bytes.indices.dropLast() where bytes[position...].starts(with: Self.mark) {
      let path = String(decoding: bytes[..<position], as: UTF8.self)
      guard pathKind(path) != nil else { continue }
      self.path = path
      topics = String(decoding: bytes[(position + 1)...], as: UTF8.self).split(separator: ",").map {
        $0.utf8.last == UInt8(ascii: "/") ? String($0.dropLast()) : String($0)
      }
      return
    }
    return nil
  }

  private static let mark = Array(":/".utf8)
}
