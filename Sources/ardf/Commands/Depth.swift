import AppCore
import ArgumentParser
import FileFormats
import Geometry
import Imaging

/// `ardf depth`: Depth Anything V2 Small and Prompt Depth Anything Small.
struct Depth: AsyncParsableCommand, LimitedCommand {
  static let configuration = CommandConfiguration(
    abstract: "Estimates depth with Depth Anything V2 Small or Prompt Depth Anything Small.",
    discussion: Help.text(
      """
      Writes relative.npy, float32 (height, width) in the pixels of the picture as it is stored, larger is nearer, \
      without unit; and relative.png, the same in colour and upright. A network that gives metres, a metric one or one \
      prompted with the capture's LiDAR, also writes metric.npy (float32 metres) and metric.png (u16 millimetres); its \
      relative depth is one over them. --out - writes the array of one picture to standard output, metres where there \
      are any.
      """,
      ("Relative depth of a picture", "ardf depth bus.jpg --out depth"),
      (
        "Of one frame of a capture, faster and coarser",
        "ardf depth scan --frame 0 --depth-size 308 --out relative"
      )))

  @Argument(help: "A picture, a folder of pictures, a capture or a sequence.")
  var source: String

  @Option(help: "Only this frame, by name or position from 0. Repeatable.")
  var frame: [String] = []

  @OptionGroup var depthOptions: DepthOptions
  @OptionGroup var compute: ComputeOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions

  func run() throws {
    let selection = try FrameSelection(source, frames: frame, limits: limits)
    if output.isStandardOutput, !selection.isSingle {
      throw CommandError.usage("--out - takes one picture, \(source) has \(selection.indices.count)")
    }
    let folder = try output.folder(inputs: [source, depthOptions.depth] + compute.arithmetic.plans)
    let network = try DepthNetwork(
      file: WeightFiles.requiredDepth(depthOptions.depth), depthOptions, compute: compute,
      pool: compute.makePool())
    Console.note("depth \(network.name) from \(network.file)")
    var speed = SpeedLog()
    var progress = Progress("picture", of: selection.indices.count)
    var entries: [JSONValue] = []
    var leftOut = 0

    for (done, index) in selection.indices.enumerated() {
      let frame = try selection.source.frame(at: index)
      guard let image = frame.image else {
        throw CommandError.input("\(frame.name): the frame has no picture")
      }
      let estimate: DepthNetwork.Estimate
      do {
        estimate = try network.estimate(
          image.oriented(frame.orientation), orientation: frame.orientation, sensor: frame.depth)
      } catch let error as NoEstimate where !selection.isSingle {
        leftOut += 1
        Console.note("\(frame.name): \(error)")
        continue
      } catch let error as NoEstimate {
        throw CommandError.input("\(frame.name): \(error)")
      }
      if let folder {
        let name = FrameSelection.folderName(index)
        let writer = FrameWriter(folder: selection.isSingle ? folder : folder.subfolder(name))
        try writer.write(estimate.relative, orientation: frame.orientation)
        if let metric = estimate.metric { try writer.write(metric) }
        entries.append(["folder": .string(selection.isSingle ? "." : name), "name": .string(frame.name)])
      } else {
        try Console.write(FrameWriter.array(estimate.metric?.values ?? estimate.relative.values))
      }
      speed.add(
        estimate.timings, network: "\(network.name), \(estimate.input.width)x\(estimate.input.height)")
      progress.update(done + 1)
    }
    progress.finish()
    guard leftOut < selection.indices.count else {
      throw CommandError.input("no picture is left of \(source): nothing was done")
    }
    let index: JSONValue = ["schema": "ardf.depth-index/1", "frames": .array(entries)]
    if let folder {
      if !selection.isSingle { try folder.write(index, to: "index.json") }
      try folder.commit()
      if output.json { try Console.print(index) }
    }
    for line in speed.lines { Console.note(line) }
    if leftOut > 0 {
      throw CommandError.input(
        "\(leftOut) of \(selection.indices.count) pictures were left out; the others are done")
    }
  }
}
