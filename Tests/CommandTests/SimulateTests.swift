import AppCore
import FileFormats
import Foundation
import TestSupport
import Testing

@Suite struct SimulateTests {
  static let script = """
    {"schema": "ardf.simulation/1", "duration": 0.2, "render": {"service": [0.04]},
     "arrivals": {"times": [0, 0.02, 0.038]}}
    """

  @Test func theTraceGoesToStandardOutputOrAFile() throws {
    let place = try TemporaryDirectory()
    try place.write(Self.script, to: "script.json")
    let shown = try CommandRun(["simulate", "script.json"], in: place.path)
    #expect(shown.status == 0)
    #expect(try shown.json()["schema"] == "ardf.simulation-trace/1")
    #expect(
      try shown.json()["summary"]?["frames"]
        == ["arrived": 3, "paced": 0, "dropped": 1, "shown": 2, "failed": 0, "inFlight": 0])
    let arguments = ["simulate", "script.json", "--out", "trace.json"]
    #expect(try CommandRun(arguments, in: place.path).status == 0)
    #expect(try String(contentsOfFile: place.file("trace.json"), encoding: .utf8) == shown.output)
    #expect(try CommandRun(arguments, in: place.path).status == 73, "an existing file is kept")
    #expect(try CommandRun(arguments + ["--force"], in: place.path).status == 0)
  }

  @Test func defectsOfTheScript() throws {
    let place = try TemporaryDirectory()
    try place.write(Self.script.replacingOccurrences(of: "0.2", with: "-1"), to: "script.json")
    let bad = try CommandRun(["simulate", "script.json"], in: place.path)
    #expect(bad.status == 65)
    let error = SimulationScriptError.field("duration", expected: "seconds from 0 to 86400")
    #expect(bad.error == "ardf: script.json: \(error)\n")
    #expect(try CommandRun(["simulate", "absent.json"], in: place.path).status == 66)
  }
}
