import ArgumentParser
import FileFormats
import OutputFolders

/// Where results go.
struct OutputOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("out")],
    help: ArgumentHelp("Folder for the results; must not exist yet.", valueName: "dir"))
  var given: String?

  @Flag(help: "Replace an existing --out, if ardf wrote it.")
  var force = false

  @Flag(help: "Print results as JSON to standard output; of pictures, one line each.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print nothing but what is wrong and, with --json or --out -, results.")
  var quiet = false

  /// The folder's path, or `-`, which `--json` alone stands for.
  var out: String { given ?? OutputTarget.standardOutput }

  func validate() throws {
    Console.isQuiet = quiet
    if let given { try Self.checkFolder(given) }
    guard given != nil || json else {
      throw ValidationError(
        "Missing expected argument '--out <dir>': a folder for the results, or - for standard output")
    }
  }

  /// Refuses a name with the ending of a picture, a film or a table: the output is a folder, not such a file.
  ///
  /// - Parameters:
  ///   - path: The value of --out.
  ///   - text: The options with which the command prints its results as text, for the message; nil where it has none.
  /// - Throws: `ValidationError`.
  static func checkFolder(_ path: String, text: String? = "--out -") throws {
    guard let ending = OutputName.ending(of: path), let dot = path.lastIndex(of: "."), !fileExists(path)
    else {
      return
    }
    let remedy =
      if let text, OutputName.ofText.contains(ending) {
        "print results into the file with \(text) > \(shellWord(path)), or give a folder"
      } else if OutputName.ofFiles.contains(ending) || OutputName.ofText.contains(ending) {
        "give the folder's name, --out \(shellWord(String(path[..<dot])))"
      } else {
        ""
      }
    guard remedy.isEmpty else {
      throw ValidationError("--out \(path): results lie in a folder, and this is a file's name; \(remedy)")
    }
  }

  /// Prints the folder of the results, for commands that print nothing else about it.
  ///
  /// - Parameters:
  ///   - others: What else there is, in words.
  ///   - names: Files and folders that may be in it; those that are not are left out.
  func tell(after others: String? = nil, _ names: String...) {
    guard !isStandardOutput else { return }
    let written = [others].compactMap(\.self) + names.filter { fileExists("\(out)/\($0)") }
    Console.inform("results in \(out)" + (written.isEmpty ? "" : ": \(written.joined(separator: ", "))"))
  }

  /// Refuses `--json` without a folder, for commands that write something else to standard output.
  ///
  /// - Parameter content: The content that `--out -` writes.
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
  /// `inputs`: The paths that the command reads.
  func folder(inputs: [String?]) throws -> OutputFolder? { try target.folder(inputs: inputs) }
}
