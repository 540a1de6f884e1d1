import AppCore
import ArgumentParser
import FileFormats
import Geometry
import Imaging

/// `ardf detect`: YOLO11-seg.
struct Detect: AsyncParsableCommand, LimitedCommand {
  static let configuration = CommandConfiguration(
    abstract: "Finds objects and their masks with YOLO11-seg.",
    discussion: Help.text(
      """
      Writes detections.json, masks/NNN.png and annotated.png. Boxes and masks are in the pixels of the picture as \
      it is stored; a picture stored sideways is detected upright.
      """,
      ("What is in a picture?", "ardf detect bus.jpg --conf 0.25 --out found"),
      ("COCO results of a folder of pictures", "ardf detect pictures --format coco --out found-coco"),
      (
        "Names only",
        "ardf detect bus.jpg --out - | jq -r '.detections[].className'"
      )))

  @Argument(help: "A picture, a folder of pictures, a capture or a sequence.")
  var source: String

  @Option(help: "Only this frame, by name or position from 0. Repeatable.")
  var frame: [String] = []

  @OptionGroup var detector: DetectorOptions
  @OptionGroup var compute: ComputeOptions
  @OptionGroup var format: FormatOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions

  func run() throws {
    let selection = try FrameSelection(source, frames: frame, limits: limits)
    let folder = try ResultsFolder(
      output, selection: selection, files: [source, detector.yolo] + compute.arithmetic.plans)
    let network = try DetectionNetwork(detector, compute: compute, pool: compute.makePool())
    Console.note("detector \(network.name) from \(network.file)")
    var sink = try DetectionsSink(format, network: network)
    var speed = SpeedLog()
    var progress = Progress("picture", of: selection.indices.count)

    for (done, index) in selection.indices.enumerated() {
      let frame = try selection.source.frame(at: index)
      guard let image = frame.image else {
        throw CommandError.input("\(frame.name): the frame has no picture")
      }
      let found = try network.detect(
        image.oriented(frame.orientation), orientation: frame.orientation, stored: frame.imageSize)
      let file = DetectionsFile(
        image: frame.name, imageSize: frame.imageSize, model: network.description,
        detections: found.detections)
      if let frameFolder = folder.folder(of: index) {
        try sink.write(file, frame: frame, to: FrameWriter(folder: frameFolder))
      } else {
        try sink.add(file)
      }
      folder.add(index, file.json)
      speed.add(found.timings, network: "\(network.name), \(network.inputText)")
      progress.update(done + 1)
      if !output.json, !output.isStandardOutput { try Console.print(line: line(frame, found.detections)) }
    }
    progress.finish()
    try folder.finish(&sink, json: output.json)
    for line in speed.lines { Console.note(line) }
  }

  /// What was found, counted by class in order of appearance: `bus.jpg 1920x1440: 1 bus, 3 person`.
  private func line(_ frame: CapturedFrame, _ detections: [Detection]) -> String {
    var counts: [(name: String, count: Int)] = []
    for detection in detections {
      if let index = counts.firstIndex(where: { $0.name == detection.className }) {
        counts[index].count += 1
      } else {
        counts.append((detection.className, 1))
      }
    }
    let found = counts.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    return "\(frame.name) \(frame.imageSize.width)x\(frame.imageSize.height): "
      + (found.isEmpty ? "no objects" : found)
  }
}
