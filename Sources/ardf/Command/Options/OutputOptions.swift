import ArgumentParser

/// Where results go.
struct OutputOptions: ParsableArguments {
  @Option(
    name: .shortAndLong, help: ArgumentHelp("Folder for the results; must not exist yet.", valueName: "dir"))
  var out: String

  @Flag(help: "Replace an existing --out, if ardf wrote it.")
  var force = false

  @Flag(help: "Print results as JSON to standard output, a line each where a command works on pictures.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print nothing but what is wrong and, with --json or --out -, results.")
  var quiet = false

  func validate() throws { Console.isQuiet = quiet }

  /// The same as a plain value.
  var target: OutputTarget { OutputTarget(path: out, force: force, printsJSON: json, isQuiet: quiet) }

  /// Standard output in place of a folder.
  var isStandardOutput: Bool { target.isStandardOutput }

  /// The folder, refused now if it may not be written; nil for standard output.
  ///
  /// `inputs`: What the command reads.
  func folder(inputs: [String?]) throws -> OutputFolder? { try target.folder(inputs: inputs) }
}
