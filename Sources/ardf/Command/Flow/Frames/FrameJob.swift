import AppCore
import FileFormats
import Geometry
import Imaging
import NNRuntime
import OutputFolders
import Perception
import Reporting
import Sharding

/// The outcome of a run for one frame.
struct FrameRecord: Sendable {
  enum RecordOutcome: Sendable {
    /// Computed, with the lines for people and its times.
    case done(table: String, notes: [String], FrameTimes)
    /// Finished by an earlier run.
    case kept
    /// Computed, and left out because its objects did not change.
    case unchanged(FrameTimes)
    /// The frame's files are unreadable.
    case failed(String)
  }

  let outcome: RecordOutcome
  /// `summary.json`; nil for a frame that failed.
  let summary: JSONValue?
  /// COCO results, where that is the format.
  let coco: [JSONValue]
  /// The time of day at which it was taken, if known.
  var wallClock: String?
  /// `id` and run lengths of each mask, where they are asked for.
  var masks: [JSONValue]?

  /// A frame whose files are bad.
  static func failed(_ reason: String) -> FrameRecord {
    FrameRecord(outcome: .failed(reason), summary: nil, coco: [])
  }

  /// The line of a frame that failed before it had a place among results.
  ///
  /// `wallClock`: the time of day at which it arrived, if known.
  static func failedLine(_ bad: LeftOutInputs.Entry, at time: Double, _ wallClock: String?) -> JSONValue {
    var line: [String: JSONValue] = [
      "schema": "ardf.result/1", "source": .string(bad.source), "name": .string(bad.name),
      "timestamp": .number(time), "folder": .string(""), "summary": .null, "error": .string(bad.reason),
    ]
    if let wallClock { line["time"] = .string(wallClock) }
    return .object(line)
  }

  /// The frame's line on standard output: that of `results.jsonl`, with the masks that were asked for.
  func printedLine(of frame: RunFrame) -> JSONValue {
    var line = line(of: frame).object ?? [:]
    if let masks { line["masks"] = .array(masks) }
    return .object(line)
  }

  /// The frame's line of `results.jsonl`.
  func line(of frame: RunFrame) -> JSONValue {
    var line: [String: JSONValue] = [
      "schema": "ardf.result/1", "source": .string(frame.source.path), "name": .string(frame.reference.name),
      "timestamp": .number(frame.reference.timestamp), "folder": .string(frame.folder),
      "summary": summary ?? .null,
    ]
    if let wallClock { line["time"] = .string(wallClock) }
    if case .failed(let reason) = outcome { line["error"] = .string(reason) }
    return .object(line)
  }
}

extension RunFolder.Earlier {
  /// Why a frame with results is computed again.
  fileprivate var notes: [String] {
    switch self {
    case .nothing, .finished: []
    case .outdated: ["done again: its inputs, the options or the sequence have changed"]
    case .changed(let file): ["done again: \(file) was changed or removed since it was written"]
    }
  }
}

/// The times of a frame's stages.
struct FrameTimes: Sendable {
  let decoding: Duration
  let flow: PerceptionTimes
  let writing: Duration
}

/// Computes frames and writes their results.
struct FrameJob: Sendable {
  let perceiver: Perceiver
  let requests: [EffectRequest]
  let digest: RunDigest
  let format: DetectionFormat
  /// Whether run lengths of masks are printed.
  let printsMasks: Bool
  /// nil writes nothing.
  let folder: RunFolder?
  /// Written besides the usual files.
  let files: FrameFiles
  /// The camera poses of each source, by its path.
  let paths: NameTable<[FrameReport.Pose]>
  /// Gives objects identities from frame to frame; nil for none.
  let tracks: SequenceTracks?
  /// The filter that leaves unchanged frames of a stream out; nil where all are wanted.
  var change: SeenChange?
  /// Whether frames have the time of day.
  var hasTimeOfDay = false

  /// The same job for another thread pool, to run concurrently with this one.
  func running(on pool: ThreadPool) -> FrameJob {
    FrameJob(
      perceiver: perceiver.running(on: pool), requests: requests, digest: digest, format: format,
      printsMasks: printsMasks,
      folder: folder,
      files: files, paths: paths, tracks: tracks, change: change, hasTimeOfDay: hasTimeOfDay)
  }

  private var layout: ObjectTable.Layout {
    ObjectTable.Layout(
      columns: ObjectTable.measuredColumns(of: perceiver.detector.network), isTracked: tracks != nil,
      hasTime: hasTimeOfDay, keepsEmpty: change != nil)
  }

  /// The first line of a table of objects.
  var tableHeader: String { layout.header }

  /// The lines of a table that a line of `results.jsonl` makes.
  func tableLines(ofResult line: JSONValue) -> String {
    guard line["summary"]?.isNull == false else { return "" }
    return layout.lines(
      ObjectTable.rows(ofResult: line, isTracked: tracks != nil), source: line["source"]?.string ?? "",
      name: line["name"]?.string ?? "", timestamp: line["timestamp"], time: line["time"]?.string)
  }

  /// Computes a frame, or keeps the results of an earlier run.
  ///
  /// `tolerant`: records a frame whose files are bad instead of throwing.
  func record(of frame: RunFrame, tolerant: Bool) async throws -> FrameRecord {
    do {
      return try await record(of: frame)
    } catch {
      guard tolerant, let defect = FrameDefect(error) else { throw error }
      return .failed(defect.reason)
    }
  }

  private func record(of frame: RunFrame) async throws -> FrameRecord {
    let began = ContinuousClock.now
    let digest = try digest(of: frame)
    let earlier = folder?.earlier(frame, digest: digest) ?? .nothing
    if case .finished(let summary) = earlier {
      let coco = format == .coco ? try folder.flatMap { try document($0, frame).array } : nil
      return FrameRecord(
        outcome: .kept, summary: summary, coco: coco ?? [], masks: try folder.flatMap { try masks($0, frame) }
      )
    }
    return try await results(of: frame, digest: digest, since: began, notes: earlier.notes) {
      try folder?.open(frame)
    }
  }

  /// The digest of a frame, whose picture is read and not decoded for it.
  func digest(of frame: RunFrame) throws -> String {
    let picture = try frame.source.encodedPicture(at: frame.index)
    let undecoded = try frame.source.frame(at: frame.index, decodingImage: false)
    return digest.digest(of: undecoded, picture: picture?.bytes, source: frame.source.path)
  }

  /// Runs the flow on a frame, and draws and writes its files into the folder that `open` makes, if it makes one.
  ///
  /// - `began`: When work on the frame began.
  /// - `notes`: Notes on the frame besides those of the flow.
  func results(
    of frame: RunFrame, digest: String, since began: ContinuousClock.Instant, notes: [String] = [],
    open: () throws -> OutputFolder?
  ) async throws -> FrameRecord {
    let clock = ContinuousClock()
    let captured = try frame.source.frame(at: frame.index)
    let decoded = clock.now
    let source = frame.place.source
    let outcome = try await FrameOutcome(
      captured, perceiver, requests: requests,
      following: tracks.map { tracks in { tracks.followed($0, in: captured.image, source: source) } })
    if let change, !change.isNew(outcome.detections.detections) {
      return FrameRecord(
        outcome: .unchanged(
          FrameTimes(decoding: decoded - began, flow: outcome.times, writing: .zero)), summary: nil, coco: [])
    }
    let summary = outcome.summary(networks: perceiver.description(on: captured), digest: digest)
    let coco = format == .coco ? try COCOResults.entries(outcome.detections, image: frame.pictureId) : []
    let computed = clock.now
    if let output = try open() {
      let path = frame.source.path
      var report = FrameReport(outcome, perceiver: perceiver, capture: path, path: paths[path] ?? [])
      report.index = frame.indexPage
      try FrameWriter(folder: output, files: files).write(
        outcome, report: report, document: format == .coco ? .array(coco) : nil,
        threads: perceiver.measuringThreads)
      try output.write(summary, to: RunFolder.summary)
      if format == .csv, frame.folder.isEmpty {
        let line = FrameRecord(outcome: .kept, summary: summary, coco: []).line(of: frame)
        let table = tableHeader + tableLines(ofResult: line)
        try output.write(Array(table.utf8), to: RunFolder.table)
      }
      try output.commit()
    }
    let fusion = outcome.perceived.depth.fusion.map { ["fusion: \($0.line)"] } ?? []
    return FrameRecord(
      outcome: .done(
        table: extentTable(
          outcome.scene.extents, nothing: Perceived.nothingFound(outcome.perceived.surest)),
        notes: notes + fusion + outcome.notes,
        FrameTimes(decoding: decoded - began, flow: outcome.times, writing: clock.now - computed)),
      summary: summary, coco: coco,
      masks: printsMasks
        ? outcome.detections.detections.compactMap { detection in
          detection.mask.map { Self.entry(detection.id, DetectionsFile.runLengths($0)) }
        } : nil)
  }

  /// The masks that an earlier run wrote, if they are asked for.
  private func masks(_ folder: RunFolder, _ frame: RunFrame) throws -> [JSONValue]? {
    guard printsMasks else { return nil }
    return try document(folder, frame)["detections"]?.array?.compactMap { detection in
      guard let id = detection["id"]?.integer(in: DetectionsFile.ids), let mask = detection["mask"],
        !mask.isNull
      else { return nil }
      return Self.entry(id, mask)
    }
  }

  /// The detections of a finished frame, in whatever format.
  private func document(_ folder: RunFolder, _ frame: RunFrame) throws -> JSONValue {
    let path = folder.path(RunFolder.detections, of: frame)
    return try InFile.naming(path) {
      try JSONFile.read(path, wanted: "that of ardf run, or remove its folder and have the frame done again")
    }
  }

  private static func entry(_ id: Int, _ mask: JSONValue) -> JSONValue {
    .object((mask.object ?? [:]).merging(["id": .integer(id)]) { $1 })
  }
}
