import ArgumentParser
import FileFormats
import Geometry
import Models
import NNRuntime

/// `ardf inspect`: weights, graph, plan, processor.
struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows weights, networks, plans and the processor.",
    discussion: Help.text(
      "Nothing is run, but for what a plan needs to know.",
      ("What will this machine use?", "ardf inspect cpu"),
      ("What is in a weight file?", "ardf inspect weights weights/yolo11n-seg.safetensors"),
      ("How will a layer run, and why?", "ardf inspect plan weights/yolo11n-seg.safetensors --size 480x640")),
    subcommands: [Weights.self, Graph.self, Plan.self, CPU.self])

  /// `ardf inspect weights`.
  struct Weights: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists a weight file's digest, metadata and tensors, with the statistics of their elements.",
      discussion: Help.text(
        "", ("What is in a weight file?", "ardf inspect weights weights/yolo11n-seg.safetensors")))

    @Argument(help: "A weight file.")
    var file: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
      let listing = try WeightListing(file: file)
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

    func run() throws { try network.show(PlanOptions(fuse: false, retain: true), isPlan: false, json: json) }
  }

  /// `ardf inspect plan`.
  struct Plan: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists a network's layers as they will run: joined, with the algorithm and why.",
      discussion: Help.text(
        "", ("For another input", "ardf inspect plan weights/yolo11n-seg.safetensors --size 480x640")))

    @OptionGroup var network: NetworkOptions
    @Flag(help: "Print JSON.") var json = false

    @Option(
      help: ArgumentHelp(
        "File for a picture of the arena: which result lies where, from when to when.", valueName: "file.svg")
    )
    var arena: String?

    @Flag(help: "Replace an existing --arena.")
    var force = false

    func run() throws {
      if let arena {
        let file = try OutputFile(
          arena, force: force, inputs: [network.weights] + network.arithmetic.plans)
        try file.write(ArenaPicture(plan: try network.plan(PlanOptions())).svg)
      }
      try network.show(PlanOptions(), isPlan: true, json: json)
    }
  }

  /// `ardf inspect cpu`.
  struct CPU: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "cpu", abstract: "Shows the processor, the instruction set in use and the BLAS.",
      discussion: Help.text(
        "ARDF_ISA=portable, avx2 or avx512 chooses another instruction set.", (nil, "ardf inspect cpu"),
        ("As on an older processor", "env ARDF_ISA=avx2 ardf inspect cpu")))

    @Flag(help: "Print JSON.") var json = false

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
