import FileFormats
import ArgumentParser
import Sharding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How the frames of a run are shared out and gone on with, and what is kept of them.
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
      \"depth\", \"confidence\", \"intrinsics\"; - is standard input. However long it is, a process opens no more than \
      its shard's.
      """,
      valueName: "file|-"))
  var from: String?

  @Option(
    help: ArgumentHelp(
      """
      Keep a record a frame in --out/part-I-of-N.jsonl, which only grows, and of each frame nothing else (records), \
      its masks in the record (masks), or its files beside it (all).
      """))
  var keep: Kept?

  @Option(
    help: ArgumentHelp(
      """
      With --keep or --from: end with 0 though so many frames, or so many of a hundred, cannot be read, and stop with \
      10 when there are more. Without it all is done, and 65 says that some could not be read.
      """,
      valueName: "n|p%"))
  var maxErrors: ErrorBudget?

  @Option(
    help: ArgumentHelp(
      """
      With --keep records or masks: work in this folder of the machine's own disk, and copy the part to --out in one \
      piece in the end, where it is written once: for stores that can neither append nor rename.
      """,
      valueName: "dir"))
  var stage: String?

  /// The files kept of a frame besides its record.
  enum Kept: String, CaseIterable, ExpressibleByArgument {
    case records, masks, all
  }

  /// Whether there is a record a frame in a part, in place of lists that are written in the end.
  var keepsRecords: Bool { keep != nil || from != nil }

  /// The part of the work that is this process's.
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
      throw ValidationError("\(option) keeps records in files; give --out DIR, and leave --json out")
    }
    if output.force {
      throw ValidationError(
        "\(option): parts are gone on with (--resume) and never replaced; remove \(output.out) to begin anew")
    }
    if stage != nil, keep ?? .all == .all {
      throw ValidationError("--stage copies one file a shard: add --keep records or --keep masks")
    }
  }

  private func validateLists() throws {
    if maxErrors != nil || stage != nil {
      throw ValidationError(
        "\(maxErrors != nil ? "--max-errors" : "--stage") belongs to runs that keep a record a frame; add --keep records, "
          + "masks or all")
    }
  }
}

/// The value of `--shard`.
enum ShardChoice: ExpressibleByArgument, Equatable, CustomStringConvertible {
  case given(Shard)
  /// By a scheduler's index.
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

  /// The whole work is shown by no default.
  var defaultValueDescription: String { "1/1" }
}

extension ErrorBudget: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
}
