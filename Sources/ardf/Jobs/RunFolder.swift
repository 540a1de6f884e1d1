import AppCore
import FileFormats
import OutputFolders
import Reporting

/// Where `run` writes: a folder per frame, each whole or absent, and beside them the files about all frames.
///
/// An old result of several frames that `--force` replaces stays until all frames of the new one are done.
package struct RunFolder: Sendable {
  package static let summary = "summary.json"
  package static let detections = ResultNames.detections
  package static let sequence = ResultNames.sequence
  package static let table = ResultNames.table

  /// An earlier run's results of a frame.
  package enum Earlier {
    /// Nothing, or nothing that may be kept.
    case nothing
    /// Results of other inputs or options.
    case outdated
    /// Results of which a file is gone or changed.
    case changed(file: String)
    /// Results of the same inputs and options.
    case finished(summary: JSONValue)
  }

  private let path: String
  private let force: Bool
  private let resume: Bool
  private let isSingle: Bool
  private let shard: Shard
  private let picture: String
  /// Folders that hold those of a source's frames.
  private let labels: [String]
  /// The folder that replaces an old result of several frames in the end.
  private let replacement: AtomicDirectory?

  /// Refuses what exists and may not be touched, before any work is done.
  ///
  /// - `frames`: Those of the shard.
  /// - `isSingle`: Whether there is one frame, whose results lie in the folder itself.
  /// - `inputs`: Paths of all that is read, which the folder may neither replace nor hold.
  /// - `picture`: The file of a frame's folder that the page over all frames shows.
  /// - Throws: `JobFolderError`, `OutputConflict`, `OutputError`.
  package init(
    _ path: String, force: Bool, resume: Bool, shard: Shard, frames: ArraySlice<RunFrame>, isSingle: Bool,
    inputs: [String], picture: String
  ) throws {
    self.path = path
    self.force = force
    self.picture = picture
    self.resume = resume
    self.shard = shard
    self.isSingle = isSingle
    labels = NameSet(frames.compactMap(\.label)).sorted
    try OutputConflict.check(path, against: inputs)
    try OutputPlace.checkFolder(path)
    AtomicOutputs.removeLeftovers(of: path)
    replacement = try OutputError.mapping { () throws(FileError) in
      guard !isSingle, force, fileExists(path) else { return nil }
      return try AtomicDirectory(path: path, force: true, foldersBeside: ResultNames.besideFrames)
    }
    guard replacement == nil else { return }
    if !force, !resume {
      // Other shards may be at work in the same folder.
      let taken = shard == .whole || isSingle ? [path] : frames.map(folder) + [results]
      if let taken = taken.first(where: fileExists) {
        throw JobFolderError.resultsExist(path: taken)
      }
    }
    guard fileExists(path) else { return }
    // With --resume changed frames are done again; without either option none is touched.
    try OutputError.mapping { () throws(FileError) in
      try OutputRecord.checkReplaceable(path, mendsChanges: resume || !force)
    }
    if let record = OutputRecord(of: path), record.isOfFolders == isSingle {
      throw JobFolderError.holdsOtherResults(folder: path, ofSeveral: isSingle)
    }
  }

  /// Makes the folder that holds the frames' folders; what killed runs left in it goes.
  package func begin() throws {
    guard !isSingle, replacement == nil else { return }
    try OutputError.mapping { () throws(FileError) in try makeFolder(path) }
    for folder in [""] + labels { AtomicOutputs.removeLeftovers(in: "\(path)/\(folder)") }
  }

  /// A folder of folders, as which it is known from the beginning.
  private func makeFolder(_ path: String) throws(FileError) {
    try OutputRecord.makeFolder(path, beside: ResultNames.besideFrames)
  }

  /// Finds an earlier run's results of a frame, from these inputs with these options or from others.
  package func earlier(_ frame: RunFrame, digest: String) -> Earlier {
    let folder = folder(frame)
    guard resume, let record = OutputRecord(of: folder) else { return .nothing }
    if let file = record.firstChange(in: folder) { return .changed(file: file) }
    guard let summary = try? JSONValue.read(path: "\(folder)/\(Self.summary)"),
      summary["digest"]?.string == digest
    else { return .outdated }
    return .finished(summary: summary)
  }

  /// The path of a file of a frame's results.
  package func path(_ name: String, of frame: RunFrame) -> String { "\(folder(frame))/\(name)" }

  /// The folder for a frame's results, to be committed when everything is in it.
  package func open(_ frame: RunFrame) throws -> OutputFolder {
    if let label = frame.label {
      try OutputError.mapping { () throws(FileError) in try makeFolder("\(base)/\(label)") }
    }
    return try OutputFolder(ofFrame: folder(frame), force: force || resume, mendsChanges: resume)
  }

  /// The file with a line of JSON for each frame, which appears when it is committed.
  package func lines() throws -> AtomicFileWriter {
    let results = results
    return try OutputError.mapping { () throws(FileError) in
      try AtomicFileWriter(path: results, overwrite: true)
    }
  }

  /// Writes the files about all frames: a line of JSON for each, with `detections` the COCO list, and with `rows` a
  /// table of all objects.
  package func finish(lines: [JSONValue], detections: [JSONValue]?, rows: String?) throws {
    guard !isSingle else { return }
    let writer = try self.lines()
    try OutputError.mapping { () throws(FileError) in
      for line in lines { try writer.append(Array((line.serialized() + "\n").utf8)) }
      try writer.commit()
    }
    try finish(frames: lines.map(RunIndexPage.Frame.init), detections: detections, rows: rows)
  }

  /// Writes the files about all frames other than their lines; the page over them is left to the run of the whole.
  package func finish(frames: [RunIndexPage.Frame], detections: [JSONValue]?, rows: String?) throws {
    let page = "\(base)/\(RunIndexPage.file)"
    let list = "\(base)/\(shard.fileName("detections", "json"))"
    let table = "\(base)/\(shard.fileName("results", "csv"))"
    try OutputError.mapping { () throws(FileError) in
      if shard == .whole {
        try AtomicFile.write(
          RunIndexPage(frames, picture: picture).html, to: page, overwrite: true)
      }
      if let rows { try AtomicFile.write(rows, to: table, overwrite: true) }
      if let detections {
        try AtomicFile.write(JSONValue.array(detections).serialized(pretty: true), to: list, overwrite: true)
      }
    }
  }

  /// Puts the objects of each sequence together, from the frames' folders.
  ///
  /// The file is the same whether these were just written or by earlier runs. Runs of a part of the frames leave it to
  /// the run of the whole.
  /// - `seen`: Reads the objects of a frame from its folder.
  /// - Returns: a line for people for each sequence.
  package func gatherSequences(
    of frames: [RunFrame], seen: (_ folder: String) throws -> [SeenObject]
  ) throws -> [String] {
    guard !isSingle, shard == .whole else { return [] }
    let sources = Dictionary(grouping: frames, by: { ByteName($0.source.path) }).values.filter {
      $0.count > 1 && $0[0].source.hasPoses
    }
    return try sources.sorted { ByteName($0[0].folder) < ByteName($1[0].folder) }.map { frames in
      let label = frames[0].label.map { $0 + "/" } ?? ""
      let done = frames.filter { fileExists("\(folder($0))/\(Self.summary)") }
      var sequence = SequenceObjects()
      for frame in done { sequence.add(try seen(folder(frame)), frame: frame.reference.name) }
      let name = "\(base)/\(label)\(Self.sequence)"
      try OutputError.mapping { () throws(FileError) in
        try AtomicFile.write(sequence.json.serialized(pretty: true), to: name, overwrite: true)
      }
      return "\(label)\(Self.sequence): \(sequence.line(frames: done.count))"
    }
  }

  /// Puts a whole new result in the place of the old one.
  package func commit() throws {
    try OutputError.mapping { () throws(FileError) in try replacement?.commit() }
  }

  /// Folders of frames, by their path below `--out`, that no longer belong to a whole run's `frames`.
  package func abandoned(by frames: [RunFrame]) -> [String] {
    guard resume, !isSingle, shard == .whole else { return [] }
    let wanted = Set(frames.map(\.folder))
    func below(_ prefix: String) -> [String] {
      ((try? folderNames(of: "\(path)/\(prefix)")) ?? []).flatMap { name -> [String] in
        let folder = prefix + name
        guard let record = OutputRecord(of: "\(path)/\(folder)") else { return [] }
        return record.isOfFolders ? below(folder + "/") : wanted.contains(folder) ? [] : [folder]
      }
    }
    return below("")
  }

  /// Where frames' folders are made.
  private var base: String { replacement?.temporaryPath ?? path }

  private var results: String { "\(base)/\(shard.fileName("results", "jsonl"))" }

  private func folder(_ frame: RunFrame) -> String {
    frame.folder.isEmpty ? base : "\(base)/\(frame.folder)"
  }
}
