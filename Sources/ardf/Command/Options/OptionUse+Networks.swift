import FileFormats

extension Bench: ModalCommand {
  static let optionUses: [OptionUse<Bench>] = [
    .only(
      [
        "--flow", "--frame", "--depth", "--conf", "--runs", "-n", "--warm-up", "--threads", "-t", "--report",
        "--output",
        "--out", "-o", "--compare", "--tolerance",
      ], "cannot be used with --flow, which measures the whole flow as it is by default; leave it out"
    ) { $0.flow != nil && !$0.kernels },
    .only(
      [
        "--kernels", "--size", "--openblas", "--runs", "-n", "--warm-up", "--threads", "-t", "--report",
        "--output",
        "--out", "-o", "--compare", "--tolerance",
      ], "cannot be used with --kernels, which measures every kernel by itself; leave it out"
    ) { $0.kernels },
    .options(["--frame", "--depth", "--conf"], "goes with --flow") { $0.flow != nil },
    .options(["--tolerance"], "goes with --compare") { $0.compare != nil },
    .options(["--seed"], "goes with inputs that are drawn for weights: leave --input out, and ONNX files") {
      $0.input.input == nil && !$0.network.isONNX
    },
  ]
}

extension Profile: ModalCommand {
  static let optionUses: [OptionUse<Profile>] = [
    .options(["--turns", "--tolerance"], "goes with --compare and a program") {
      // What is not there is named as missing.
      $0.compare.map { !fileExists($0) || isProgram($0) } ?? false
    },
    .options(["--sort", "--top"], "does not go with --compare and a program, which shows all rows in order") {
      !($0.compare.map(isProgram) ?? false)
    },
    .options(["--trace-iterations"], "goes with --report trace or html") { $0.showsTraces },
    .options(["--seed"], "goes with inputs that are drawn for weights: leave --input out, and ONNX files") {
      $0.input.input == nil && !$0.network.isONNX
    },
  ]
}

extension Inspect.Graph: ModalCommand {
  static let optionUses: [OptionUse<Inspect.Graph>] = [
    .options(
      ["--openblas", "--precision", "--plan"],
      "changes how layers run, which ardf inspect plan shows; leave it out"
    ) { _ in false }
  ]
}

extension Infer: ModalCommand {
  static let optionUses: [OptionUse<Infer>] = [
    .options(
      ["--threads", "-t", "--precision", "--plan"], "goes with the planned engine: leave it or --plain out"
    ) { !$0.plain },
    .options(
      ["--json"], "does not go with a folder of ONNX's test layout, whose outputs are files; leave it out"
    ) {
      pathKind($0.model) != .folder
    },
  ]
}

extension Evaluate: ModalCommand {
  static let optionUses: [OptionUse<Evaluate>] = [
    .options(
      ["--align", "--laser", "--depth-size", "--sensor-range", "--masks"],
      "does not go with --boxes, which are measured with the sensor's depth; leave it out"
    ) { !$0.objects.boxes }
  ]
}

extension Verify: ModalCommand {
  static let optionUses: [OptionUse<Verify>] = [
    .only(["--cases"], "does not go with --cases, which takes folders alone; leave it out") {
      !$0.cases.isEmpty
    },
    .only(
      ["--weights", "--axis", "--threads", "-t", "--precision", "--plan", "--failed", "--json"],
      "cannot be used with an ONNX file by itself, which takes --axis, --threads, --precision, --plan, --failed and "
        + "--json; leave it out"
    ) { $0.isONNX && $0.reference == nil },
    .only(
      ["--weights", "--reference", "--failed", "--json"],
      "cannot be used with ONNX's test data, whose folder says how outputs are compared; leave it out"
    ) { $0.isONNX && $0.reference.map { pathKind($0) == .folder } ?? false },
    .only(
      ["--weights", "--reference", "--mode", "--tol", "--layers-only", "--failed", "--json"],
      "cannot be used with an ONNX file and --reference, which takes --mode, --tol, --layers-only, --failed and --json; leave it "
        + "out"
    ) { $0.isONNX && $0.reference.map { pathKind($0) != .folder } ?? false },
    .only(
      ["--mode", "--tol", "--layers-only", "--failed", "--json", "--out", "-o", "--pictures"],
      "says what to run; two traces are compared as they are: leave it out"
    ) { $0.traces.count == 2 },
    .options(
      ["--mode", "--tol", "--layers-only", "--failed", "--pictures"],
      "does not go with --sensitivity, which ranks all layers; leave it out"
    ) { !$0.sensitivity.isAsked },
    .options(
      [
        "--calibrate", "--calibrate-count", "--max-error", "--labeled", "--max-pixels", "--max-frames",
        "--max-file", "--max-json",
      ],
      "goes with --sensitivity"
    ) { $0.sensitivity.isAsked },
    .options(["--layers-only"], "goes with --reference") { $0.reference != nil || $0.traces.count == 2 },
    .options(["--input", "--size"], "goes with --against: a reference has its own input") {
      $0.reference == nil
    },
    .options(["--pictures"], "goes with --out") { $0.out != nil },
  ]
}
