import AppCore
import ArgumentParser
import FileFormats
import OutputFolders
import Reporting

/// `ardf report`: the page of a finished run, made again.
struct Report: ParsableCommand, LimitedCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes report.html again from a frame's results and its capture.",
    discussion: Help.text(
      """
      ardf run writes the page with the rest. This makes it from the files alone, after any of them was replaced; \
      such a page has no times. The page needs nothing else: no network, no other file.
      """,
      ("The page of results, made again", "ardf report results --capture scan --frame 0 --force")))

  @Argument(help: "The folder of a frame's results.")
  var results: String

  @Option(help: "The capture that they were made from.")
  var capture: String

  @Option(help: "Which frame of the capture, by name or position from 0.")
  var frame: String?

  @Option(name: .shortAndLong, help: "The page; report.html in the results' folder unless given.")
  var out: String?

  @Flag(help: "Replace an existing page.")
  var force = false

  @Flag(help: "Print what was written as JSON.")
  var json = false

  @OptionGroup(title: "Output") var quiet: QuietOption
  @OptionGroup(title: "Limits") var limits: LimitOptions

  func validate() throws {
    if let out { try OutputName.check(out, is: "html") }
  }

  func run() throws {
    let page = out ?? "\(results)/report.html"
    guard fileExists(results) else { throw FileError.missing(path: results) }
    guard pathKind(results) == .folder else {
      throw CommandError.input(
        "\(results): is not a folder; give the folder of a frame's results, as ardf run writes it")
    }
    if !FinishedFolder.exists(results),
      let frame = try folderNames(of: results).first(where: { FinishedFolder.exists("\(results)/\($0)") })
    {
      throw CommandError.input(
        "\(results): holds the results of several frames; give the folder of one: \(shellWord("\(results)/\(frame)"))"
      )
    }
    guard FinishedFolder.exists(results) else {
      throw CommandError.missing(
        "\(results): holds no results of a frame (detections.json, objects.json); give a folder that ardf run wrote"
      )
    }
    let file = try OutputFile(page, force: force, inputs: [capture])
    let selection = try FrameSelection(capture, frames: frame.map { [$0] } ?? [], limits: limits.capture)
    let folder = try FinishedFolder(results, of: selection, limits: limits.capture)
    let report = try folder.report(
      capture: capture, path: CameraPath.poses(of: selection.source))
    try file.write(ReportPage.html(report))
    if out == nil { try folder.keepRecord(of: ["report.html"]) }
    Console.inform("page in \(page): open it in a browser")
    if json { try Console.print(["schema": "ardf.written/1", "output": .string(page)]) }
  }
}
