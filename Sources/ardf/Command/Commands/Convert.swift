import ArgumentParser
import FileFormats
import Models
import NNRuntime
import OutputFolders

/// `ardf convert`: checkpoints to weight files.
struct Convert: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Converts a published checkpoint to a weight file.",
    discussion: Help.text(
      """
      Reads YOLOv8, YOLO11 and YOLO26 of every task (.pt), Depth Anything V2 (.pth), Prompt Depth Anything (.ckpt), and \
      .safetensors in the originals' or Hugging Face's names. --yolo, --depth and all other options that name weights \
      take these files as they are; conversion is for a file to keep. No code in a checkpoint is ever run. A metric depth \
      network has the names and shapes of a relative one: it is recognized by Hugging Face's config.json beside it, \
      by the name it was published under, or by --max-depth.
      """,
      ("Once for each checkpoint", "ardf convert yolo11n-seg.pt weights/yolo11n-seg.safetensors"),
      (nil, "ardf convert depth_anything_v2_vits.pth \\\nweights/depth_anything_v2_vits.safetensors"),
      (
        "A metric network: distances from a photograph alone",
        "ardf convert depth_anything_v2_metric_hypersim_vits.pth \\\nweights/metric-indoor.safetensors --max-depth 20"
      )))

  @Argument(help: "The checkpoint: .pt, .pth, .ckpt or .safetensors, or a name such as yolo11n-seg.")
  var input: String

  @Argument(help: "The weight file to write: .safetensors.")
  var output: String

  @Option(
    help: ArgumentHelp(
      """
      The greatest depth of a metric Depth Anything V2 checkpoint: 20 of those trained on Hypersim (indoor), 80 on \
      VKITTI (outdoor).
      """, valueName: "meters"))
  var maxDepth: Double?

  @Flag(help: "Replace an existing output.")
  var force = false

  @Flag(help: "Print what was written as JSON.")
  var json = false

  @OptionGroup(title: "Output") var quiet: QuietOption

  func validate() throws {
    guard output.hasSuffix(".safetensors") else {
      throw ValidationError("\(output): the output's name must end in .safetensors")
    }
  }

  func run() throws {
    let input = try WeightFiles.checkpoint(input)
    let file = try OutputFile(output, force: force, inputs: [input])
    try ForeignModel.refuse(input)
    if try NetworkWeights.asItIs(input) != nil {
      throw CommandError.input(
        "\(input): holds a detector that is run as the file has it; give it as it is: --yolo \(shellWord(input))"
      )
    }
    let checkpoint = try ConvertedWeights.naming(input) { () throws(CheckpointError) in
      try CheckpointConverter.read(input, maxDepth: maxDepth)
    }
    try file.writing { path, overwrite in
      try SafetensorsWriter.write(
        checkpoint.tensors, metadata: checkpoint.metadata, to: path, overwrite: overwrite)
    }
    let parameters = checkpoint.tensors.values.reduce(0) { $0 + $1.count }
    let network = "\(checkpoint.architecture) \(checkpoint.variant)"
    if json {
      try Console.print([
        "schema": "ardf.convert/1", "output": .string(output), "tensors": .integer(checkpoint.tensors.count),
        "values": .integer(parameters), "metadata": .object(checkpoint.metadata.mapValues(JSONValue.string)),
      ])
    } else {
      Console.inform(
        "\(output): \(network), \(counted(checkpoint.tensors.count, "tensor")), \(counted(parameters, "value")), "
          + "license \(checkpoint.metadata["license"] ?? "unknown")")
      for remark in checkpoint.remarks { Console.note(remark) }
    }
  }
}
