import ArgumentParser
import FileFormats
import OutputFolders

/// `ardf demo`: `ardf run` on the capture that comes with the program.
struct Demo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs everything on one frame of a real iPhone capture that comes with the program.",
    discussion: Help.text(
      """
      What ardf run does with a capture of yours: objects, masks, depth, distances, boxes, an effect; a results \
      picture, a page and a scene. Opens nothing and fetches nothing. The detector is not part of ardf, \
      because its license is AGPL-3.0: ardf weights get yolo11n-seg fetches it once (6 MB). Without depth weights \
      distances come from the LiDAR alone.
      """,
      ("Into the folder ardf-demo", "ardf demo"),
      ("With a detector that lies elsewhere", "ardf demo --yolo yolo11n-seg.pt --out demo")))

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Folder for the results; must not exist yet.", valueName: "dir"))
  var out = "ardf-demo"

  @Flag(help: "Replace an existing --out, if ardf wrote it.")
  var force = false

  @Option(
    help: ArgumentHelp(
      "YOLOv8, YOLO11 or YOLO26 weights, a file or a name such as yolo11n-seg.", valueName: "file"))
  var yolo: String?

  @Option(help: ArgumentHelp("Depth weights.", valueName: "file"))
  var depth: String?

  @Flag(help: "Print results as JSON to standard output.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print nothing but what is wrong and, with --json, results.")
  var quiet = false

  @OptionGroup var table: TableOptions

  func validate() throws {
    try OutputOptions.checkFolder(out)
    guard out != "-" else { throw ValidationError("--out -: the demo writes a folder; give its name") }
  }

  func run() async throws {
    try OutputPlace.checkFolder(out)
    guard force || !fileExists(out) else {
      throw CommandError.taken("\(out): already exists; pass --force to replace it, or give another --out")
    }
    guard let capture = DemoCapture.path else {
      throw CommandError.missing(
        "the capture of the demo does not lie beside this program (share/ardf/captures/bedroom); install ardf whole, or "
          + "give a capture or picture of yours: ardf run photo.jpg --out results")
    }
    let detector = try Self.detector(yolo)
    var arguments = [capture, "--yolo", detector, "--effect", "0=debugCube", "--out", out]
    if let depth { arguments += ["--depth", depth] }
    if force { arguments.append("--force") }
    if json { arguments.append("--json") }
    if quiet { arguments.append("--quiet") }
    if table.wide { arguments.append("--wide") }
    Console.isQuiet = quiet
    // The command line is what people repeat with files of their own.
    Console.inform("runs ardf run " + arguments.map(Self.quoted).joined(separator: " "))
    guard let run = try Run.parseAsRoot(arguments) as? Run else { return }
    try await run.run()
    if !json, !quiet { try Console.print(Self.whatIsThere(in: out)) }
  }

  /// The detector's weights as `ardf run` is given them.
  private static func detector(_ given: String?) throws -> String {
    if let given { return try WeightFiles.detector(given).name }
    do {
      return try WeightFiles.detector(nil).name
    } catch CommandError.noWeights {
      throw CommandError.noWeights(
        "the demo needs a detector, which is not part of ardf because its license is AGPL-3.0; fetch the smallest (6 MB) "
          + "and start again: ardf weights get yolo11n-seg && ardf demo; or give a file: ardf demo --yolo FILE "
          + "(looked in \(WeightFolders.text))")
    }
  }

  /// A word as a shell takes it.
  private static func quoted(_ word: String) -> String {
    let plain = word.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "/._-=+".utf8.contains(byte)
    }
    return plain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }

  private static func whatIsThere(in out: String) -> String {
    let folder = printableName(out)
    return """

      Results picture  \(folder)/results.jpg
      Page             \(folder)/report.html (open it in a browser: tap objects, read depths)
      Scene            \(folder)/scene.glb (glTF, any 3-D viewer), scene.json, points.ply
      As data          \(folder)/summary.json, objects.json

      Next: a photograph of yours     ardf run photo.jpg --out photo
            a scan of a LiDAR phone   ardf capture check scan && ardf run scan --frame 0 --out results
            the page, to place things ardf serve scan
            all commands              ardf --help

      """
  }
}
