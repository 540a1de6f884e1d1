import FileFormats
import ArgumentParser
import Sharding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The options of jobs: shards, resuming, and the files kept of each frame.
struct BatchOptions: ParsableArguments {
  @Flag(
    help: """
      Continue in an existing --out: frames finished there with the same inputs and options are kept, the others are \
      done.
      """)
  var resume = false

  @Option(
    name: .customLong("shard"),
    help: ArgumentHelp(
      """
      Do only part I of N, so that N processes or machines share the work in one --out. auto/N takes I from the array \
      of Slurm, Kubernetes, AWS Batch or GNU parallel that the process belongs to.
      """,
      valueName: "i/n|auto/n"))
  var shardChoice = ShardChoice.given(.whole)

  @Option(
    help: ArgumentHelp(
      """
      Captures by a list, in place of SOURCES: a line each, a path or an object with \"path\" and maybe \"id\", \
      \"depth\", \"confidence\", \"intrinsics\"; - is standard input. A process opens only the captures of its shard.
      """,
      valueName: "file|-"))
  var from: String?

  @Option(
    help: ArgumentHelp(
      """
      Append a record for each frame to --out/part-I-of-N.jsonl, and keep of the frame nothing else (records), \
      its masks in the record (masks), or its files beside it (all).
      """))
  var keep: Kept?

  @Option(
    help: ArgumentHelp(
      """
      With --keep or --from: exit with 0 if at most this many frames, or this share, cannot be read, and stop with \
      10 as soon as there are more. Without it all frames are tried, and the exit code is 65 if any could not be \
      read.
      """,
      valueName: "n|p%"))
  var maxErrors: ErrorBudget?

  @Option(
    help: ArgumentHelp(
      """
      With --keep records or masks: work in this folder on a local disk, and copy the finished part to --out in one \
      write: for storage that can neither append nor rename.
      """,
      valueName: "dir"))
  var stage: String?

  /// The files kept of a frame besides its record.
  enum Kept: String, CaseIterable, ExpressibleByArgument {
    case records, masks, all
  }

  /// Whether each frame's record is appended to a part, instead of lists written at the end.
  var keepsRecords: Bool { keep != nil || from != nil }

  /// The shard of this process.
  func shard() throws -> Shard {
    switch shardChoice {
    case .given(let shard): shard
    case .array(let count): try Shard(ofArray: count, environment: ProcessInfo.processInfo.environment)
    }
  }

  func validate(_ output: OutputOptions) throws {
    if resume, output.isStandardOutput {
      throw ValidationError("--resume continues in a folder; give one with --out DIR, not -")
    }
    if resume, output.force {
      throw ValidationError("--resume keeps finished results, --force replaces them; give one of the two")
    }
    if shardChoice != .given(.whole), output.force {
      throw ValidationError(
        "--force with --shard would replace the other shards' results; use --resume, or remove \(output.out) first"
      )
    }
    try keepsRecords ? validateRecords(output) : validateLists()
  }

  private func validateRecords(_ output: OutputOptions) throws {
    let option = keep == nil ? "--from" : "--keep"
    if output.isStandardOutput || output.json {
      throw ValidationError(
        "\(option) keeps records in files, not on standard output: "
          + (output.isStandardOutput ? "give --out DIR" : "leave --json out"))
    }
    if output.force {
      throw ValidationError(
        "\(option): parts are gone on with (--resume) and never replaced; remove \(output.out) to begin anew")
    }
    if stage != nil, keep ?? .all == .all {
      throw ValidationError("--stage copies one file per shard: add --keep records or --keep masks")
    }
  }

  private func validateLists() throws {
    if maxErrors != nil || stage != nil {
      throw ValidationError(
        "\(maxErrors != nil ? "--max-errors" : "--stage") belongs to runs that keep one record per frame; add --keep records, "
          + "masks or all")
    }
  }
}

/// The value of `--shard`.
enum ShardChoice: ExpressibleByArgument, Equatable, CustomStringConvertible {
  case given(Shard)
  /// The index comes from a scheduler.
  case array(count: Int)

  init?(argument: String) {
    let words = argument.split(separator: "/", omittingEmptySubsequences: false)
    if words.count == 2, words[0] == "auto" {
      guard let count = integer(of: words[1], in: 1...Shard.most) else { return nil }
      self = .array(count: count)
    } else {
      guard let shard = Shard(argument) else { return nil }
      self = .given(shard)
    }
  }

  var description: String {
    switch self {
    case .given(let shard): shard.description
    case .array(let count): "auto/\(count)"
    }
  }

  /// The default as the help shows it: one shard, all of the work.
  var defaultValueDescription: String { "1/1" }
}

extension ErrorBudget: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
}
