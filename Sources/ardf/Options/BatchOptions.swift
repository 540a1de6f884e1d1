import ArgumentParser

/// How the frames of a run are shared out and gone on with.
struct BatchOptions: ParsableArguments {
  @Flag(
    help: """
      Go on in an existing --out: frames finished there with the same inputs and options are kept, the others are \
      done.
      """)
  var resume = false

  @Option(
    help: ArgumentHelp(
      "Do only part I of N of the frames, so that N processes or machines share the work in one --out.",
      valueName: "i/n"))
  var shard = Shard.whole

  func validate(_ output: OutputOptions) throws {
    if resume, output.isStandardOutput {
      throw ValidationError("--resume goes on in a folder; give one with --out DIR, not -")
    }
    if resume, output.force {
      throw ValidationError("--resume keeps finished results, --force replaces them; give one of the two")
    }
    if shard != .whole, output.force {
      throw ValidationError(
        "--force with --shard would replace the other shards' results; use --resume, or remove \(output.out) first"
      )
    }
  }
}

/// One of equal parts of the frames: each a stretch of neighbours, so that the parts' results, one after the other,
/// are those of a whole run.
struct Shard: ExpressibleByArgument, Equatable, CustomStringConvertible {
  static let whole = Shard(number: 1, count: 1)

  /// From 1 to `count`.
  let number: Int
  let count: Int

  private init(number: Int, count: Int) {
    self.number = number
    self.count = count
  }

  /// `i/n` with i from 1 to n.
  init?(argument: String) {
    let numbers = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 2, let number = numbers[0], let count = numbers[1], (1...100_000).contains(count),
      (1...count).contains(number)
    else { return nil }
    self.init(number: number, count: count)
  }

  var description: String { "\(number)/\(count)" }
  /// The whole work is shown by no default.
  var defaultValueDescription: String { "1/1" }

  /// This shard's positions among `total`.
  func positions(of total: Int) -> Range<Int> {
    total * (number - 1) / count..<total * number / count
  }

  /// A file's name with the shard in it, so that names sort as the shards do: `results.jsonl`,
  /// `results-03-of-12.jsonl`.
  func fileName(_ stem: String, _ ending: String) -> String {
    guard self != .whole else { return "\(stem).\(ending)" }
    let (digits, width) = (String(number), String(count).count)
    return "\(stem)-\(String(repeating: "0", count: width - digits.count))\(digits)-of-\(count).\(ending)"
  }
}
