import ArgumentParser
import FileFormats
import Sharding

/// `ardf status`: the progress of a job.
struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Tells how far the shards of a job are: done, failed and why, rate, time left, and what was slow.",
    discussion: Help.text(
      """
      Reads the parts and event logs in the --out of ardf run --keep or --from, on any machine that sees them; it \
      asks no running process. Parts written elsewhere (--stage) appear once they are copied, without times.
      """,
      ("A job's progress", "ardf status job"),
      ("What failed, and why", "ardf status job --failed"),
      ("For other programs", "ardf status job --json")))

  @Argument(help: "The --out of ardf run --keep or --from.")
  var job: String

  @Flag(help: "Print it as JSON.")
  var json = false

  @Flag(
    help: "List the frames that failed: where in the job, the capture's id, the kind of failure, and why.")
  var failed = false

  @OptionGroup(title: "Output") var quiet: QuietOption

  func run() throws {
    try JobFolder.check(job)
    let status = try JobStatus(of: job)
    if failed { return try list(status.failures) }
    if json { return try Console.print(status.document) }
    for line in status.lines { try Console.print(line: line) }
  }
}

/// The folder of a job.
enum JobFolder {
  /// Refuses a file.
  ///
  /// - Throws: `CommandError.input`.
  static func check(_ path: String) throws {
    guard pathKind(path) == .file else { return }
    throw CommandError.input("\(path): is not a folder; give the --out of ardf run --keep or --from")
  }
}

extension Status {
  private func list(_ failures: [JobStatus.FailedFrame]) throws {
    for frame in failures {
      let (failure, at) = (frame.failure, "\(frame.position)")
      guard json else {
        try Console.print(line: "\(at) \(frame.id): \(failure.kind): \(failure.reason)")
        continue
      }
      try Console.print(
        JSONValue.object([
          "at": .string(at), "id": .string(frame.id), "kind": .string(failure.kind),
          "reason": .string(failure.reason),
        ]).serialized())
    }
  }
}

extension JobStatus {
  /// The most shards that are listed one by one.
  private static let named = 5

  private var ended: [Progress] { shards.filter { $0.status != nil } }

  /// The shards with the most work left, where that is known.
  private var last: [Progress] {
    Array(shards.filter { $0.left > 0 }.sorted { $0.left > $1.left }.prefix(Self.named))
  }

  /// For people.
  package var lines: [String] {
    let attempts = shards.reduce(0) { $0 + $1.attempts }
    let failures = ended.filter { $0.status != 0 }
    var lines = [
      "\(counted(done + failed, "frame")): \(done) done, \(failed) failed"
        + (progress.map { "; \($0.done) of \($0.total) finished" } ?? "")
    ]
    let kinds = kinds.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    if !kinds.isEmpty {
      lines.append("failed: " + kinds.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
    }
    let count = missing.first?.count ?? shards.map(\.shard.count).max() ?? 0
    lines.append(
      "shards: \(count - missing.count) of \(count) begun, \(ended.count - failures.count) ended well, "
        + "\(failures.count) otherwise; \(counted(attempts, "process", "processes")), "
        + "\(counted(repeated, "frame")) begun more than once")
    if !missing.isEmpty {
      lines.append(
        "not begun: --shard " + missing.prefix(Self.named).map(\.description).joined(separator: ", ")
          + (missing.count > Self.named ? " and \(missing.count - Self.named) more" : ""))
    }
    for shard in failures.prefix(Self.named) {
      lines.append(
        "shard \(shard.shard) ended with \(shard.status ?? 0) after "
          + counted(shard.frames, "frame"))
    }
    if let rate {
      lines.append(
        "rate: \(counted(Int(clamping: (rate * 3600).rounded()), "frame")) an hour"
          + (secondsLeft.map { $0 > 0 ? ", \(Self.text(seconds: $0)) left" : "" } ?? ""))
    }
    for shard in last {
      lines.append("shard \(shard.shard): \(shard.countedDone) of \(shard.total ?? 0)")
    }
    // Of captures of one frame the id says all.
    let isSingle = slowest.allSatisfy { $0.position.frame == 0 }
    for frame in slowest {
      let place = isSingle ? "" : ", frame \(frame.position.frame)"
      lines.append("slow: \(frame.id)\(place), \(decimal(frame.seconds, 2)) s")
    }
    return lines + damage.lines(of: "parts")
  }

  private static func text(seconds: Double) -> String {
    let minutes = (seconds / 60).rounded(.up)
    return minutes < 100 ? "\(decimal(minutes, 0)) min" : "\(decimal(minutes / 60, 0)) h"
  }

  /// For programs: `ardf.status/1`.
  package var document: JSONValue {
    [
      "schema": "ardf.status/1", "done": .integer(done), "failed": .integer(failed),
      "errors": .object(kinds.mapValues(JSONValue.integer)),
      "progress": progress.map { ["done": .integer($0.done), "total": .integer($0.total)] } ?? .null,
      "framesPerHour": rate.map { .rounded($0 * 3600, decimals: 1) } ?? .null,
      "secondsLeft": .rounded(secondsLeft, decimals: 0),
      "begunMoreThanOnce": .integer(repeated),
      "notBegun": .array(missing.map { .string("\($0)") }),
      "shards": .array(
        shards.map { shard in
          [
            "shard": .string("\(shard.shard)"), "frames": .integer(shard.frames),
            "done": .integer(shard.countedDone), "total": shard.total.map(JSONValue.integer) ?? .null,
            "processes": .integer(shard.attempts), "status": shard.status.map(JSONValue.integer) ?? .null,
          ]
        }),
      "slowest": .array(
        slowest.map {
          [
            "at": .string("\($0.position)"), "id": .string($0.id),
            "seconds": .rounded($0.seconds, decimals: 3),
          ]
        }),
      "tornBytes": .integer(damage.torn), "linesWithoutRecord": .integer(damage.lines),
    ]
  }
}
