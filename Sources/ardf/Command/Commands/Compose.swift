import AppCore
import ArgumentParser
import FileFormats
import OutputFolders

/// `ardf compose`: the results picture.
struct Compose: ParsableCommand, LimitedCommand {
  static let configuration = CommandConfiguration(
    abstract: "Draws the results picture: darkened, with bright objects, boxes, labels and wireframes.",
    discussion: Help.text(
      "Writes results.jpg, or results.png; --out - writes the picture to standard output.",
      (
        "The picture of what ardf detect and ardf place found",
        "ardf compose --detections objects/detections.json \\\n--objects placed/objects.json --capture scan --frame 0 --out picture"
      )))

  @Option(help: "detections.json of ardf detect.")
  var detections: String

  @Option(help: "objects.json of ardf place; without it labels have no distance.")
  var objects: String?

  @Option(help: "What they were found in: \(InputKinds.one).")
  var capture: String

  @Option(help: "Which frame of the capture, by name or position from 0.")
  var frame: String?

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Output") var format: PictureOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions

  func validate() throws { try output.refuseJSONAlone("the picture") }

  func run() throws {
    let selection = try FrameSelection(capture, frames: frame.map { [$0] } ?? [], limits: limits.capture)
    let captured = try selection.onlyFrame()
    let file = try Documents.detections(
      detections, of: captured, named: selection.onlyName, limits: limits.capture)
    let items = try items(file.detections)
    let folder = try output.folder(inputs: [capture, detections, objects])
    guard let picture = ResultsCompositor().compose(captured, items: items) else {
      throw CommandError.input("\(capture): frame \(captured.name) has no picture")
    }
    let bytes = try format.pictureFormat.encode(picture)
    let name = format.pictureFormat.file("results")
    guard let folder else {
      return try Console.write(bytes)
    }
    try folder.write(bytes, to: name)
    try folder.commit()
    output.tell(name)
    if output.json {
      try Console.print([
        "schema": "ardf.compose/1", "picture": .string(name), "objects": .integer(items.count),
      ])
    }
  }

  private func items(_ detections: [Detection]) throws -> [ResultsItem] {
    if let objects { return try Documents.items(detections, objects: objects, limits: limits.capture) }
    return detections.map { detection in
      ResultsItem(
        detection: detection,
        label: ObjectExtent.label(detection.className, confidence: detection.confidence, meters: nil),
        source: .none)
    }
  }
}
