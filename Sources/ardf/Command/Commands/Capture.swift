import AppCore
import ArgumentParser
import FileFormats
import Geometry
import OutputFolders

/// `ardf capture`: checks captures and converts them to the native layout.
struct Capture: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Checks captures and converts them to the native layout.",
    discussion: Help.text(
      "Reads every layout that docs/reference/formats.md lists, and reports which it recognized.",
      ("Are units and axes sane?", "ardf capture check scan"),
      ("To the native layout", "ardf capture convert scan --out native")),
    subcommands: [Check.self, Native.self, Frames.self])

  /// `ardf capture check`.
  struct Check: ParsableCommand, LimitedCommand {
    static let configuration = CommandConfiguration(
      abstract: "Reports a capture's layout, units and axes, and checks them.",
      discussion: Help.text(
        "Ends with 1 where something looks wrong. A folder is a capture by the files in it: \(CaptureFormats.marks).",
        ("A capture of any layout", "ardf capture check scan"),
        (
          "A plain picture with depth and camera",
          "ardf capture check photo.jpg --depth-map photo-depth.png \\\n--intrinsics 1580,1580,960,720"
        )))

    @Argument(help: "What is checked: \(InputKinds.one), or a folder of pictures.")
    var source: String

    @OptionGroup(title: "Input") var picture: PictureDepthOptions
    @OptionGroup(title: "Input") var sensor: SensorOptions

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Output") var quiet: QuietOption
    @OptionGroup(title: "Output") var table: TableOptions

    @OptionGroup(title: "Limits") var limits: LimitOptions

    func run() throws {
      try MistakenInput.refuseAsSource(source)
      let capture = sensor.told(try picture.open(source, limits: limits.capture))
      let summary = try CaptureSummary(of: capture)
      try json ? Console.print(summary.json) : Console.print(text(summary))
      var unreadable = LeftOutInputs(unit: "frames")
      for frame in summary.unreadable { unreadable.add(frame.name, of: source, reason: frame.reason) }
      let lost = unreadable.add(lostOf: capture)
      for warning in summary.warnings where unreadable.isAny { Console.note(warning) }
      try unreadable.finish(of: summary.frames.count + summary.unreadable.count + lost)
      guard summary.warnings.isEmpty else {
        throw CommandError.checksFailed(summary.warnings)
      }
    }

    private func text(_ summary: CaptureSummary) -> String {
      var table = TextTable(
        ["frame", "time s", "picture", "depth", "valid", "least m", "median m", "greatest m", "orientation"],
        rightAligned: [1, 4, 5, 6, 7])
      for frame in summary.frames {
        let meters = frame.depthMeters
        table.add([
          frame.name, decimal(frame.timestamp, 3), "\(frame.imageSize.width)x\(frame.imageSize.height)",
          frame.depthSize.map { "\($0.width)x\($0.height)" } ?? "-", "\(decimal(100 * frame.validShare, 1))%",
          meters.map { decimal($0.least, 2) } ?? "-", meters.map { decimal($0.median, 2) } ?? "-",
          meters.map { decimal($0.greatest, 2) } ?? "-", "\(frame.orientation)",
        ])
      }
      var text = "layout \(summary.layout.rawValue): \(summary.layout.conventions)\n" + table.text
      for line in summary.notes { text += printableLine(line) + "\n" }
      for line in summary.cameraLines + summary.sensorLines + summary.companionLines { text += line + "\n" }
      if summary.frames.count > 1, summary.isPosed { text += "baseline \(decimal(summary.baseline, 3)) m\n" }
      if summary.isPosed, let reprojection = summary.reprojection {
        text +=
          "reprojection error of neighboring frames \(decimal(1000 * reprojection.medianError, 1)) mm "
          + "(median of \(summary.comparedFrames))\n"
      }
      let unit = summary.layout == .images ? "file" : "frame"
      for line in SkippedFrame.lines(summary.skipped, besides: summary.frames.count, unit: unit) {
        text += printableLine(line) + "\n"
      }
      return text
    }
  }

  /// `ardf capture convert`.
  struct Native: ParsableCommand, LimitedCommand {
    static let configuration = CommandConfiguration(
      commandName: "convert", abstract: "Writes a capture in the native layout, pictures unchanged.",
      discussion: Help.text(
        "Each frame becomes NNNNNN.json and the files that it names.",
        ("A whole capture", "ardf capture convert scan --out native"),
        (
          "A plain picture with depth and camera",
          "ardf capture convert photo.jpg --depth-map photo-depth.png \\\n--intrinsics 1580,1580,960,720 --out shot"
        )))

    @Argument(
      help:
        "What is converted: \(InputKinds.one), or a folder of pictures. Pictures need --depth-map and --intrinsics."
    )
    var source: String

    @OptionGroup(title: "Input") var picture: PictureDepthOptions
    @OptionGroup(title: "Input") var sensor: SensorOptions

    @Option(name: .shortAndLong, help: "Folder to write; must not exist yet.")
    var out: String

    @Flag(help: "Replace an existing --out.")
    var force = false

    @Flag(help: "Print what was written as JSON.")
    var json = false

    @OptionGroup(title: "Output") var quiet: QuietOption

    @OptionGroup(title: "Limits") var limits: LimitOptions

    func validate() throws { try OutputOptions.checkFolder(out, text: nil) }

    func run() throws {
      try MistakenInput.refuseAsSource(source)
      let capture = sensor.told(try picture.open(source, limits: limits.capture))
      try OutputConflict.check(
        out, against: [source, picture.depthMap, picture.confidenceMap].compactMap(\.self))
      try OutputPlace.checkFolder(out)
      AtomicOutputs.removeLeftovers(of: out)
      if !force, fileExists(out) { throw OutputError(error: .alreadyExists(path: out)) }
      var progress = Progress("frame", of: capture.frames.count)
      defer { progress.finish() }
      let bad: [SkippedFrame]
      do {
        bad = try NativeCaptureWriter.convert(capture, to: out, force: force) { progress.update($0) }
      } catch let error as FileError {
        throw OutputError(error: error)
      } catch CaptureError.unwritable(let reason) {
        throw CommandError.input(
          "\(source): cannot be written as a native capture: \(reason); --intrinsics FX,FY,CX,CY or --fov DEGREES "
            + "states the camera of plain pictures")
      }
      var leftOut = LeftOutInputs(unit: "frames")
      for frame in bad { leftOut.add(frame.name, of: source, reason: frame.reason) }
      let gaps = capture.skipped.filter { !$0.isUnnamed }
      for line in SkippedFrame.lines(gaps, besides: capture.frames.count) {
        Console.note("\(source): \(line)")
      }
      let lost = leftOut.add(lostOf: capture)
      Console.inform("\(out): \(counted(capture.frames.count - bad.count, "frame"))")
      if json {
        try Console.print([
          "schema": "ardf.written/1", "output": .string(out),
          "frames": .integer(capture.frames.count - bad.count),
        ])
      }
      try leftOut.finish(of: capture.frames.count + lost)
    }
  }
}
