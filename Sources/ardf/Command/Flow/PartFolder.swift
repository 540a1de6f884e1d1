import FileFormats
import OutputFolders
import Sharding

/// The folder that the shards of a job share: their parts and event logs, and with `--keep all` each frame's folder,
/// under a name that its inputs and options give it.
struct PartFolder: Sendable {
  private static let frames = "frames"
  /// What lies beside the folders of frames.
  private static let beside = ["part-*.jsonl", "events-*.jsonl"]

  let path: String
  let shard: Shard
  /// Where the part is worked on, if that is elsewhere.
  let stage: String?
  /// Whether each frame has a folder.
  let keepsFiles: Bool

  /// Refuses, before any work is done, a part that exists without `resume`, and a folder with other content.
  init(_ path: String, shard: Shard, stage: String?, resume: Bool, keepsFiles: Bool) throws {
    (self.path, self.shard, self.stage, self.keepsFiles) = (path, shard, stage, keepsFiles)
    if stage != nil, fileExists(part), !resume {
      throw CommandError.taken("\(part): already exists; pass --resume to continue it")
    }
    guard fileExists(path) else { return }
    let names = try OutputError.mapping { () throws(FileError) in try folderNames(of: path) }
    let isOurs =
      OutputRecord(of: path)?.isOfFolders
      ?? names.allSatisfy { AtomicOutputs.isTemporary($0) || PartName($0) != nil }
    guard isOurs else {
      throw CommandError.taken("\(path): holds something else than parts of a job; choose another --out")
    }
    let own = PartName.names(of: .part, among: names).first { $0.shard == shard }
    if let own, !resume {
      throw CommandError.taken("\(path)/\(own): already exists; pass --resume to continue it")
    }
  }

  /// Where the part is worked on, which is there only once `open` was called.
  var part: String { "\(stage ?? path)/\(PartName(.part, of: shard))" }

  /// Makes the folders, and opens the part and its log.
  func open() throws -> (part: PartFile, log: EventLog) {
    try OutputError.mapping { () throws(FileError) in
      if let stage {
        try Folders.create(stage)
        try Folders.create(path)
      } else {
        try OutputRecord.makeFolder(path, beside: Self.beside)
        if keepsFiles { try OutputRecord.makeFolder("\(path)/\(Self.frames)", beside: []) }
      }
    }
    removeLeftovers()
    let part = try PartFile(path: self.part)
    if stage != nil { try gather(into: part) }
    let log = try OutputError.mapping { () throws(FileError) in
      try EventLog(path: "\(stage ?? path)/\(PartName(.events, of: shard))")
    }
    return (part, log)
  }

  /// Removes what killed processes have left of frames, parts and records, wherever the job writes.
  private func removeLeftovers() {
    let frames = "\(path)/\(Self.frames)"
    let groups = keepsFiles ? ((try? folderNames(of: frames)) ?? []).map { "\(frames)/\($0)" } : []
    for folder in [path, frames] + groups + (stage.map { [$0] } ?? []) {
      AtomicOutputs.removeLeftovers(in: folder)
    }
  }

  /// Takes over what earlier processes of the shard have published.
  private func gather(into part: PartFile) throws {
    let names = try OutputError.mapping { () throws(FileError) in try folderNames(of: path) }
    for name in PartName.names(of: .part, among: names) where name.shard == shard {
      do {
        try StagedPart.gather([name], from: path, into: part)
      } catch let error as TornObject {
        Console.note("\(error.path): is not whole and left out; its frames are done again")
      }
    }
  }

  /// Copies a part that was worked on elsewhere; nil where there is nothing to copy.
  func publish() throws -> PartName? {
    guard stage != nil else { return nil }
    return try OutputError.mapping { () throws(FileError) in
      try StagedPart.publish(part, of: shard, to: path)
    }
  }

  // MARK: - Folders of frames

  /// The folder of a frame's files below the job's, by the digest of its inputs and options.
  static func name(ofFrame digest: String) -> String { "\(frames)/\(digest.prefix(2))/\(digest)" }

  /// The summary of a frame whose folder is there, made by whichever process from the same inputs and options.
  func finished(_ digest: String) -> JSONValue? {
    let folder = "\(path)/\(Self.name(ofFrame: digest))"
    guard keepsFiles, OutputRecord(of: folder) != nil,
      let summary = try? JSONValue.read(path: "\(folder)/\(RunFolder.summary)"),
      summary["digest"]?.string == digest
    else { return nil }
    return summary
  }

  /// The folder for a frame's files, to be committed when everything is in it; nil where none are kept.
  func open(_ digest: String) throws -> OutputFolder? {
    guard keepsFiles else { return nil }
    try OutputError.mapping { () throws(FileError) in
      try OutputRecord.makeFolder("\(path)/\(Self.frames)/\(digest.prefix(2))", beside: [])
    }
    return try OutputFolder(ofFrame: "\(path)/\(Self.name(ofFrame: digest))", force: false)
  }
}
