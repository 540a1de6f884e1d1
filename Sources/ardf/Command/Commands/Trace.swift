import ArgumentParser
import Digests
import FileFormats
import Models
import NNRuntime
import NNVerification
import OutputFolders

/// `ardf trace`: every layer's output.
struct Trace: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes every layer's result to a safetensors file.",
    discussion: Help.text(
      """
      Tensors are float32 under their module path, (1, channels, height, width) or (1, tokens, channels), beside \
      input. Fused layers are written at the end of the last; --no-fuse writes each. A trace is a reference \
      for ardf verify, and two traces of one input can be compared without the network: ardf verify A B.
      """,
      (
        "Every layer's output for a picture",
        "ardf trace --weights weights/yolo11n-seg.safetensors --input bus.jpg \\\n--out trace.safetensors"
      )))

  @OptionGroup var inspected: InspectedOptions

  @Option(help: ArgumentHelp("A picture, or a file of tensors with the network's input.", valueName: "file"))
  var input: String

  @Option(help: "Only layers whose name fits a pattern (* for anything). Repeatable.")
  var layers: [String] = []

  @Option(help: ArgumentHelp("Height and width of the input, by default the picture's.", valueName: "hxw"))
  var size: String?

  @Flag(help: "Run OpenBLAS instead of the native kernels.")
  var openblas = false

  @Option(name: .shortAndLong, help: ArgumentHelp("File to write; must not exist yet.", valueName: "file"))
  var out = "trace.safetensors"

  @Flag(help: "Replace an existing --out.")
  var force = false

  @Flag(help: "Print what was written as JSON.")
  var json = false

  @OptionGroup(title: "Output") var quiet: QuietOption

  func validate() throws {
    try inspected.checkNetwork()
    try OutputName.check(out, is: "safetensors")
    _ = try NetworkOptions.parse(size: size)
  }

  func run() throws {
    let file = try OutputFile(
      out, force: force, inputs: inspected.file().inputs + [input] + inspected.compute.arithmetic.plans)
    let network = try inspected.network(openblas ? .openBLAS : .native, pool: inspected.compute.makePool())
    let size = try NetworkOptions.parse(size: size)
    let (session, prepare) = try namingInput {
      try NetworkInput(path: input).session(of: network, size: size)
    }
    let metadata = [
      "library": "ardf", "version": ARDF.configuration.version, "network": network.name,
      "kernels": session.plan.kernelName,
      "precision": session.plan.options.precision.rawValue,
      "processor": try Machine.current().processor,
      "weightsSHA256": try sha256Hex(path: inspected.file().path),
    ]
    if !layers.isEmpty, !session.plan.tracedLayers.contains(where: { fits($0.name) }) {
      throw CommandError.usage("--layers: no layer of \(network.name) fits; ardf inspect plan lists them")
    }
    let names = try file.writing { path, overwrite in
      try TraceWriter.write(
        session, layers: layers, metadata: metadata, to: path, overwrite: overwrite, prepare: prepare)
    }
    if json {
      try Console.print([
        "schema": "ardf.trace/1", "output": .string(out), "network": .string(network.name),
        "kernels": .string(session.plan.kernelName), "layers": .array(names.map(JSONValue.string)),
      ])
    } else {
      Console.inform("\(out): \(counted(names.count, "layer")) of \(network.name)")
    }
  }

  /// Names the file of tensors in which something is missing.
  private func namingInput<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as VerificationError {
      throw InFile(file: input, error: error)
    }
  }

  private func fits(_ name: String) -> Bool { layers.contains { NamePattern($0).matches(name) } }
}
