import AppCore
import FileFormats
import OutputFolders
import Sharding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A run that keeps one record per frame in its shard's part.
struct PartRun {
  let folder: PartFolder
  /// The job that computes frames; it has no folder, so that it writes files only where `PartRun` opens one.
  let job: FrameJob
  /// Number of bad inputs allowed; nil for any number, reported at the end.
  let budget: ErrorBudget?

  /// The outcome of one frame.
  private enum PieceOutcome: Sendable {
    /// The frame has a record from the same inputs and options.
    case kept
    case record(PartRecord, FrameRecord)
  }

  /// How a run ended.
  private struct Tally {
    var frames = 0
    /// Number of bad inputs by kind, kept records included.
    var failures: [String: Int] = [:]
    var failed: Int { failures.values.reduce(0, +) }

    /// `3 bad inputs (2 malformed, 1 missing)`.
    var text: String {
      let kinds = failures.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      return "\(counted(failed, "bad input")) (\(kinds.joined(separator: ", ")))"
    }
  }

  /// Computes the frames without a record.
  ///
  /// With `isInterruptible`, the first SIGINT or SIGTERM ends the run after the frames that have begun.
  func run(_ work: PartWork, workers: FrameWorkers, jobs: [FrameJob], isInterruptible: Bool) async throws {
    let (part, log, notes) = try folder.open()
    for note in notes { Console.note(note) }
    for line in part.damage.lines(of: part.path) { Console.inform(line) }
    log.write(.began, time: Self.now, began(work, part))
    if isInterruptible { Interruption.endFirst {} }
    var progress = BatchLog(total: work.total?.unit == "frames" ? work.total?.count : nil)
    var tally = Tally()
    var (work, budget) = (work, budget)
    let run = self
    try await workers.asCompleted {
      guard Interruption.endingSignal == nil, budget?.isSpent != true else { return nil }
      return try work.next()
    } work: { piece, worker in
      (piece, try await run.outcome(of: piece, job: jobs[worker], part: part, log: log))
    } deliver: { piece, outcome in
      if case .record(let record, let frame) = outcome {
        try part.append(record)
        progress.add(frame, of: job.perceiver)
        if let failure = record.failure {
          Console.note(
            failure.reason.hasPrefix(record.id) ? failure.reason : "\(record.id): \(failure.reason)")
          log.write(.failed, time: Self.now, ["at": .string("\(record.position)"), "id": .string(record.id)])
        }
      } else {
        progress.addKept()
      }
      let kind = part.failureKind(at: piece.position)
      tally.frames += 1
      if let kind { tally.failures[kind, default: 0] += 1 }
      budget?.add(isFailure: kind != nil)
    }
    progress.hide()
    try part.synchronize()
    let published = try folder.publish()
    Console.inform("records in \(published.map { "\(folder.path)/\($0)" } ?? part.path)")
    for line in progress.lines { Console.inform(line) }
    if let repeats = work.repeats { Console.note(repeats) }
    if Interruption.endingSignal == nil, tally.frames == 0, work.isOfEmptyList {
      throw CommandError.input("the list names no capture: nothing was done")
    }
    let verdict = verdict(tally, budget)
    log.write(.ended, time: Self.now, ["status": .integer(Int(verdict.status))])
    if let error = verdict.error { throw error }
  }

  private static var now: Double { Date().timeIntervalSince1970 }

  /// The log's fields for the start of a process.
  private func began(_ work: PartWork, _ part: PartFile) -> [String: JSONValue] {
    var fields: [String: JSONValue] = [
      "settings": .string(job.digest.settingsDigest), "records": .integer(part.count),
      "process": .integer(Int(ProcessInfo.processInfo.processIdentifier)),
    ]
    if let total = work.total { fields[total.unit] = .integer(total.count) }
    if let name = FileManager.default.contents(atPath: "/proc/sys/kernel/hostname") {
      fields["host"] = .string(String(decoding: name, as: UTF8.self).filter { !$0.isNewline })
    }
    return fields
  }

  // MARK: - A frame

  private func outcome(
    of piece: PartWork.Piece, job: FrameJob, part: PartFile, log: EventLog
  ) async throws -> PieceOutcome {
    let frame: RunFrame
    switch piece.frame {
    case .success(let found): frame = found
    case .failure(let defect): return failed(piece, defect, part)
    }
    var digest: String?
    do {
      let began = ContinuousClock.now
      let known = try job.digest(of: frame)
      digest = known
      if isDone(piece, digest: known, part) { return .kept }
      if let summary = folder.finished(known) {
        let kept = FrameRecord(outcome: .kept, summary: summary, coco: [])
        return .record(record(of: piece, frame, kept, digest: known), kept)
      }
      let at = JSONValue.string("\(piece.position)")
      log.write(.started, time: Self.now, ["at": at])
      let made = try await results(of: frame, digest: known, since: began, job: job)
      log.write(
        .done, time: Self.now,
        [
          "at": at, "id": .string(piece.id),
          "seconds": .rounded((ContinuousClock.now - began) / .seconds(1), decimals: 3),
        ])
      return .record(record(of: piece, frame, made, digest: known), made)
    } catch {
      guard let defect = FrameDefect(error) else { throw error }
      return failed(piece, defect, part, digest: digest)
    }
  }

  /// Whether there is a record from the same inputs and options.
  ///
  /// A record of a bad input counts, unless the system caused the failure.
  private func isDone(_ piece: PartWork.Piece, digest: String, _ part: PartFile) -> Bool {
    part.holds(piece.position, mark: PartRecord.mark(id: piece.id, digest: digest))
      && part.failureKind(at: piece.position) != FrameDefect.Kind.unreadable.rawValue
  }

  private func results(
    of frame: RunFrame, digest: String, since began: ContinuousClock.Instant, job: FrameJob
  ) async throws -> FrameRecord {
    do {
      return try await job.results(of: frame, digest: digest, since: began) { try folder.open(digest) }
    } catch let error as OutputError {
      // Another process may have made the same folder meanwhile.
      guard case .alreadyExists = error.error, let summary = folder.finished(digest) else { throw error }
      return FrameRecord(outcome: .kept, summary: summary, coco: [])
    }
  }

  private func record(
    of piece: PartWork.Piece, _ frame: RunFrame, _ made: FrameRecord, digest: String
  ) -> PartRecord {
    var content: NameTable<JSONValue> = [
      "source": .string(piece.source), "name": .string(frame.reference.name),
      "timestamp": .number(frame.reference.timestamp), "summary": made.summary ?? .null,
    ]
    if let masks = made.masks { content["masks"] = .array(masks) }
    if folder.keepsFiles { content["folder"] = .string(PartFolder.name(ofFrame: digest)) }
    return PartRecord(
      position: piece.position, id: piece.id, frames: piece.frames, digest: digest,
      settings: job.digest.settingsDigest, content: content)
  }

  /// - `digest`: of the frame, if it could be read.
  private func failed(
    _ piece: PartWork.Piece, _ defect: FrameDefect, _ part: PartFile, digest: String? = nil
  ) -> PieceOutcome {
    let name = try? piece.frame.get().reference.name
    let record = PartRecord(
      position: piece.position, id: piece.id, frames: piece.frames,
      digest: digest ?? job.digest.digest(of: defect, name: name ?? piece.source),
      settings: job.digest.settingsDigest,
      failure: defect.failure,
      content: [
        "source": .string(piece.source), "name": name.map(JSONValue.string) ?? .null, "timestamp": .null,
        "summary": .null,
      ])
    return part.holds(piece.position, mark: record.mark) ? .kept : .record(record, .failed(defect.reason))
  }

  // MARK: - The end

  /// The exit code of the process, for schedulers.
  private func verdict(_ tally: Tally, _ budget: ErrorBudget?) -> (status: Int32, error: (any Error)?) {
    if let signal = Interruption.endingSignal {
      Console.note("ended by a signal after \(counted(tally.frames, "frame")), of which there are records")
      let end = EndedBySignal(signal: signal)
      return (end.status, end)
    }
    guard tally.failed > 0 else { return (0, nil) }
    let text = "\(tally.text) of \(counted(tally.frames, "frame"))"
    let error: CommandError
    if let budget {
      guard budget.isExceeded else {
        Console.inform("\(text): within --max-errors \(budget.judgment)")
        return (0, nil)
      }
      let over = "\(text): more than --max-errors \(budget.judgment); records of all of them are kept"
      error =
        tally.failures[FrameDefect.Kind.unreadable.rawValue] == nil ? .overBudget(over) : .tryAgain(over)
    } else if tally.failures[FrameDefect.Kind.unreadable.rawValue] != nil {
      error = .tryAgain("\(text); run it again with --resume, the others are done")
    } else {
      error = .input("\(text); the others are done")
    }
    return (error.status.rawValue, error)
  }
}

extension PartDamage {
  /// Lines for people about content of a part other than records.
  func lines(of path: String) -> [String] {
    (torn > 0
      ? [
        "\(path): \(counted(torn, "byte of a record that was not finished is", "bytes of a record that was not finished are")) cut off"
      ] : [])
      + (lines > 0
        ? [
          "\(path): \(counted(lines, "line is not a record: it is", "lines are not records: they are")) skipped"
        ] : [])
  }
}
