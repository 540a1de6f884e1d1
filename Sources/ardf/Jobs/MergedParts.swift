import FileFormats

/// Why parts make no whole.
package enum MergeError: Error, Equatable, CustomStringConvertible {
  case noParts(folder: String)
  /// The newest records of frames were made with different weights or options.
  case severalSettings([String])
  /// There are records, and none was made with the weights and options that were chosen.
  case otherSettings(chosen: String, [String])
  /// Two files have records of one frame, made from different inputs with the same options.
  case contradiction(FramePosition, String, String)

  package var description: String {
    switch self {
    case .noParts(let folder):
      "\(folder): holds no part-...jsonl; give the --out of ardf run --keep or --from"
    case .severalSettings(let settings):
      "records were made with \(settings.count) sets of weights and options (\(settings.joined(separator: ", "))): run the "
        + "job to its end with one, or choose with --settings"
    case .otherSettings(let chosen, let settings):
      "no record was made with --settings \(chosen); choose one of those that records have: "
        + settings.joined(separator: ", ")
    case .contradiction(let position, let first, let second):
      "\(first) and \(second) differ on \(position): its input changed between two runs; remove the file that is out of date"
    }
  }
}

/// The records of all parts of a job in the order of the frames, each once.
package struct MergedParts {
  /// A record in its file.
  private struct Entry {
    let position: UInt64
    let mark: UInt64
    let offset: Int
    let length: Int32
    let file: Int32
    let settings: Int32
    let frames: Int32
    /// Hash of the capture's id.
    let id: UInt64
    let hasFailed: Bool
  }

  /// Missing shards, captures and frames.
  package struct Gaps: Equatable, Sendable {
    /// Shards that have left no part.
    package var shards: [Shard] = []
    package var captures = 0
    /// The first captures of which frames are missing, by number from 0.
    package var first: [Int] = []
    /// Captures that the manifest calls otherwise than their records do.
    package var renamed = 0
    /// Records of captures beyond the manifest's end.
    package var beyond = 0

    package init() {}
    package var isEmpty: Bool { self == Gaps() }
  }

  package private(set) var damage = PartDamage()
  package let parts: [PartName]
  private let paths: [String]
  private var entries: [Entry] = []

  package var count: Int { entries.count }
  package var failures: Int { entries.count(where: \.hasFailed) }

  /// Reads the parts of a folder.
  ///
  /// - `chosen`: The beginning of the settings' digest, where parts hold records of several.
  /// - Throws: `MergeError`, `TornObject`, `LineReader.Failure`, `FileError`.
  package init(of folder: String, settings chosen: String? = nil) throws {
    parts = PartName.names(of: .part, among: try folderNames(of: folder))
    guard !parts.isEmpty else { throw MergeError.noParts(folder: folder) }
    paths = parts.map { "\(folder)/\($0)" }
    var settings: [String] = []
    var others = NameSet()
    for (file, path) in paths.enumerated() {
      let found = try PartReader.forEach(in: path) { record, offset, length in
        if let chosen, !record.settings.hasPrefix(chosen) {
          others.insert(record.settings)
          return
        }
        var index = settings.lastIndex(of: record.settings)
        if index == nil {
          index = settings.count
          settings.append(record.settings)
        }
        entries.append(
          Entry(
            position: record.position.packed, mark: record.mark, offset: offset, length: Int32(length),
            file: Int32(file), settings: Int32(index ?? 0), frames: Int32(clamping: record.frames),
            id: Self.hash(record.id), hasFailed: record.failure != nil))
      }
      damage.torn += found.torn
      damage.lines += found.lines
    }
    try keepNewest()
    if let chosen, entries.isEmpty, !others.isEmpty {
      throw MergeError.otherSettings(chosen: chosen, others.sorted.map { String($0.prefix(12)) })
    }
    let left = Set(entries.map(\.settings))
    guard left.count <= 1 else {
      throw MergeError.severalSettings(left.sorted().map { String(settings[Int($0)].prefix(12)) })
    }
  }

  /// Keeps of each frame one record: the last in its file; of several files one, if they agree.
  private mutating func keepNewest() throws(MergeError) {
    entries.sort { ($0.position, $0.file, $0.offset) < ($1.position, $1.file, $1.offset) }
    var kept: [Entry] = []
    kept.reserveCapacity(entries.count)
    var start = 0
    while start < entries.count {
      var end = start + 1
      while end < entries.count, entries[end].position == entries[start].position { end += 1 }
      var newest: [Entry] = []
      for index in start..<end where index + 1 == end || entries[index + 1].file != entries[index].file {
        newest.append(entries[index])
      }
      // What one process could not read, another could.
      let first = newest.first { !$0.hasFailed } ?? newest[0]
      kept.append(first)
      // Records of other settings stay, so that they are found.
      for entry in newest where entry.mark != first.mark {
        guard entry.settings != first.settings else {
          throw .contradiction(
            FramePosition(packed: entry.position), parts[Int(first.file)].description,
            parts[Int(entry.file)].description)
        }
        kept.append(entry)
      }
      start = end
    }
    entries = kept
  }

  /// A number for a text, the same in every process.
  private static func hash(_ text: String) -> UInt64 {
    var hash = FNV1a()
    hash.add(text.utf8)
    return hash.hash
  }

  /// Finds missing records, as far as the parts tell; with a manifest, all of them.
  ///
  /// - Throws: `LineReader.Failure`.
  package func gaps(manifest: InputPipe?) throws -> Gaps {
    var gaps = Gaps()
    gaps.shards = Self.missingShards(parts)
    var captures: [(number: Int, id: UInt64, isWhole: Bool)] = []
    var start = 0
    while start < entries.count {
      let number = FramePosition(packed: entries[start].position).capture
      var end = start
      while end < entries.count, FramePosition(packed: entries[end].position).capture == number { end += 1 }
      captures.append((number, entries[start].id, end - start == Int(entries[start].frames)))
      start = end
    }
    func miss(_ numbers: Range<Int>) {
      gaps.captures += numbers.count
      gaps.first += numbers.prefix(5 - gaps.first.count)
    }
    var next = 0
    var lines = manifest.map { Manifest($0, shard: .whole) }
    var expected = 0
    while true {
      var entry: Manifest.Capture?
      if lines != nil {
        entry = try lines?.next()
        if entry == nil { break }
      } else if next >= captures.count {
        break
      }
      defer { expected += 1 }
      guard next < captures.count, captures[next].number == expected else {
        // Without a manifest all that is missing before the next is known at once, however much it is.
        let end = lines == nil ? captures[next].number : expected + 1
        miss(expected..<end)
        expected = end - 1
        continue
      }
      if !captures[next].isWhole { miss(expected..<expected + 1) }
      if case .success(let capture)? = entry?.entry, Self.hash(capture.id) != captures[next].id {
        gaps.renamed += 1
      }
      next += 1
    }
    gaps.beyond = captures.count - next
    return gaps
  }

  /// The shards without a part, of the count that is most nearly complete.
  package static func missingShards(_ parts: [PartName]) -> [Shard] {
    let present = Dictionary(grouping: parts, by: \.shard.count).mapValues { Set($0.map(\.shard.number)) }
    let nearest = present.min { ($0.key - $0.value.count, $0.key) < ($1.key - $1.value.count, $1.key) }
    guard let (count, numbers) = nearest else { return [] }
    return (1...count).compactMap { numbers.contains($0) ? nil : Shard(number: $0, of: count) }
  }

  /// Descriptors that are open at once.
  private static let mostOpen = 256
  private static let blockSize = 1 << 20

  /// Hands out the records' lines, in order and in blocks.
  package func write(_ output: ([UInt8]) throws -> Void) throws {
    var open: [Int32: Int32] = [:]
    defer { for descriptor in open.values { POSIX.closeDescriptor(descriptor) } }
    var block: [UInt8] = []
    for entry in entries {
      if open[entry.file] == nil {
        if open.count >= Self.mostOpen, let other = open.first {
          POSIX.closeDescriptor(other.value)
          open[other.key] = nil
        }
        open[entry.file] = try POSIX.openRegularFile(paths[Int(entry.file)]).descriptor
      }
      guard let descriptor = open[entry.file] else { continue }
      let path = paths[Int(entry.file)]
      let line = try POSIX.read(descriptor, at: entry.offset, count: Int(entry.length), path: path)
      guard line.count == Int(entry.length) else { throw FileError.changed(path: path) }
      block += line
      if block.count >= Self.blockSize {
        try output(block)
        block.removeAll(keepingCapacity: true)
      }
    }
    if !block.isEmpty { try output(block) }
  }
}

extension MergeError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    if case .noParts = self { .missingInput } else { .malformedInput }
  }
}
