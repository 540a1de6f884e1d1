import FileFormats
import FoundationEssentials
import Sharding
import TestSupport

extension ParserTarget {
  /// The files of a job that shards and schedulers write, and what a process of an array finds in its environment.
  static let jobs: [ParserTarget] = [
    ParserTarget("part", corpus: "Corpus/part", usesFiles: true) { bytes in
      try inFolder { folder in
        try read(folder, ["\(PartName(.part, of: .whole))": bytes])
        _ = try PartFile(path: "\(folder)/\(PartName(.part, of: .whole))").count
      }
    },
    ParserTarget("events", corpus: "Corpus/events", usesFiles: true) { bytes in
      try inFolder { folder in
        // Two shards, for what they add up to.
        var files: [String: [UInt8]] = [:]
        for number in 1...2 {
          guard let shard = Shard(number: number, of: 2) else { continue }
          files["\(PartName(.part, of: shard))"] = []
          files["\(PartName(.events, of: shard))"] = bytes
        }
        try read(folder, files)
      }
    },
    ParserTarget("captures-list", corpus: "Corpus/captures-list", usesFiles: true) { bytes in
      try inFolder { folder in
        let path = "\(folder)/list"
        try Data(bytes).write(to: URL(filePath: path))
        var manifest = Manifest(try InputPipe(path: path), shard: .whole)
        while let capture = try manifest.next() { _ = try capture.entry.get() }
        _ = try Manifest.count(path)
      }
    },
    ParserTarget("environment") { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      var environment: [String: String] = [:]
      for line in text.split(separator: "\n") {
        let words = line.split(separator: "=", maxSplits: 1)
        if words.count == 2 { environment[String(words[0])] = String(words[1]) }
      }
      _ = try Shard(ofArray: 8, environment: environment)
    },
  ]

  /// All that `ardf status` and `ardf merge` read.
  private static func read(_ folder: String, _ files: [String: [UInt8]]) throws {
    for (name, bytes) in files { try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)")) }
    let status = try JobStatus(of: folder)
    _ = (status.progress, status.secondsLeft, status.shards.map(\.left))
    let merged = try MergedParts(of: folder)
    _ = try merged.gaps(manifest: nil)
    try merged.write { _ in }
  }

  private static func inFolder(_ body: (String) throws -> Void) throws {
    let folder = try TemporaryDirectory()
    try body(folder.path)
  }
}
