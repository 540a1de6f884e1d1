import ArgumentParser
import FileFormats
import Geometry
import Models
import NNRuntime

/// `ardf inspect`: weights, graph, plan, processor.
struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows weights, networks, plans and the processor.",
    subcommands: [Weights.self, Graph.self, Plan.self, CPU.self])

  /// `ardf inspect weights`.
  struct Weights: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists a weight file's metadata and tensors.")

    @Argument(help: "A weight file.")
    var file: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
      let store = try WeightStore(path: file, allowNonFinite: true)
      let tensors = try store.names.map { ($0, try store.tensor(named: $0)) }
      if json {
        return try Console.print([
          "schema": "ardf.weights-list/1", "metadata": .object(store.metadata.mapValues(JSONValue.string)),
          "tensors": .array(
            tensors.map { name, tensor in
              [
                "name": .string(name), "dtype": .string(tensor.dtype.rawValue),
                "shape": .array(tensor.shape.map(JSONValue.integer)),
              ]
            }),
        ])
      }
      var table = TextTable(["tensor", "type", "shape"])
      for (name, tensor) in tensors {
        table.add([name, tensor.dtype.rawValue, tensor.shape.map(String.init).joined(separator: "x")])
      }
      let values = tensors.reduce(0) { $0 + $1.1.count }
      try Console.print(
        store.metadata.sorted { $0.key < $1.key }.map { "\($0): \($1)\n" }.joined()
          + "\(tensors.count) tensors, \(values) values\n" + table.text)
    }
  }

  /// `ardf inspect graph`.
  struct Graph: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists a network's layers as they are defined.")

    @OptionGroup var network: NetworkOptions
    @Flag(help: "Print JSON.") var json = false

    func run() throws { try network.show(PlanOptions(fuse: false, retain: true), isPlan: false, json: json) }
  }

  /// `ardf inspect plan`.
  struct Plan: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists a network's layers as they will run: joined, with the algorithm and why.")

    @OptionGroup var network: NetworkOptions
    @Flag(help: "Print JSON.") var json = false

    func run() throws { try network.show(PlanOptions(), isPlan: true, json: json) }
  }

  /// `ardf inspect cpu`.
  struct CPU: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "cpu", abstract: "Shows the processor, the instruction set in use and the BLAS.")

    @Flag(help: "Print JSON.") var json = false

    func run() throws {
      let machine = try Machine.current()
      if json {
        return try Console.print([
          "schema": "ardf.cpu/1", "processor": .string(machine.processor),
          "processors": .integer(machine.processors),
          "instructionSets": .array(machine.instructionSets.map(JSONValue.string)),
          "inUse": .string(machine.inUse), "blas": machine.blas.map(JSONValue.string) ?? .null,
        ])
      }
      var table = TextTable(["processor", machine.processor])
      table.add(["processors", "\(machine.processors)"])
      table.add(["instruction sets", machine.instructionSets.joined(separator: " ")])
      table.add(["in use", machine.inUse])
      table.add(["OpenBLAS", machine.blas ?? "not installed"])
      try Console.print(table.text)
    }
  }
}
