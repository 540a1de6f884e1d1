import ArgumentParser
import FileFormats
import Geometry
import Imaging
import Models
import NNRuntime
import NNVerification
import OutputFolders

/// `ardf verify`: every layer against its reference.
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares every layer of a network with reference tensors, and names the first that diverges.",
    discussion: Help.text(
      """
      A reference is a safetensors or npz file of tensors named by module path, with the network's input \
      (tools/reference/make-reference.py records one). Cumulative: each layer gets the engine's own results, as in a \
      run. Isolated: each layer gets the reference's inputs, so that the faulty one is named. Fused layers are \
      compared at the end of the last; --no-fuse compares each. Results computed from the network's outputs are \
      compared too: the decoded boxes, scores, masks' coefficients, key points and angles, class probabilities, \
      depth, and the objects after suppression, as far as the reference has them; verification fails if the \
      reference has outputs that were not compared, unless --layers-only is given. --against compares two backends, \
      or another --precision with fp32, without a reference. --out writes verify.json and, of the layers beyond \
      their tolerance, pictures: a heat map of the differences, their histogram, and the channels they are in. Ends \
      with 1 where a layer or an output is beyond its tolerance. Two traces (ardf trace) of one network and input, \
      of other machines, instruction sets, precisions or builds, are compared with each other: the first layer \
      beyond its tolerance is where they diverge. --sensitivity computes one layer at a time in --precision, ranks \
      layers by how much the outputs change, and with --max-error writes the fastest plan within it for --plan.
      """,
      (
        "The native kernels against OpenBLAS, layer by layer, on noise",
        "ardf verify --weights weights/yolo11n-seg.safetensors \\\n--against openblas"
      ),
      (
        "Against a recorded reference",
        "ardf verify --weights weights/yolo11n-seg.safetensors \\\n--reference reference.safetensors --failed"
      ),
      (
        "Where do two instruction sets diverge?",
        "ardf trace --weights weights/yolo11n-seg.safetensors --input bus.jpg \\\n--out best.trace.safetensors"
      ),
      (
        nil,
        "env ARDF_ISA=portable ardf trace --input bus.jpg \\\n"
          + "--weights weights/yolo11n-seg.safetensors --out portable.trace.safetensors"
      ),
      (nil, "ardf verify best.trace.safetensors portable.trace.safetensors"),
      (
        "An ONNX file against another engine's result of every node",
        "ardf verify model.onnx --reference recorded.npz --failed"
      ),
      (
        "Which layers tolerate 8 bits? A plan with outputs off by 3 % at most",
        "ardf verify --weights weights/yolo11n-seg.safetensors --precision int8 \\\n"
          + "--sensitivity --calibrate pictures --max-error 0.03 --out sensitivity"
      ),
      (nil, "ardf run photo.jpg --plan sensitivity/plan.json --out results")))

  enum Modes: String, ExpressibleByArgument, CaseIterable {
    case cumulative, isolated, both

    var list: [LayerVerifier.Mode] {
      switch self {
      case .cumulative: [.cumulative]
      case .isolated: [.isolated]
      case .both: [.cumulative, .isolated]
      }
    }
  }

  @Argument(
    help: ArgumentHelp(
      "Two traces to compare with each other, the second one taken for right; or an ONNX file.",
      valueName: "trace"))
  var traces: [String] = []

  @OptionGroup var inspected: InspectedOptions
  @OptionGroup var free: FreeAxisOptions

  @Option(
    help: ArgumentHelp(
      "Reference tensors: .safetensors or .npz, of an ONNX file by the names of its inputs, outputs and values between; "
        + "or a folder with test_data_set_0.",
      valueName: "file"))
  var reference: String?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Folders of ONNX's test layout, model.onnx and test_data_set_0: a line of name, exit code and message for each.",
      valueName: "folder"))
  var cases: [String] = []

  @Option(help: "Compare with these kernels instead of a reference: \(Self.kernels); or with fp32.")
  var against: Opposite?

  @Option(help: "Kernels to verify: \(Self.kernels).")
  var backend: Kernels = .native

  @Option(help: ArgumentHelp("With --against: a picture or tensors; by default noise.", valueName: "file"))
  var input: String?

  @Option(help: ArgumentHelp("With --against: height and width of the input.", valueName: "hxw"))
  var size: String?

  @Option(help: "Inputs of layers: cumulative, isolated or both.")
  var mode: Modes = .both

  @Option(
    help: ArgumentHelp(
      "Tolerance of the layers that fit a pattern (* for anything): largest absolute error, and error relative to "
        + "the tensor. Repeatable, the last that fits counts.", valueName: "pattern=abs,rel"))
  var tol: [String] = []

  @Flag(
    name: .customLong("layers-only"),
    help: "Compare layers only; outputs of the reference need not be compared.")
  var layersOnly = false

  @Flag(help: "List only layers and outputs beyond their tolerance.")
  var failed = false

  @Flag(help: "Print JSON.")
  var json = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Folder for verify.json and pictures; must not exist yet.", valueName: "dir"))
  var out: String?

  @Flag(help: "Replace an existing --out.")
  var force = false

  @Option(help: "With --out: most layers to draw of those beyond their tolerance, in each mode.")
  var pictures = 8

  @OptionGroup(title: "Output") var quiet: QuietOption
  @OptionGroup(title: "Output") var table: TableOptions
  @OptionGroup var sensitivity: SensitivityOptions

  private static let kernels =
    "native (the CPU's best, or ARDF_ISA), openblas, \(InstructionSet.names)"

  func validate() throws {
    if let out { try OutputOptions.checkFolder(out, text: "--json") }
    guard (0...10_000).contains(pictures) else {
      throw ValidationError("--pictures \(pictures): give a number from 0 to 10000")
    }
    _ = try NetworkOptions.parse(size: size)
    for rule in tol where ToleranceTable.Rule(rule) == nil {
      throw ValidationError("--tol \(rule): give PATTERN=ABSOLUTE,RELATIVE, for example model.10.*=1e-5,1e-4")
    }
    guard cases.isEmpty else {
      guard traces.isEmpty else {
        throw ValidationError("--cases takes folders alone; leave \(traces[0]) out, or give it after --cases")
      }
      return
    }
    if isONNX {
      let others = against == nil && input == nil && size == nil && !sensitivity.isAsked && out == nil
      guard others, reference != nil || tol.isEmpty && !layersOnly && mode == .both else {
        throw ValidationError(
          "an ONNX file is compared with its nodes' definitions, and takes --axis, --threads, --precision, --failed and "
            + "--json then; or with --reference, a folder of ONNX's test layout, or tensors in .npz or .safetensors, and takes --mode, --tol, "
            + "--layers-only, --failed and --json then")
      }
      guard reference == nil || !inspected.compute.arithmetic.mayReduce else {
        throw ValidationError(
          "--precision: a reference is compared with nodes by their definitions, in the file's own types")
      }
    }
    if let axis = free.axis.first, !isONNX || reference != nil {
      throw ValidationError("--axis \(axis): goes with an ONNX file that is verified by itself")
    }
    guard !isONNX else { return }
    guard traces.isEmpty else { return try validateTraces() }
    try inspected.checkNetwork()
    guard !sensitivity.isAsked else { return try validateSensitivity() }
    guard (reference == nil) != (against == nil) else {
      throw ValidationError("give either --reference or --against")
    }
    let isReduced = inspected.compute.arithmetic.mayReduce
    if against?.isSinglePrecision == true, !isReduced {
      throw ValidationError("--against fp32: give another --precision too")
    }
    guard isReduced || against?.name != backend.name else {
      throw ValidationError("--against \(backend.name): the same kernels")
    }
  }

  /// The ONNX file: the one argument, where it is no trace, or the weights.
  private var model: String? {
    let given = traces.isEmpty ? [inspected.weights].compactMap(\.self) : traces
    return given.count == 1 && hasEnding(given[0], ".onnx") ? given[0] : nil
  }
  var isONNX: Bool { model != nil }

  private func validateSensitivity() throws {
    if let option = reference.map({ _ in "--reference" }) ?? against.map({ _ in "--against" })
      ?? input.map({ _ in "--input" })
    {
      throw ValidationError("\(option): --sensitivity compares with fp32, on the pictures of --calibrate")
    }
    guard inspected.compute.arithmetic.mayReduce else {
      throw ValidationError("--sensitivity: say which --precision layers are lowered to")
    }
  }

  private func validateTraces() throws {
    if traces.count == 2, hasEnding(traces[0], ".onnx") {
      throw ValidationError(
        "\(traces[1]): what an ONNX file is compared with follows --reference: "
          + "ardf verify \(shellWord(traces[0])) --reference \(shellWord(traces[1]))")
    }
    guard traces.count == 2 else {
      throw ValidationError(
        "\(traces.count) given: give two traces, or weights as --weights \(shellWord(traces[0]))")
    }
    let runs = inspected.model ?? inspected.weights ?? reference ?? against?.name ?? input ?? size
    guard runs == nil, mode != .isolated else {
      throw ValidationError(
        "two traces are compared as they are: leave options away that say what to run, and --mode isolated")
    }
  }

  func run() throws {
    guard cases.isEmpty else { return try ONNXVerification.run(folders: cases) }
    if let model, let reference { return try verifyONNX(model, reference) }
    if let model {
      return try ONNXLayerVerification.run(
        model: model, inspected.compute.settings, sizes: free.sizes, failed: failed, json: json)
    }
    guard !sensitivity.isAsked else { return try runSensitivity() }
    let inputs = traces + [inspected.weights, reference, input] + inspected.compute.arithmetic.plans
    let folder = try out.map { try OutputFolder($0, force: force, inputs: inputs) }
    var drawn: [Drawn] = []
    let (reports, origin) = try compare { mode in
      folder.map { folder in
        { layer, map in
          guard drawn.count(where: { $0.mode == mode }) < pictures else { return }
          let picture = Drawn(mode: mode, layer: layer.name)
          try folder.write(
            ImageCodec.encodePNG(DifferencePicture(mode: mode, layer: layer, map: map).image),
            to: picture.file)
          drawn.append(picture)
        }
      }
    }
    let document = document(reports, origin, drawn)
    if let folder {
      try folder.write(document, to: "verify.json")
      try folder.commit()
    }
    try json
      ? Console.print(document)
      : Console.print(
        VerificationText(
          reports: reports, origin: origin, reference: reference ?? "",
          reducedTypes: try reference.map { try ReferenceFile(path: $0).reducedTypes } ?? [:], failed: failed
        ).text)
    if let out, !json { Console.inform("\(out): verify.json, \(counted(drawn.count, "picture"))") }
    guard reports.allSatisfy(\.passed) else {
      throw CommandError.checksFailed(reports.filter { !$0.passed }.map(\.summary))
    }
  }

  private func verifyONNX(_ model: String, _ reference: String) throws {
    try ForeignModel.refuse(model)
    guard pathKind(reference) == .file else {
      return try ONNXVerification.run(model: model, reference: reference, failed: failed, json: json)
    }
    let rules = tol.compactMap(ToleranceTable.Rule.init)
    try ONNXVerification.run(
      model: model, recorded: reference,
      ONNXVerification.Options(
        modes: mode.list.map(\.rawValue),
        tolerance: { name in
          rules.last { NamePattern($0.pattern).matches(name) }
            .map { ($0.tolerance.absolute, $0.tolerance.relative) }
        }, layersOnly: layersOnly, failed: failed, json: json))
  }

  private func runSensitivity() throws {
    // Before anything slow.
    if let labeled = sensitivity.labeled, !fileExists(labeled) { throw FileError.missing(path: labeled) }
    let folder = try out.map {
      try OutputFolder(
        $0, force: force,
        inputs: [inspected.weights] + sensitivity.calibration.calibrate + inspected.compute.arithmetic.plans)
    }
    let report = try sensitivity.report(
      of: inspected, backend.backend, backend.instructionSet, size: NetworkOptions.parse(size: size))
    if let folder {
      try folder.write(report.document, to: "sensitivity.json")
      if let plan = report.plan { try folder.write(plan, to: "plan.json") }
      try folder.commit()
    }
    try json ? Console.print(report.document) : Console.print(report.text)
  }

  /// The file of a written picture.
  private struct Drawn {
    let mode: LayerVerifier.Mode
    let layer: String

    var file: String { "\(mode.rawValue)-\(layer).png" }

    var json: JSONValue {
      ["mode": .string(mode.rawValue), "layer": .string(layer), "file": .string(file)]
    }
  }

  /// The report of every mode, and the origin that the reference states.
  private func compare(
    _ observer: (LayerVerifier.Mode) -> LayerVerifier.Observer?
  ) throws -> (reports: [VerificationReport], origin: [String: String]) {
    let tolerances = ToleranceTable(tol.compactMap(ToleranceTable.Rule.init))
    if traces.count == 2 { return try compareTraces(tolerances, observer(.cumulative)) }
    let pool = inspected.compute.makePool()
    let network = try inspected.network(backend.backend, backend.instructionSet, pool: pool)
    func verifier(_ mode: LayerVerifier.Mode) -> LayerVerifier {
      LayerVerifier(mode: mode, tolerances: tolerances, layersOnly: layersOnly)
    }
    if let reference {
      let file = try MistakenInput.reference(reference)
      let session = try InFile.naming(reference) { try NetworkInput.session(of: network, for: file) }
      let reports = try mode.list.map { mode in
        try InFile.naming(reference) {
          try verifier(mode).verify(
            session, against: file, decoding: network.decoding, onDivergence: observer(mode))
        }
      }
      return (reports, file.metadata)
    }
    guard let against else { preconditionFailure("checked by validate()") }
    let other = try inspected.network(
      against.kernels.backend, against.kernels.instructionSet, precision: .fp32, pool: pool)
    let given = try input.map { try NetworkInput(path: $0) } ?? .noise
    let size = try NetworkOptions.parse(size: size)
    let (session, prepare) = try given.session(of: network, size: size)
    let (opposite, _) = try given.session(of: other, size: size)
    let reports = try mode.list.map { mode in
      try verifier(mode).verify(
        session, against: opposite, onDivergence: observer(mode), prepare: prepare)
    }
    return (reports, ["library": "kernels", "version": opposite.plan.kernelName])
  }

  /// The report of one trace against another, and the origin that the other states.
  private func compareTraces(
    _ tolerances: ToleranceTable, _ observer: LayerVerifier.Observer?
  ) throws -> (reports: [VerificationReport], origin: [String: String]) {
    let wanted = "a trace, as ardf trace writes it"
    let found = try MistakenInput.reference(traces[0], give: wanted)
    let expected = try MistakenInput.reference(traces[1], give: wanted)
    let digests = [found, expected].compactMap { $0.metadata["weightsSHA256"] }
    if digests.count == 2, digests[0] != digests[1] {
      Console.note("the traces are of different weight files")
    }
    let report = try TraceComparison(tolerances: tolerances, layersOnly: layersOnly).compare(
      found, with: expected, onDivergence: observer)
    var origin = expected.metadata
    origin[TraceComparison.layersKey] = nil
    origin["profile"] =
      ["kernels", "precision", "processor"].compactMap { origin[$0] }.joined(separator: ", ")
    return ([report], origin)
  }

  private func document(
    _ reports: [VerificationReport], _ origin: [String: String], _ drawn: [Drawn]
  ) -> JSONValue {
    [
      "schema": "ardf.verify/2", "passed": .bool(reports.allSatisfy(\.passed)),
      "reference": .object(origin.mapValues(JSONValue.string)), "modes": .array(reports.map(\.json)),
      "pictures": .array(drawn.map(\.json)),
    ]
  }
}
