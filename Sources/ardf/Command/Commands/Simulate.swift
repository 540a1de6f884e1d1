import AppCore
import ArgumentParser
import FileFormats
import OutputFolders

/// `ardf simulate`: the live loop on a virtual clock.
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs a script of frames, faults, heat and memory through the live loop.",
    discussion: Help.text(
      """
      Nothing is waited for: the clock is virtual, and the same script gives the same bytes. The trace lists every \
      event with its time in seconds, and a summary.
      """,
      ("A script's events", "ardf simulate script.json --out trace.json"),
      ("Its summary alone", "ardf simulate script.json | jq .summary")))

  @Argument(help: "The script, ardf.simulation/1.")
  var script: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("File for the trace, or - for standard output; must not exist yet.", valueName: "file")
  )
  var out = "-"

  @Flag(help: "Replace an existing --out.")
  var force = false

  @OptionGroup(title: "Output") var quiet: QuietOption

  func validate() throws { try OutputName.check(out, is: "json") }

  func run() throws {
    let file = try OutputFile(orStandardOutput: out, force: force, inputs: [script])
    let read = try InFile.naming(script) {
      try SimulationScript(json: JSONFile.read(script, wanted: "a script with schema ardf.simulation/1"))
    }
    let trace = Simulation(script: read).run()
    guard let file else { return try Console.print(trace) }
    try file.write(trace.serialized(pretty: true))
  }
}
