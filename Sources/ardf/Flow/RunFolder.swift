import AppCore
import FileFormats
import FoundationEssentials

/// Where `run` writes: a folder a frame, each whole or absent, and beside them what is said about all.
struct RunFolder: Sendable {
  static let summary = "summary.json"
  static let detections = "detections.json"
  static let sequence = "sequence-objects.json"

  private let path: String
  private let force: Bool
  private let resume: Bool
  private let isSingle: Bool
  private let shard: Shard

  /// Refuses what exists and may not be touched, before any work is done; nil for standard output.
  init?(_ output: OutputOptions, _ batch: BatchOptions, frames: ArraySlice<RunFrame>, isSingle: Bool) throws {
    guard !output.isStandardOutput else { return nil }
    path = output.out
    force = output.force
    resume = batch.resume
    shard = batch.shard
    self.isSingle = isSingle
    guard !force, !resume else { return }
    // Other shards may be at work in the same folder.
    let taken = shard == .whole || isSingle ? [path] : frames.map(folder) + [results]
    if let taken = taken.first(where: FileManager.default.fileExists) {
      throw CommandError.taken(
        "\(taken): already exists; pass --resume to go on where a run ended, --force to replace it")
    }
  }

  /// Makes the folder that holds the frames' folders, and removes what is to be replaced.
  func begin() throws {
    guard !isSingle else { return }
    try OutputError.mapping { () throws(FileError) in
      if force, FileManager.default.fileExists(atPath: path) {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder else {
          throw .notADirectory(path: path)
        }
        AtomicOutputs.remove(path)
      }
      try AtomicOutputs.makeFolder(path)
      // Until all frames are done again it would speak of others.
      AtomicOutputs.remove(results)
    }
  }

  /// What an earlier run wrote of a frame from the same inputs with the same options; nil if it must be done.
  func finished(_ frame: RunFrame, digest: String) -> JSONValue? {
    guard resume, let summary = try? JSONValue.read(path: "\(folder(frame))/\(Self.summary)"),
      summary["digest"]?.string == digest
    else { return nil }
    return summary
  }

  /// The COCO results of a finished frame.
  func finishedDetections(_ frame: RunFrame) throws -> [JSONValue] {
    let path = "\(folder(frame))/\(Self.detections)"
    return try InFile.naming(path) { try JSONValue.read(path: path).array ?? [] }
  }

  /// The folder for a frame's results, to be committed when everything is in it.
  func open(_ frame: RunFrame) throws -> OutputFolder {
    let folder = folder(frame)
    if let slash = frame.folder.lastIndex(of: "/") {
      try OutputError.mapping { () throws(FileError) in
        try AtomicOutputs.makeFolder("\(path)/\(frame.folder[..<slash])")
      }
    }
    AtomicOutputs.removeLeftovers(of: folder)
    return try OutputFolder(folder, force: force || resume)
  }

  /// Writes what is said about all frames: a line of JSON each, and with `detections` the COCO list.
  func finish(lines: [JSONValue], detections: [JSONValue]?) throws {
    guard !isSingle else { return }
    let (results, list) = (results, "\(path)/\(shard.fileName("detections", "json"))")
    try OutputError.mapping { () throws(FileError) in
      let writer = try AtomicFileWriter(path: results, overwrite: true)
      for line in lines { try writer.append(Array((line.serialized() + "\n").utf8)) }
      try writer.commit()
      if let detections {
        try AtomicFile.write(JSONValue.array(detections).serialized(pretty: true), to: list, overwrite: true)
      }
    }
  }

  /// Puts the objects of each sequence together, from the frames' folders.
  ///
  /// The file is the same whether these were just written or by earlier runs. Runs of a part of the frames leave it to
  /// the run of the whole.
  /// - Returns: a line for people for each sequence.
  func gatherSequences(of frames: [RunFrame]) throws -> [String] {
    guard !isSingle, shard == .whole else { return [] }
    let sources = Dictionary(grouping: frames, by: \.source.path).values.filter {
      $0.count > 1 && $0[0].source.layout != .images
    }
    return try sources.sorted { $0[0].folder < $1[0].folder }.map { frames in
      let label = frames[0].folder.lastIndex(of: "/").map { frames[0].folder[..<$0] + "/" } ?? ""
      let done = frames.filter { FileManager.default.fileExists(atPath: "\(folder($0))/\(Self.summary)") }
      var sequence = SequenceObjects()
      for frame in done { sequence.add(try seenObjects(in: folder(frame)), frame: frame.reference.name) }
      let name = "\(path)/\(label)\(Self.sequence)"
      try OutputError.mapping { () throws(FileError) in
        try AtomicFile.write(sequence.json.serialized(pretty: true), to: name, overwrite: true)
      }
      return "\(label)\(Self.sequence): \(sequence.line(frames: done.count))"
    }
  }

  private func seenObjects(in folder: String) throws -> [SeenObject] {
    let file = "\(folder)/objects.json"
    return try InFile.naming(file) {
      try SeenObject.objects(of: JSONValue.read(path: file)) { id in
        try FrameWriter.readPoints("\(folder)/\(FrameWriter.points(ofObject: id))")
      }
    }
  }

  private var results: String { "\(path)/\(shard.fileName("results", "jsonl"))" }

  private func folder(_ frame: RunFrame) -> String {
    frame.folder.isEmpty ? path : "\(path)/\(frame.folder)"
  }
}
