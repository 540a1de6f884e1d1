import ArgumentParser
import Digests
import FileFormats
import Models
import NNRuntime
import NNVerification
import ONNX
import ONNXEngine
import OutputFolders

/// `ardf trace`: every layer's output.
struct Trace: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes every layer's result to a safetensors file.",
    discussion: Help.text(
      """
      Tensors are float32 under their module path, (1, channels, height, width) or (1, tokens, channels), beside \
      input. Fused layers are written at the end of the last; --no-fuse writes each. A trace is a reference \
      for ardf verify, and two traces of one input can be compared without the network: ardf verify A B. Of an ONNX \
      file: every tensor that a run makes, by its name in the file and in its own type, on the inputs that are given \
      as NAME=FILE, or on drawn ones; what lies between joined nodes is never made. ardf verify model.onnx \
      --reference compares it.
      """,
      (
        "Every layer's output for a picture",
        "ardf trace --weights weights/yolo11n-seg.safetensors --input bus.jpg \\\n--out trace.safetensors"
      ),
      ("Every tensor of an ONNX file", "ardf trace --weights model.onnx --out tensors.safetensors"),
      (nil, "ardf verify model.onnx --reference tensors.safetensors")))

  @OptionGroup var inspected: InspectedOptions

  @Option(
    help: ArgumentHelp(
      "A picture, or a file of tensors with the network's input; of an ONNX file name=file, repeatable, by default "
        + "drawn.",
      valueName: "file"))
  var input: [String] = []

  @OptionGroup(title: "Input") var free: FreeAxisOptions
  @OptionGroup(title: "Input") var preparation: PreparationOptions

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

  /// The ONNX file, where the weights are one.
  private var model: String? {
    inspected.weights.flatMap { hasEnding($0, ".onnx") ? $0 : nil }
  }

  func validate() throws {
    guard model == nil else { return try validateONNX() }
    guard !input.isEmpty else { throw ValidationError("Missing expected argument '--input <file>'") }
    guard input.count == 1 else {
      throw ValidationError("--input \(input[1]): one input is traced; \(input[0]) is given too")
    }
    if let option = free.axis.first.map({ "--axis \($0)" })
      ?? (preparation.isGiven ? "--resize and its like" : nil)
    {
      throw ValidationError("\(option): goes with an ONNX file")
    }
    try inspected.checkNetwork()
    try checkOutput()
    _ = try NetworkOptions.parse(size: size)
  }

  private func validateONNX() throws {
    try checkOutput()
    let given = try GivenValues(input)
    try given.check(preparation)
    if let option = openblas
      ? "--openblas" : size.map({ "--size \($0)" }) ?? inspected.model.map({ "--model \($0)" })
    {
      throw ValidationError("\(option): not of an ONNX file, whose inputs are given by --input and --axis")
    }
  }

  private func checkOutput() throws {
    guard out != "-" else { throw ValidationError("--out -: a trace is a file; give its name") }
    try OutputName.check(out, is: "safetensors")
  }

  func run() throws {
    if let model { return try trace(model) }
    let input = input[0]
    let file = try OutputFile(
      out, force: force, inputs: inspected.file().inputs + [input] + inspected.compute.arithmetic.plans)
    let network = try inspected.network(openblas ? .openBLAS : .native, pool: inspected.compute.makePool())
    let size = try NetworkOptions.parse(size: size)
    let (session, prepare) = try Self.naming(input) {
      try NetworkInput(path: input).session(of: network, size: size)
    }
    let metadata = try metadata(
      network.name, kernels: session.plan.kernelName, session.plan.options.precision,
      weights: inspected.file().path)
    if !layers.isEmpty, !session.plan.tracedLayers.contains(where: { fits($0.name) }) {
      throw CommandError.usage("--layers: no layer of \(network.name) fits; ardf inspect plan lists them")
    }
    let names = try file.writing { path, overwrite in
      try TraceWriter.write(
        session, layers: layers, metadata: metadata, to: path, overwrite: overwrite, prepare: prepare)
    }
    try report(names, "layer", of: network.name, kernels: session.plan.kernelName)
  }

  /// Every tensor of an ONNX file.
  private func trace(_ model: String) throws {
    let given = try GivenValues(input)
    let file = try OutputFile(
      out, force: force, inputs: [model] + given.files + inspected.compute.arithmetic.plans)
    let network = try InFile.naming(model) { try ONNXModel(path: model) }
    let values =
      input.isEmpty
      ? try network.drawnInputs(free.sizes) : try given.read(for: network, free.sizes, preparation)
    let settings = inspected.compute.settings
    var options = try settings.planOptions()
    options.fuse = !inspected.noFuse
    var trace = try ONNXTrace(
      network, values, options: options, pool: settings.makePool(), layers: layers)
    let name = lastComponent(model)
    let metadata = try metadata(name, kernels: trace.kernels, options.precision, weights: model)
    let names = try file.writing { path, overwrite in
      try trace.write(to: path, metadata: metadata, overwrite: overwrite)
    }
    if !trace.leftOut.isEmpty {
      let names = trace.leftOut.prefix(4).map { printableName($0) }.joined(separator: ", ")
      Console.note(
        "ardf: note: \(counted(trace.leftOut.count, "value")) of a type that safetensors has not left out: \(names)"
      )
    }
    try report(names, "tensor", of: name, kernels: trace.kernels)
  }

  private func metadata(
    _ network: String, kernels: String, _ precision: Precision, weights: String
  ) throws -> [String: String] {
    [
      "library": "ardf", "version": ARDF.configuration.version, "network": network, "kernels": kernels,
      "precision": precision.rawValue, "processor": try Machine.current().processor,
      "weightsSHA256": try sha256Hex(path: weights),
    ]
  }

  private func report(_ names: [String], _ what: String, of network: String, kernels: String) throws {
    guard json else { return Console.inform("\(out): \(counted(names.count, what)) of \(network)") }
    try Console.print([
      "schema": "ardf.trace/1", "output": .string(out), "network": .string(network),
      "kernels": .string(kernels), "layers": .array(names.map(JSONValue.string)),
    ])
  }

  /// Names the file of tensors in which something is missing.
  private static func naming<Result>(_ input: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as VerificationError {
      throw InFile(file: input, error: error)
    }
  }

  private func fits(_ name: String) -> Bool { layers.contains { NamePattern($0).matches(name) } }
}
