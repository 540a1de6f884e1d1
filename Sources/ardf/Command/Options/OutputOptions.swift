import OutputFolders
import ArgumentParser

/// Where results go.
struct OutputOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("out")],
    help: ArgumentHelp("Folder for the results; must not exist yet.", valueName: "dir"))
  var given: String?

  @Flag(help: "Replace an existing --out, if ardf wrote it.")
  var force = false

  @Flag(help: "Print results as JSON to standard output, a line each where a command works on pictures.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print nothing but what is wrong and, with --json or --out -, results.")
  var quiet = false

  /// The folder's path, or `-`, which `--json` alone stands for.
  var out: String { given ?? OutputTarget.standardOutput }

  func validate() throws {
    Console.isQuiet = quiet
    guard given != nil || json else {
      throw ValidationError(
        "Missing expected argument '--out <dir>': a folder for the results, or - for standard output")
    }
  }

  /// Refuses `--json` without a folder, of a command that has something else for standard output.
  ///
  /// - Parameter content: What `--out -` writes.
  /// - Throws: `ValidationError`.
  func refuseJSONAlone(_ content: String) throws {
    guard !json || !isStandardOutput else {
      throw ValidationError(
        "--json tells what lies in a folder: give --out DIR; --out - without --json writes \(content)")
    }
  }

  /// The same as a plain value.
  var target: OutputTarget { OutputTarget(path: out, force: force, printsJSON: json, isQuiet: quiet) }

  /// Standard output in place of a folder.
  var isStandardOutput: Bool { target.isStandardOutput }

  /// The folder, refused now if it may not be written; nil for standard output.
  ///
  /// `inputs`: What the command reads.
  func folder(inputs: [String?]) throws -> OutputFolder? { try target.folder(inputs: inputs) }
}
