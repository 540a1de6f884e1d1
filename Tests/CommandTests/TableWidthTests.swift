import FileFormats
import Foundation
import TestSupport
import Testing

/// Tables fit a terminal of 80 columns, and leave nothing out for it.
@Suite struct TableWidthTests {
  private static let commands: [[String]] = [
    ["run", "capture", "--force", "--out", "out"] + TinyNetwork.detectorOptions,
    ["capture", "check", "capture"],
    ["verify", "--weights", TinyNetwork.detector, "--against", "portable", "--size", "64x64"],
    ["profile", TinyNetwork.detector, "--size", "64x64", "-i", "2", "--top", "5"],
    ["inspect", "plan", TinyNetwork.detector, "--size", "64x64"],
    ["inspect", "weights", TinyNetwork.detector],
    ["inspect", "kernels"],
    ["inspect", "cpu"],
    ["weights", "list"],
  ]

  /// Lines of a table begin with a name that the header's first column stands over; sentences may be longer.
  private func rows(_ run: CommandRun) -> [Substring] {
    run.output.split(separator: "\n").filter { $0.contains("   ") || $0.hasPrefix("    ") }
  }

  private func words(_ run: CommandRun) -> [Substring] {
    run.output.split { $0 == " " || $0 == "\n" }.filter { $0.contains(where: \.isLetter) }.sorted()
  }

  @Test(arguments: commands) func rowsAreNoWiderThanATerminal(words: [String]) throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let narrow = try CommandRun(words, in: place.path)
    #expect(narrow.status < 2, "\(narrow.error)")
    for row in rows(narrow) {
      // A word without a blank is not broken.
      let longest = row.split(separator: " ").map(\.count).max() ?? 0
      #expect(row.count <= max(80, longest + 4), "\(row)")
    }
    let wide = try CommandRun(words + ["--wide"], in: place.path)
    #expect(wide.status < 2, "\(wide.error)")
    #expect(
      wide.output.split(separator: "\n").count <= narrow.output.split(separator: "\n").count)
    #expect(self.words(wide).count == self.words(narrow).count)
  }

  /// Every command whose help speaks of a table takes `--wide`; the demo prints that of `run`.
  @Test(arguments: [
    "run", "demo", "place", "capture check", "verify", "profile", "inspect plan", "inspect weights",
    "inspect kernels",
    "inspect cpu", "inspect operators", "weights list", "tune", "evaluate", "infer",
  ])
  func whoeverPrintsATableTakesWide(command: String) throws {
    let place = try TemporaryDirectory()
    let help = try CommandRun(command.split(separator: " ").map(String.init) + ["--help"], in: place.path)
    #expect(help.status == 0 && help.output.contains("--wide"), "\(command)")
  }

  /// A row of a plan takes two lines or three, and not one for each column of words.
  @Test func wordsShareLines() throws {
    let place = try TemporaryDirectory()
    let plan = ["inspect", "plan", TinyNetwork.detector, "--size", "64x64"]
    let narrow = try CommandRun(plan, in: place.path).output.split(separator: "\n")
    let wide = try CommandRun(plan + ["--wide"], in: place.path).output.split(separator: "\n")
    #expect(narrow.count < 3 * wide.count, "\(narrow.prefix(12))")
    #expect(narrow.contains { $0.hasPrefix("    algorithm | why") }, "\(narrow.prefix(6))")
  }

  /// Rows that fit are as they were.
  @Test func narrowTablesStay() throws {
    let place = try TemporaryDirectory()
    let narrow = try CommandRun(["inspect", "operators"], in: place.path)
    let wide = try CommandRun(["inspect", "operators", "--wide"], in: place.path)
    #expect(narrow.status == 0 && narrow.output == wide.output)
  }
}
