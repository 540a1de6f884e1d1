import FileFormats
import Foundation
import TestSupport
import Testing

/// The helps, which people read first.
@Suite struct HelpTests {
  /// A command of the tree that `--experimental-dump-help` describes.
  private struct Verb {
    let path: [String]
    let abstract: String
    let examples: [String]
    /// All that stands below EXAMPLES, as it is printed.
    let exampleLines: [Substring]
    let isLeaf: Bool
  }

  private func verbs() throws -> [Verb] {
    let dump = try CommandRun(["--experimental-dump-help"]).json()
    func walk(_ command: JSONValue, _ path: [String]) -> [Verb] {
      let name = command["commandName"]?.string ?? ""
      guard name != "help", command["shouldDisplay"] != .bool(false) else { return [] }
      let children = command["subcommands"]?.array ?? []
      let discussion = command["discussion"]?.string ?? ""
      let lines = discussion.replacing("\\\n    ", with: "").split(separator: "\n")
      let verb = Verb(
        path: path + [name], abstract: command["abstract"]?.string ?? "",
        examples: lines.filter { $0.hasPrefix("  ardf ") || $0.hasPrefix("  env ") }.map {
          $0.dropFirst(2).description
        },
        exampleLines: Array(discussion.split(separator: "\n").drop { $0 != "EXAMPLES:" }),
        isLeaf: children.allSatisfy { $0["commandName"]?.string == "help" })
      return [verb] + children.flatMap { walk($0, path + [name]) }
    }
    return walk(try #require(dump["command"]), [])
  }

  @Test func everyVerbSaysWhatItDoesAndShowsAnExample() throws {
    let verbs = try verbs()
    #expect(verbs.count > 15)
    for verb in verbs {
      #expect(!verb.abstract.isEmpty, "\(verb.path)")
      #expect(!verb.examples.isEmpty, "\(verb.path)")
      // An example is about the verb that shows it, or, under a group, about one of its verbs.
      let name = verb.isLeaf ? verb.path : Array(verb.path.prefix(1))
      #expect(verb.examples.contains { $0.contains(name.joined(separator: " ")) }, "\(verb.path)")
    }
  }

  /// People ask in several places.
  @Test func aHelpIsAskedForInSeveralWays() throws {
    for (asked, ours) in [
      (["-h", "detect"], ["detect", "-h"]), (["--help", "detect", "p.png"], ["detect", "--help"]),
      (["-help", "detect"], ["detect", "--help"]), (["detect", "help"], ["detect", "--help"]),
      (["detect", "-help"], ["detect", "--help"]), (["help", "help"], ["--help"]),
      (["--help", "capture", "check"], ["capture", "check", "--help"]),
      (["capture", "help"], ["capture", "--help"]),
    ] {
      let run = try CommandRun(asked)
      #expect(run.status == 0, "\(asked): \(run.error)")
      #expect(try run.output == CommandRun(ours).output, "\(asked)")
    }
    #expect(try CommandRun(["-h"]).output != CommandRun(["-h", "detect"]).output)
  }

  /// A line that a terminal of 80 columns breaks cannot be copied: neither a command nor what it is for.
  @Test func examplesFitATerminal() throws {
    var count = 0
    for lines in try verbs().map(\.exampleLines) {
      for line in lines { #expect(line.count <= 78, "\(line)") }
      count += lines.count { $0.hasPrefix("  # ") }
    }
    #expect(count > 30)
  }

  /// Who reads a help wants what most people use; limits are for few.
  @Test func limitsComeBehindAllOtherOptions() throws {
    let limits = ["--max-pixels", "--max-frames", "--max-file", "--max-json"]
    var count = 0
    for verb in try verbs() where verb.isLeaf {
      let help = try CommandRun(verb.path.dropFirst() + ["--help"]).output
      let options = help.split(separator: "\n").filter { $0.hasPrefix("  -") }
      guard let first = options.firstIndex(where: { $0.contains(limits[0]) }) else { continue }
      count += 1
      let behind = options[first...].filter { option in
        !(limits + ["--version", "--help"]).contains { option.contains($0) }
      }
      #expect(behind.isEmpty, "\(verb.path)")
    }
    #expect(count >= 10)
  }

  /// Options that many commands have stand below one heading in all of them.
  @Test func optionsOfManyCommandsHaveTheirHeadings() throws {
    let headings = [
      "OUTPUT:": ["--out", "--force", "--json", "--quiet", "--report"],
      "COMPUTATION:": ["--precision", "--plan"],
      "INPUT:": ["--capture", "--frame"],
    ]
    var count = 0
    for verb in try verbs() where verb.isLeaf {
      var heading = ""
      for line in try CommandRun(verb.path.dropFirst() + ["--help"]).output.split(separator: "\n") {
        if line.wholeMatch(of: /[A-Z][A-Z ]*:/) != nil { heading = String(line) }
        guard line.hasPrefix("  -"), let name = line.firstMatch(of: /--[a-z-]+/)?.0,
          let wanted = headings.first(where: { $0.value.contains(String(name)) })?.key
        else { continue }
        count += 1
        let isOfMode = ["bench", "evaluate"].contains(verb.path.last ?? "") && heading == "DEPTH:"
        #expect(heading == wanted || isOfMode, "\(verb.path) \(name)")
      }
    }
    #expect(count > 80)
  }

  /// `-h` fits a terminal of 24 lines and 80 columns, and names every option.
  @Test func shortHelpIsAScreen() throws {
    for verb in try verbs() {
      let path = Array(verb.path.dropFirst())
      let short = try CommandRun(path + ["-h"])
      #expect(short.status == 0)
      let lines = short.output.split(separator: "\n", omittingEmptySubsequences: false)
      // `run` has more options than such a screen has room for names.
      #expect(lines.count <= (path == ["run"] ? 31 : 25), "\(path): \(lines.count)")
      #expect(lines.allSatisfy { $0.count <= 80 }, "\(path)")
      #expect(short.output.contains("--help says what each does"), "\(path)")
      guard verb.isLeaf else { continue }
      let full = try CommandRun(path + ["--help"]).output
      #expect(full.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(path)")
      let options = full.split(separator: "\n").compactMap { line in
        line.prefix(60).prefixMatch(of: /[ ]{2}(?:-[a-z], )?(--[a-z0-9-]+)/)
      }
      for option in options {
        #expect(short.output.contains(option.1), "\(path): \(option.1)")
      }
    }
  }

  @Test func helpHasHeadingsInOrder() throws {
    let headings = try CommandRun(["run", "--help"]).output.split(separator: "\n").filter {
      $0.wholeMatch(of: /[A-Z]+:/) != nil && $0 != "EXAMPLES:"
    }
    #expect(
      headings == [
        "ARGUMENTS:", "INPUT:", "DETECTOR:", "TRACKING:", "DEPTH:", "EFFECTS:", "OUTPUT:", "OPTIONS:",
        "JOBS:", "COMPUTATION:", "LIMITS:",
      ])
    let root = try CommandRun(["--help"]).output
    let groups = ["MEASURE", "NETWORK", "TOOL", "JOB"].compactMap {
      root.range(of: "\($0) SUBCOMMANDS:")?.lowerBound
    }
    #expect(groups.count == 4 && groups == groups.sorted())
  }

  @Test func unknownCommandsAreNamed() throws {
    let near = try CommandRun(["detekt", "bus.jpg"])
    #expect(near.status == 64)
    #expect(near.error.contains("no command \"detekt\"; did you mean detect?"))
    let far = try CommandRun(["frobnicate"])
    #expect(far.status == 64)
    #expect(far.error.contains("the commands are demo, run, detect"))
    #expect(try CommandRun(["help", "run"]).status == 0)
    let report = try CommandRun(["report"]).error.split(separator: "\n")
    #expect(report.contains { $0.hasPrefix("Usage: ardf report") } && report.allSatisfy { $0.count <= 80 })
  }

  /// In an empty folder an example fails for lack of its files, never because of its syntax.
  @Test func everyExampleIsUnderstood() throws {
    for example in try verbs().flatMap(\.examples) {
      let place = try TemporaryDirectory()
      let command = example.split(separator: " | ")[0].split(separator: " > ")[0]
      var words = command.split(separator: " ").map { $0.filter { $0 != "'" }.description }
      while words[0] != "ardf" { words.removeFirst() }
      let array = command.contains("auto/") ? ["SLURM_ARRAY_TASK_ID": "0"] : [:]
      words.removeFirst()
      if words[0] == "serve" { words = CommandRun.onAnyPort(words) }
      let run = try CommandRun(words, in: place.path, environment: array)
      #expect([0, 66].contains(run.status), "\(example): \(run.status) \(run.error)")
    }
  }
}
