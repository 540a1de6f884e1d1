import ArgumentParser
import FileFormats
import ONNX
import ONNXEngine
import OutputFolders

/// `ardf infer`: any network of an ONNX file on given inputs.
struct Infer: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs any network of an ONNX file on given inputs.",
    discussion: Help.text(
      """
      Inputs are NumPy's .npy or ONNX's .pb files, or pictures (\(pictureFormats)), \
      whose samples become \
      (sample x scale - mean) / std. Free axes have the sizes that the inputs have. The folder gets a \
      file for each output and infer.json, which says which is which. A folder of ONNX's own test layout \
      (model.onnx, test_data_set_0/input_0.pb) may stand for the model and its inputs: its outputs get that layout.
      """,
      ("What are the inputs called?", "ardf inspect model.onnx"),
      (
        "A photograph, as networks trained on ImageNet take it",
        "ardf infer model.onnx --input pixels=photo.jpg --resize 224x224 \\\n"
          + "--mean 0.485,0.456,0.406 --std 0.229,0.224,0.225 --out results"
      ),
      ("One picture, prepared elsewhere", "ardf infer model.onnx --input pixels=picture.npy --out outputs")))

  @Argument(help: ArgumentHelp("An ONNX file, or a folder of ONNX's test layout.", valueName: "model.onnx"))
  var model: String

  @Option(
    help: ArgumentHelp(
      "An input by its name: a .npy, .pb, .jpg or .png file. Repeatable.", valueName: "name=file"))
  var input: [String] = []

  @OptionGroup(title: "Input") var free: FreeAxisOptions
  @OptionGroup(title: "Input") var preparation: PreparationOptions

  @Option(name: .shortAndLong, help: ArgumentHelp("Folder for the outputs.", valueName: "folder"))
  var out: String

  @OptionGroup(title: "Output") var quiet: QuietOption
  @OptionGroup(title: "Output") var layout: TableOptions
  @OptionGroup(title: "Computation") var compute: ComputeOptions
  @Flag(help: "Compute every node by its definition, without the planned engine.") var plain = false
  @Flag(help: "Replace what an earlier run wrote.") var force = false
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    let given = try GivenValues(input)
    try OutputOptions.checkFolder(out, text: nil)
    guard out != "-" else { throw ValidationError("--out -: outputs are files; give a folder, and --json") }
    try given.check(preparation)
  }

  func run() throws {
    try refuseName()
    try ForeignModel.refuse(model, give: "an .onnx file")
    guard ![".pt", ".pth", ".ckpt", ".safetensors"].contains(where: { hasEnding(model, $0) }) else {
      throw CommandError.unsupported(
        "\(model): holds weights and no graph; give it to ardf detect --yolo or ardf depth --depth, or export it to ONNX"
      )
    }
    guard pathKind(model) != .folder else { return try runFolder() }
    let given = try GivenValues(input)
    let folder = try OutputFolder(out, force: force, inputs: [model] + given.files)
    let network = try InFile.naming(model) { try ONNXModel(path: model) }
    let values = try given.read(for: network, free.sizes, preparation)
    let runner = try ONNXRunner(network, compute.settings, plain: plain)
    let answers = try InFile.naming(model) { try runner.run(values) }
    var (table, documents) = (
      TextTable(["output", "type", "shape", "min", "max", "mean", "file"], rightAligned: [3, 4, 5]),
      [JSONValue]()
    )
    for (index, (output, answer)) in zip(network.outputs, answers).enumerated() {
      let (file, bytes) = Self.file("output_\(index)", output.name, answer)
      try folder.write(bytes, to: file)
      table.add(Self.row(output.name, answer, file))
      documents.append(Self.document(output.name, answer, file))
    }
    let document: JSONValue = [
      "schema": "ardf.infer/1", "model": .string(model), "outputs": .array(documents),
    ]
    try folder.write(document, to: "infer.json")
    try folder.commit()
    try json ? Console.print(document) : Console.print(table.text)
    Console.inform("results in \(out): infer.json, and a file for each output")
  }

  /// Refuses a published network's name: its weights are no ONNX file.
  private func refuseName() throws {
    guard !fileExists(model), let network = PublishedWeights.named(fileStem(model, endings: [".pt", ".pth"]))
    else { return }
    throw CommandError.usage(
      "\(model): is the name of a network with weights, and this runs .onnx files: ardf "
        + (network.isDepth ? "depth PICTURE --depth" : "detect PICTURE --yolo") + " \(network.name)")
  }

  private func runFolder() throws {
    guard input.isEmpty, !free.isGiven, !preparation.isGiven else {
      throw CommandError.usage(
        "--input, --axis and what is done to pictures go with a model; \(model) has inputs of its own")
    }
    let folder = try OutputFolder(out, force: force, inputs: [model])
    let network = try InFile.naming(model) { try ONNXModel(path: model + "/model.onnx") }
    let cases = CaseFolder(path: model)
    let runner = try ONNXRunner(network, compute.settings, plain: plain)
    for name in try cases.dataSets() {
      let set = try cases.dataSet(name, of: network)
      let answers = try InFile.naming(model) { try runner.run(set.inputs) }
      let target = folder.subfolder(name)
      for (index, (output, answer)) in zip(network.outputs, answers).enumerated() {
        try target.write(answer.encoded(name: output.name), to: "output_\(index).pb")
      }
    }
    try folder.commit()
    Console.inform("results in \(out): a folder for each data set")
  }

  /// A NumPy array where NumPy has the type, else ONNX's message.
  private static func file(_ stem: String, _ name: String, _ value: Value) -> (name: String, bytes: [UInt8]) {
    if case .tensor(let tensor) = value, let array = tensor.npy { return (stem + ".npy", array.encoded()) }
    return (stem + ".pb", value.encoded(name: name))
  }

  private static func row(_ name: String, _ value: Value, _ file: String) -> [String] {
    guard case .tensor(let tensor) = value else {
      return [name, "sequence or optional", "", "", "", "", file]
    }
    let figures =
      tensor.statistics.map { ["\(Float($0.low))", "\(Float($0.high))", "\(Float($0.mean))"] } ?? [
        "", "", "",
      ]
    return [name, tensor.type.name, "\(tensor.shape)"] + figures + [file]
  }

  private static func document(_ name: String, _ value: Value, _ file: String) -> JSONValue {
    var members: NameTable<JSONValue> = ["name": .string(name), "file": .string(file)]
    if case .tensor(let tensor) = value {
      members["type"] = .string(tensor.type.name)
      members["shape"] = .array(tensor.shape.map(JSONValue.integer))
      if let figures = tensor.statistics, figures.low.isFinite, figures.high.isFinite, figures.mean.isFinite {
        members["min"] = .number(figures.low)
        members["max"] = .number(figures.high)
        members["mean"] = .number(figures.mean)
      }
    }
    return .object(members)
  }
}
