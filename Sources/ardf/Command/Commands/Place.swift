import AppCore
import ArgumentParser
import FileFormats
import OutputFolders

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `ardf place`: measures objects and places effects on them.
struct Place: ParsableCommand, LimitedCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures detected objects and places effects on them.",
    discussion: Help.text(
      """
      Writes objects.json, scene.json, scene.glb and points.ply. Ends with 1 where an effect could not be placed.
      """,
      (
        "Distances and sizes of what ardf detect found",
        "ardf place --detections objects/detections.json --capture scan \\\n--frame 0 --out placed"
      ),
      (
        "With fused depth, and an effect on the object at a pixel",
        "ardf place --detections objects/detections.json --capture scan \\\n--frame 0 --fusion fused --tap 800,500=smoke --out smoke"
      )))

  @Option(help: "detections.json of ardf detect.")
  var detections: String

  @Option(help: "What they were found in: \(InputKinds.one).")
  var capture: String

  @Option(help: "Which frame of the capture, by name or position from 0.")
  var frame: String?

  @OptionGroup(title: "Input") var picture: PictureDepthOptions
  @OptionGroup(title: "Input") var sensor: SensorOptions

  @Option(
    help: ArgumentHelp(
      "Folder of ardf fuse, for objects with few depth readings, or of ardf depth with a metric network.",
      valueName: "dir"))
  var fusion: String?

  @OptionGroup(title: "Effects") var effects: EffectOptions
  @OptionGroup(title: "Output") var export: SceneExportOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Output") var table: TableOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions

  func run() throws {
    let selection = try FrameSelection(capture, frames: frame.map { [$0] } ?? []) {
      sensor.told(try picture.open($0, limits: limits.capture))
    }
    let captured = try selection.onlyFrame()
    let file = try Documents.detections(
      detections, of: captured, named: selection.onlyName, limits: limits.capture)
    if let fusion { try Documents.checkSummary(in: fusion, isOf: selection.onlyName) }
    let folder = try output.folder(
      inputs: [capture, detections, fusion, picture.depthMap, picture.confidenceMap])
    let metric = try metric(of: captured)
    // A folder without a fit is a metric network's.
    let isFitted = fusion.map { FileManager.default.fileExists(atPath: "\($0)/fusion.json") } ?? false
    let depth = FrameDepth(metric, isFitted: isFitted)
    let scene = PlacedScene(
      depth.extents(of: file.detections, in: captured, threads: ProcessorShare.threads),
      of: file.detections, requests: try effects.requests())
    if let folder {
      var files = FrameFiles()
      export.add(to: &files)
      try FrameWriter(folder: folder, files: files).write(
        scene, frame: captured, fused: depth.metric)
      try folder.commit()
    }
    if folder == nil || output.json {
      try Console.print(ObjectExtent.json(scene.extents))
    } else if !output.quiet {
      try Console.print(extentTable(scene.extents))
    }
    output.tell("objects.json", "scene.json")
    guard scene.refused.isEmpty else {
      throw CommandError.checksFailed(scene.refused)
    }
  }

  private func metric(of frame: CapturedFrame) throws -> MetricDepth? {
    guard let fusion else { return nil }
    guard pathKind(fusion) != .file else {
      let folder = fusion.lastIndex(of: "/").map { String(fusion[..<$0]) } ?? "."
      throw CommandError.input(
        "\(fusion): is a file; give the folder of ardf fuse or ardf depth: --fusion \(shellWord(folder))")
    }
    let path = "\(fusion)/metric.npy"
    if !FileManager.default.fileExists(atPath: path) {
      let report = "\(fusion)/fusion.json"
      guard !fileExists(fusion) || fileExists(report) else {
        throw CommandError.missing(
          "\(fusion): holds neither metric.npy nor fusion.json; give the folder of ardf fuse, or of ardf depth with a "
            + "metric network")
      }
      let document = try InFile.naming(report) {
        try JSONFile.read(report, wanted: "fusion.json, which ardf fuse and ardf run write")
      }
      guard let status = document["status"]?.string, status != FusionStatus.ok.rawValue else {
        throw FileError.missing(path: path)
      }
      Console.note("\(report): \(status): using the depth sensor alone")
      return nil
    }
    return try Documents.metric(in: fusion, of: frame)
  }
}
