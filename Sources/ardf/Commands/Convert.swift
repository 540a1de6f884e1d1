import ArgumentParser
import FileFormats
import Models
import NNRuntime

/// `ardf convert`: checkpoints to weight files.
struct Convert: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Converts a published checkpoint to a weight file.",
    discussion: Help.text(
      """
      Reads Ultralytics YOLO11-seg .pt, Depth Anything V2 Small .pth, and .safetensors in the original's or \
      Hugging Face's names. No code in a checkpoint is ever run.
      """,
      ("Once for each checkpoint", "ardf convert yolo11n-seg.pt weights/yolo11n-seg.safetensors"),
      (nil, "ardf convert depth_anything_v2_vits.pth \\\nweights/depth_anything_v2_vits.safetensors")))

  @Argument(help: "The checkpoint: .pt, .pth or .safetensors.")
  var input: String

  @Argument(help: "The weight file to write: .safetensors.")
  var output: String

  @Flag(help: "Replace an existing output.")
  var force = false

  @Flag(help: "Print what was written as JSON.")
  var json = false

  func validate() throws {
    guard output.hasSuffix(".safetensors") else {
      throw ValidationError("\(output): the output's name must end in .safetensors")
    }
  }

  func run() throws {
    let file = try OutputFile(output, force: force, inputs: [input])
    let checkpoint = try CheckpointConverter.read(input)
    try file.writing { path, overwrite in
      try SafetensorsWriter.write(
        checkpoint.tensors, metadata: checkpoint.metadata, to: path, overwrite: overwrite)
    }
    let parameters = checkpoint.tensors.values.reduce(0) { $0 + $1.count }
    let network = "\(checkpoint.architecture.rawValue) \(checkpoint.variant)"
    if json {
      try Console.print([
        "schema": "ardf.convert/1", "output": .string(output), "tensors": .integer(checkpoint.tensors.count),
        "values": .integer(parameters), "metadata": .object(checkpoint.metadata.mapValues(JSONValue.string)),
      ])
    } else {
      Console.note(
        "\(output): \(network), \(checkpoint.tensors.count) tensors, \(parameters) values, "
          + "licence \(checkpoint.metadata["license"] ?? "unknown")")
    }
  }
}
