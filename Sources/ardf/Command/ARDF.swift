import ArgumentParser
import FileFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The root of the command line.
package struct ARDF: AsyncParsableCommand {
  /// The version of program and libraries: `--version`, the Debian package, traces and results all read it here.
  static let version = "0.2.0"

  package static let configuration = CommandConfiguration(
    commandName: "ardf",
    abstract: "Finds objects in iPhone captures, measures them and places effects on them.",
    discussion: Help.text(
      """
      Every stage reads and writes files, so that each can be replaced: run does detect, depth, fuse, place and \
      compose in one go. Weights are those of ./weights, $ARDF_WEIGHTS, or what ardf weights get has fetched.
      """,
      (
        "From a checkpoint and a capture to results/results.jpg",
        "ardf weights get yolo11n-seg"
      ),
      (nil, "ardf run scan --frame 0 --out results"),
      ("What is this capture?", "ardf capture check scan")),
    version: version,
    groupedSubcommands: [
      CommandGroup(
        name: "Measure",
        subcommands: [
          Demo.self, Run.self, Detect.self, Depth.self, Fuse.self, Place.self, Compose.self, Report.self,
          Serve.self, Replay.self, Capture.self,
        ]),
      CommandGroup(
        name: "Network",
        subcommands: [
          Weights.self, Convert.self, Inspect.self, Infer.self, Evaluate.self, Quantize.self,
        ]),
      CommandGroup(
        name: "Tool",
        subcommands: [
          Verify.self, Trace.self, Profile.self, Tune.self, Bench.self, Simulate.self, Soak.self,
        ]),
      CommandGroup(name: "Job", subcommands: [Status.self, Merge.self]),
    ])

  package init() {}
}

@main
enum Program {
  /// Runs the command in a task, while this thread waits for signals.
  ///
  /// An asynchronous `main` would not do: the thread that it parks takes every signal, blocked or not. Detached:
  /// the main actor belongs to this thread.
  static func main() {
    Interruption.block()
    TerminalWidth.checkEnvironment()
    // Swift reads /proc/self/cmdline; where that fails there is not even a name, and help is not what was asked for.
    guard CommandLine.argc > 0 else {
      Console.note("ardf: the command line cannot be read: too many open files, or no /proc")
      exit(ExitStatus.inputOutput.rawValue)
    }
    do throws(ResourcesError) {
      try LeastResources.check()
    } catch {
      ExitStatus.exit(with: error)
    }
    Task.detached {
      do {
        try CommandWords.check()
        let words = FieldWords.asked(Array(CommandLine.arguments.dropFirst()))
        HelpLayout.note(words)
        try CommandNames.refuseUnknown(words)
        try GivenOptions.refuseEmptyValues(in: words)
        let ours = try FieldWords.translated(words, subcommands: CommandNames.subcommands(of: words.first))
        var command = try ARDF.parseAsRoot(ours)
        try GivenOptions.check(command, ours)
        do {
          try await Parallel.$threads.withValue(CommandThreads.of(command)) {
            if var command = command as? any AsyncParsableCommand {
              try await command.run()
            } else {
              try command.run()
            }
          }
        } catch {
          throw LimitReached.naming(error, of: command)
        }
        exit(EXIT_SUCCESS)
      } catch {
        ExitStatus.exit(with: error)
      }
    }
    Interruption.handle()
  }
}
