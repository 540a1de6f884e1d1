import ArgumentParser
import FileFormats
import Geometry
import Models
import NNRuntime
import OutputFolders

/// `ardf inspect`: weights, graph, plan, kernels, processor.
struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows what a checkpoint is, weights, networks, plans, kernels and the processor.",
    discussion: Help.text(
      "Nothing is run, but for what a plan needs to know.",
      ("What is this checkpoint, and can it be used?", "ardf inspect yolo11n-pose.pt"),
      ("What will this machine use?", "ardf inspect cpu"),
      ("What is in a weight file?", "ardf inspect weights weights/yolo11n-seg.safetensors"),
      ("How will a layer run, and why?", "ardf inspect plan weights/yolo11n-seg.safetensors --size 480x640")),
    subcommands: [
      Checkpoint.self, Weights.self, Graph.self, Plan.self, Kernels.self, Operators.self, CPU.self,
    ],
    defaultSubcommand: Checkpoint.self)

  /// `ardf inspect CHECKPOINT`.
  struct Checkpoint: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Identifies a checkpoint or an ONNX file, supported or not.",
      discussion: Help.text(
        "The word checkpoint may be left out. No code in a checkpoint is ever run.",
        ("What is it, and can it be used?", "ardf inspect checkpoint yolo11n-pose.pt"),
        ("Inputs, outputs and operators of any network", "ardf inspect model.onnx"),
        ("Its classes", "ardf inspect best.pt --json | jq -r '.classNames[]'")))

    @Argument(
      help: "A checkpoint: .pt, .pth, .ckpt or .safetensors; an .onnx file; or a name such as yolo11n-seg.")
    var file: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Output") var quiet: QuietOption
    @OptionGroup(title: "Output") var table: TableOptions

    func run() throws {
      guard let file else { throw CleanExit.helpRequest(Inspect.self) }
      guard pathKind(file) != .folder || ForeignModel.recognized(file) != nil else {
        throw CommandError.input(
          "\(file): is a folder, a file is needed; what a capture holds: ardf capture check \(shellWord(file))"
        )
      }
      try ForeignModel.refuse(file)
      if file.hasSuffix(".onnx") {
        let listing = try ONNXListing(file: file)
        return try json ? Console.print(listing.document) : Console.print(listing.text)
      }
      let path = fileExists(file) ? file : try WeightFiles.network(file).path
      let listing = CheckpointListing(try CheckpointDescription(path: path), file: path)
      try json ? Console.print(listing.document) : Console.print(listing.text)
    }
  }

  /// `ardf inspect weights`.
  struct Weights: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists a weight file's digest, metadata and tensors, with the statistics of their elements.",
      discussion: Help.text(
        "", ("What is in a weight file?", "ardf inspect weights weights/yolo11n-seg.safetensors")))

    @Argument(help: "A weight file, a checkpoint (.pt, .pth), or a name such as yolo11n-seg.")
    var file: String

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Output") var quiet: QuietOption
    @OptionGroup(title: "Output") var table: TableOptions

    func run() throws {
      let listing = try WeightListing(file: WeightFiles.network(file))
      try json ? Console.print(listing.document) : Console.print(listing.text)
      if let warning = listing.warning { Console.note("ardf: warning: \(warning)") }
    }
  }

  /// `ardf inspect graph`.
  struct Graph: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists a network's layers as they are defined.",
      discussion: Help.text("", ("Every layer", "ardf inspect graph weights/yolo11n-seg.safetensors")))

    @OptionGroup var network: NetworkOptions
    @Flag(help: "Print JSON.") var json = false
    @OptionGroup(title: "Output") var quiet: QuietOption
    @OptionGroup(title: "Output") var table: TableOptions

    func run() throws { try network.show(PlanOptions(fuse: false, retain: true), isPlan: false, json: json) }
  }

  /// `ardf inspect plan`.
  struct Plan: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists a network's layers as they will run: joined, with the algorithm and why.",
      discussion: Help.text(
        "", ("For another input", "ardf inspect plan weights/yolo11n-seg.safetensors --size 480x640")))

    @OptionGroup var network: NetworkOptions
    @OptionGroup var free: FreeAxisOptions
    @Flag(help: "Print JSON.") var json = false
    @OptionGroup(title: "Output") var quiet: QuietOption
    @OptionGroup(title: "Output") var table: TableOptions

    @Option(
      help: ArgumentHelp(
        "File for a picture of the arena: the address range and lifetime of each result.",
        valueName: "file.svg")
    )
    var arena: String?

    @Flag(help: "Replace an existing --arena.")
    var force = false

    func validate() throws {
      if let arena { try OutputName.check(arena, is: "svg", option: "--arena") }
    }

    func run() throws {
      if network.weights.hasSuffix(".onnx") {
        guard arena == nil, network.size == nil, !network.openblas else {
          throw CommandError.usage(
            "\(network.weights): of an ONNX file inspect plan takes --axis, --precision and --json; its sizes are the file's"
          )
        }
        let listing = try ONNXPlanListing(file: network.weights, network.arithmetic, free.sizes)
        return try json ? Console.print(listing.document) : Console.print(listing.text)
      }
      try free.refuse(of: network.weights)
      if let arena {
        let file = try OutputFile(
          arena, force: force, inputs: network.file().inputs + network.arithmetic.plans)
        try file.write(ArenaPicture(plan: try network.plan(PlanOptions())).svg)
      }
      try network.show(PlanOptions(), isPlan: true, json: json)
    }
  }

  /// `ardf inspect kernels`.
  struct Kernels: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Lists the kernels that plans are made of: what each computes, of what, and what can be fused to it.",
      discussion: Help.text(
        """
        Where several can compute a layer, inspect plan says which does and why. The block is the register tile: rows \
        and columns of a product, or the queries of attention that are computed together.
        """, (nil, "ardf inspect kernels"),
        ("Of an older processor", "env ARDF_ISA=avx2 ardf inspect kernels")))

    @Flag(help: "List OpenBLAS's kernels instead of the native ones.") var openblas = false
    @Flag(help: "Print JSON.") var json = false
    @OptionGroup(title: "Output") var quiet: QuietOption
    @OptionGroup(title: "Output") var table: TableOptions

    func run() throws {
      let kernels = try (openblas ? Backend.openBLAS : .native).kernels()
      if json {
        return try Console.print(["schema": "ardf.kernels/1", "kernels": .array(kernels.map(Self.document))])
      }
      var table = TextTable(
        ["kernel", "computes", "products", "maps", "fuses", "block", "tolerance", "needs"],
        rightAligned: [5, 6])
      for kernel in kernels {
        table.add([
          kernel.name, kernel.computes, kernel.products, kernel.maps.joined(separator: " "),
          kernel.fuses.joined(separator: " "), kernel.block.map(String.init).joined(separator: "x"),
          "\(kernel.tolerance)", kernel.needs.joined(separator: " "),
        ])
      }
      try Console.print(table.text)
    }

    private static func document(_ kernel: KernelListing) -> JSONValue {
      [
        "name": .string(kernel.name), "computes": .string(kernel.computes),
        "products": .string(kernel.products), "maps": .array(kernel.maps.map(JSONValue.string)),
        "fuses": .array(kernel.fuses.map(JSONValue.string)),
        "block": .array(kernel.block.map(JSONValue.integer)), "tolerance": .number(kernel.tolerance),
        "needs": .array(kernel.needs.map(JSONValue.string)),
      ]
    }
  }

  /// `ardf inspect cpu`.
  struct CPU: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "cpu", abstract: "Shows the processor, the instruction set in use and the BLAS.",
      discussion: Help.text(
        "ARDF_ISA=\(InstructionSet.names) chooses another instruction set.", (nil, "ardf inspect cpu"),
        ("As on an older processor", "env ARDF_ISA=avx2 ardf inspect cpu")))

    @Flag(help: "Print JSON.") var json = false
    @OptionGroup(title: "Output") var quiet: QuietOption
    @OptionGroup(title: "Output") var table: TableOptions

    func run() throws {
      let machine = try Machine.current()
      if json {
        return try Console.print([
          "schema": "ardf.cpu/1", "processor": .string(machine.processor),
          "processors": .integer(machine.processors),
          "instructionSets": .array(machine.instructionSets.map(JSONValue.string)),
          "inUse": .string(machine.inUse), "blas": machine.blas.map(JSONValue.string) ?? .null,
          "features": .array(machine.features.map(JSONValue.string)),
          "warnings": .array(machine.warnings.map(JSONValue.string)),
        ])
      }
      var table = TextTable(["processor", machine.processor])
      table.add(["processors", "\(machine.processors)"])
      table.add(["instruction sets", machine.instructionSets.joined(separator: " ")])
      table.add(["in use", machine.inUse])
      table.add(["features", machine.features.joined(separator: " ")])
      table.add(["OpenBLAS", machine.blas ?? "not installed"])
      try Console.print(table.text)
      for warning in machine.warnings { Console.note("ardf: warning: \(warning)") }
    }
  }
}
