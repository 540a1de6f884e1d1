import ArgumentParser
import FileFormats
import OutputFolders
import Sharding

/// `ardf merge`: the records of all shards, in order.
struct Merge: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Puts the parts of a job together: the records of all shards, each once, in the order of the captures.",
    discussion: Help.text(
      """
      Reads the part-I-of-N.jsonl that ardf run --keep and --from write, whichever machines wrote them and however often \
      they were stopped, and writes the bytes that a single run's parts give. Of a frame that was done again, the newest \
      record counts. Without all parts, or with a capture missing, nothing is written and the exit code is 1; with \
      --from, captures missing at the end of the list are noticed too. Nothing is computed.
      """,
      ("The records of a job", "ardf merge job --out records.jsonl"),
      (
        "With a check that nothing of the list is missing",
        "ardf merge job --from photos.txt --out records.jsonl --force"
      ),
      ("What there is so far", "ardf merge job --partial --out - | jq -r .id")))

  @Argument(help: "The --out of ardf run --keep or --from.")
  var job: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("File for the records; by default, and with -, standard output.", valueName: "file"))
  var out = "-"

  @Flag(help: "Replace an existing --out, if ardf wrote it.")
  var force = false

  @Option(
    help: ArgumentHelp(
      "The list that the job was given: every capture of it must be there.", valueName: "file|-"))
  var from: String?

  @Flag(help: "Write the rest where parts are missing.")
  var partial = false

  @Option(
    help: ArgumentHelp(
      "Only records made with these weights and options, given by the first digits of their field settings.",
      valueName: "digits"))
  var settings: String?

  @OptionGroup(title: "Output") var quiet: QuietOption

  func validate() throws {
    try OutputName.check(out, is: "jsonl")
    guard let settings else { return }
    guard !settings.isEmpty, settings.allSatisfy({ $0.isASCII && $0.isHexDigit && !$0.isUppercase }) else {
      throw ValidationError(
        "--settings \(settings): give the first digits of the field settings of a record, 0 to 9 and a to f")
    }
  }

  func run() throws {
    let file = try OutputFile(
      orStandardOutput: out, force: force, inputs: [from].filter { $0 != "-" }
    ) { PartRecord(line: $0) != nil }
    try JobFolder.check(job)
    let merged = try MergedParts(of: job, settings: settings)
    let manifest = try from.map { try InputPipe.list($0) }
    let gaps = try merged.gaps(manifest: manifest)
    guard merged.count > 0 || partial || !gaps.isEmpty else {
      throw CommandError.checkFailed(
        "\(job): its parts hold no record; run the job again with --resume, or write what there is with --partial"
      )
    }
    if !gaps.isEmpty {
      guard partial else { throw CommandError.checksFailed(gaps.lines(of: job, hasManifest: from != nil)) }
      for line in gaps.lines(of: job, hasManifest: from != nil) { Console.note(line) }
    }
    if let file {
      try file.writing { path, overwrite in
        let writer = try AtomicFileWriter(path: path, overwrite: overwrite)
        try merged.write { try writer.append($0) }
        try writer.commit()
      }
    } else {
      try merged.write { try Console.write($0) }
    }
    for line in merged.damage.lines(of: job) { Console.note(line) }
    Console.inform(
      "\(counted(merged.count, "record")) of \(counted(merged.parts.count, "part"))"
        + (merged.failures > 0 ? ", \(merged.failures) of them of bad inputs" : ""))
  }
}

extension MergedParts.Gaps {
  fileprivate func lines(of job: String, hasManifest: Bool) -> [String] {
    var lines: [String] = []
    if let first = shards.first {
      lines.append(
        "\(job): \(shards.count) of \(counted(first.count, "shard")) left no part: --shard "
          + shards.prefix(5).map(\.description).joined(separator: ", ") + (shards.count > 5 ? ", ..." : ""))
    }
    if captures > 0 {
      lines.append(
        "\(job): \(counted(captures, "capture is", "captures are")) missing or incomplete, by number from 0: "
          + first.map(String.init).joined(separator: ", ") + (captures > first.count ? ", ..." : "")
          + "; run the job again with --resume, or write what there is with --partial")
    }
    if renamed > 0 {
      lines.append(
        "\(job): \(counted(renamed, "capture is another", "captures are others")) than the list has there")
    }
    if beyond > 0 {
      lines.append(
        hasManifest
          ? "\(job): \(counted(beyond, "capture is", "captures are")) of a longer list than --from"
          : "\(job): \(counted(beyond, "capture has a number", "captures have numbers")) that no other part leaves room for"
      )
    }
    return lines
  }
}
