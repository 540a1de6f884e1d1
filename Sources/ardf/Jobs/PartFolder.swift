import FileFormats
import OutputFolders

/// The folder that the shards of a job share: their parts and event logs, and with `--keep all` each frame's folder,
/// under a name that its inputs and options give it.
package struct PartFolder: Sendable {
  private static let frames = "frames"
  /// Patterns of the files beside the folders of frames.
  private static let beside = ["part-*.jsonl", "events-*.jsonl"]

  package let path: String
  package let shard: Shard
  /// Where the part is worked on, if that is elsewhere.
  package let stage: String?
  /// Whether each frame has a folder.
  package let keepsFiles: Bool

  /// Refuses, before any work is done, a part that exists without `resume`, and a folder with other content.
  package init(_ path: String, shard: Shard, stage: String?, resume: Bool, keepsFiles: Bool) throws {
    (self.path, self.shard, self.stage, self.keepsFiles) = (path, shard, stage, keepsFiles)
    for folder in [path, stage].compactMap(\.self) { try OutputPlace.checkFolder(folder) }
    if stage != nil, fileExists(part), !resume {
      throw JobFolderError.partExists(path: part)
    }
    guard fileExists(path) else { return }
    let names = try OutputError.mapping { () throws(FileError) in try folderNames(of: path) }
    let isOurs =
      OutputRecord(of: path)?.isOfFolders
      ?? names.allSatisfy { AtomicOutputs.isTemporary($0) || PartName($0) != nil }
    guard isOurs else {
      throw JobFolderError.foreign(folder: path)
    }
    let own = PartName.names(of: .part, among: names).first { $0.shard == shard }
    if let own, !resume {
      throw JobFolderError.partExists(path: "\(path)/\(own)")
    }
  }

  /// Where the part is worked on, which is there only once `open` was called.
  package var part: String { "\(stage ?? path)/\(PartName(.part, of: shard))" }

  /// Makes the folders, and opens the part and its log.
  ///
  /// `notes`: lines for people, of published parts that are left out.
  package func open() throws -> (part: PartFile, log: EventLog, notes: [String]) {
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
    let notes = stage == nil ? [] : try gather(into: part)
    let log = try OutputError.mapping { () throws(FileError) in
      try EventLog(path: "\(stage ?? path)/\(PartName(.events, of: shard))")
    }
    return (part, log, notes)
  }

  /// Removes what killed processes have left of frames, parts and records, wherever the job writes.
  private func removeLeftovers() {
    let frames = "\(path)/\(Self.frames)"
    let groups = keepsFiles ? ((try? folderNames(of: frames)) ?? []).map { "\(frames)/\($0)" } : []
    for folder in [path, frames] + groups + (stage.map { [$0] } ?? []) {
      AtomicOutputs.removeLeftovers(in: folder)
    }
  }

  /// Adds the records that earlier processes of the shard have published.
  ///
  /// - Returns: a line for people for each part that is torn and left out.
  private func gather(into part: PartFile) throws -> [String] {
    var notes: [String] = []
    let names = try OutputError.mapping { () throws(FileError) in try folderNames(of: path) }
    for name in PartName.names(of: .part, among: names) where name.shard == shard {
      do {
        try StagedPart.gather([name], from: path, into: part)
      } catch let error as TornObject {
        notes.append("\(error.path): is not whole and left out; its frames are done again")
      }
    }
    return notes
  }

  /// Copies a part that was worked on elsewhere; nil where there is nothing to copy.
  package func publish() throws -> PartName? {
    guard stage != nil else { return nil }
    return try OutputError.mapping { () throws(FileError) in
      try StagedPart.publish(part, of: shard, to: path)
    }
  }

  // MARK: - Folders of frames

  /// The folder of a frame's files below the job's, by the digest of its inputs and options.
  package static func name(ofFrame digest: String) -> String { "\(frames)/\(digest.prefix(2))/\(digest)" }

  /// The summary of a frame whose folder is there, made by whichever process from the same inputs and options.
  package func finished(_ digest: String) -> JSONValue? {
    let folder = "\(path)/\(Self.name(ofFrame: digest))"
    guard keepsFiles, OutputRecord(of: folder) != nil,
      let summary = try? JSONValue.read(path: "\(folder)/\(RunFolder.summary)"),
      summary["digest"]?.string == digest
    else { return nil }
    return summary
  }

  /// The folder for a frame's files, to be committed when everything is in it; nil where none are kept.
  package func open(_ digest: String) throws -> OutputFolder? {
    guard keepsFiles else { return nil }
    try OutputError.mapping { () throws(FileError) in
      try OutputRecord.makeFolder("\(path)/\(Self.frames)/\(digest.prefix(2))", beside: [])
    }
    return try OutputFolder(ofFrame: "\(path)/\(Self.name(ofFrame: digest))", force: false)
  }
}
