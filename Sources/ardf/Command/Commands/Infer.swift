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
      ("One picture, prepared elsewhere", "ardf infer model.onnx --input pixels=picture.npy --out results")))

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
    for text in input where FreeAxisOptions.pair(text)?.value.isEmpty ?? true {
      throw ValidationError("--input \(text): give NAME=FILE, for example images=picture.npy")
    }
    let names = input.compactMap(FreeAxisOptions.pair).map(\.name)
    if let twice = names.first(where: { name in names.count(where: { $0.isSameName(as: name) }) > 1 }) {
      throw ValidationError("--input \(twice)=...: is given twice")
    }
    try OutputOptions.checkFolder(out, text: nil)
    guard out != "-" else { throw ValidationError("--out -: outputs are files; give a folder, and --json") }
    let files = input.compactMap(FreeAxisOptions.pair).map(\.value)
    if preparation.isGiven, !files.isEmpty, files.allSatisfy(Self.isPrepared) {
      throw ValidationError(
        "--resize, --scale, --mean, --std and --bgr prepare pictures; no input is a picture")
    }
  }

  private static func isPrepared(_ file: String) -> Bool { hasEnding(file, ".npy") || hasEnding(file, ".pb") }

  func run() throws {
    try refuseName()
    try ForeignModel.refuse(model, give: "an .onnx file")
    guard ![".pt", ".pth", ".ckpt", ".safetensors"].contains(where: { hasEnding(model, $0) }) else {
      throw CommandError.unsupported(
        "\(model): holds weights and no graph; give it to ardf detect --yolo or ardf depth --depth, or export it to ONNX"
      )
    }
    guard pathKind(model) != .folder else { return try runFolder() }
    let given = input.compactMap(FreeAxisOptions.pair)
    let folder = try OutputFolder(out, force: force, inputs: [model] + given.map(\.value))
    let network = try InFile.naming(model) { try ONNXModel(path: model) }
    var values = NameTable<Value>()
    for (name, file) in given {
      let declared = network.inputs.first { $0.name.isSameName(as: name) }
      guard let declared else {
        let names = network.inputs.map { "\"\($0.name)\"" }.joined(separator: ", ")
        throw CommandError.input("\(model): has no input \"\(name)\"; its inputs are \(names)")
      }
      values[name] = try read(file, declared)
    }
    if network.defect == nil,
      let missing = network.inputs.first(where: { !$0.hasDefault && values[$0.name] == nil })
    {
      throw CommandError.input(
        "\(model): the input \"\(printableName(missing.name))\" is missing; add --input \(shellWord(missing.name + "=FILE"))"
      )
    }
    try checkAxes(network, values)
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
  }

  /// A file of one value, by its ending.
  private func read(_ file: String, _ input: ONNX.Program.Input) throws -> Value {
    if hasEnding(file, ".pb") {
      let bytes = try FileBytes(path: file)
      return try InFile.naming(file) { try Value.read(bytes, type: input.type) }
    }
    if hasEnding(file, ".npy") {
      return .tensor(Tensor(try InFile.naming(file) { try NPYArray.read(path: file) }))
    }
    return .tensor(try preparation.tensor(of: file, for: input, free.sizes))
  }

  private func checkAxes(_ network: ONNXModel, _ values: NameTable<Value>) throws {
    for (name, size) in free.sizes {
      var isKnown = false
      for declared in network.inputs {
        guard case .tensor(_, let axes?)? = declared.type, case .tensor(let tensor)? = values[declared.name],
          axes.count == tensor.shape.count
        else { continue }
        for (index, (stated, found)) in zip(axes, tensor.shape).enumerated() {
          guard let other = stated.freeName(index, of: declared.name), other.isSameName(as: name) else {
            continue
          }
          isKnown = true
          guard found == size else {
            throw CommandError.input(
              "the input \"\(declared.name)\" has \(found) along \"\(name)\", not \(size)")
          }
        }
      }
      guard isKnown else {
        throw CommandError.input(
          "\(model): no input has an axis \"\(name)\"; ardf inspect \(shellWord(model)) lists them")
      }
    }
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
