import ArgumentParser
import FileFormats
import Geometry
import Models
import NNRuntime

/// A network by its weights, for inspection.
struct NetworkOptions: ParsableArguments {
  @Argument(
    help: "Weights of any network: a file, a checkpoint (.pt, .pth), or a name such as yolo11n-seg.")
  var weights: String

  @Option(
    help: ArgumentHelp(
      "Height and width of the input, by default 640x640, or 518x518 for depth.", valueName: "hxw"))
  var size: String?

  @Flag(help: "Plan for OpenBLAS instead of the native kernels.")
  var openblas = false

  @OptionGroup var precision: PrecisionOption

  var arithmetic: NetworkArithmetic { precision.arithmetic }

  func validate() throws { _ = try Self.parse(size: size) }

  /// Whether the network comes from an ONNX file.
  var isONNX: Bool { hasEnding(weights, ".onnx") }

  /// Throws where an option is given for an ONNX file that applies only to networks built by this program.
  ///
  /// - `others`: options of the command besides those of the network and its input, and whether they are given.
  func refuseOptionsOfNetworks(
    _ input: NetworkInputOptions, _ others: [(name: String, isGiven: Bool)] = []
  ) throws {
    let options =
      [("--size", size != nil), ("--openblas", openblas), ("--input", input.input != nil)] + others
    if let option = options.first(where: { $0.1 })?.0 {
      throw CommandError.usage(
        "\(weights): \(option) is for networks that are built of weights; an ONNX file has --axis, and inputs "
          + "that are drawn")
    }
  }

  /// The size written HEIGHTxWIDTH; nil where none is given.
  static func parse(size: String?, option: String = "--size") throws -> PixelSize? {
    guard let size else { return nil }
    let sides = size.split(separator: "x", omittingEmptySubsequences: false).map {
      integer(of: $0, in: 1...ObjectInput.sides.upperBound)
    }
    guard sides.count == 2, let height = sides[0], let width = sides[1] else {
      throw ValidationError("\(option) \(size): give HEIGHTxWIDTH, for example 480x640")
    }
    return PixelSize(width: width, height: height)
  }

  /// The plan of the network at the chosen size.
  func plan(_ options: PlanOptions) throws -> Plan {
    try session(options, pool: ThreadPool(threads: 1)).plan
  }

  /// The network at the chosen size, ready to run.
  func session(_ options: PlanOptions = PlanOptions(), pool: ThreadPool) throws -> Session {
    var options = options
    options.backend = backend
    guard !isONNX else {
      throw CommandError.input(
        "\(weights): is an ONNX file, and this needs weights; ardf inspect plan, profile and bench take it, and "
          + "ardf convert makes weights of exports of published networks")
    }
    let file = try file()
    let store = try WeightStore(file, allowNonFinite: true)
    options = try arithmetic.options(options, for: store)
    let size = try Self.parse(size: size)
    return try InFile.naming(file.name) {
      let network = try InspectedNetwork(weights: store, options: options, pool: pool)
      try arithmetic.checkPlans(areOf: network.name)
      return try network.session(for: size ?? network.standardSize)
    }
  }

  /// The weight file; a checkpoint is converted on its first use.
  func file() throws -> GivenPath { try isONNX ? GivenPath(weights) : WeightFiles.network(weights) }

  /// The backend that runs.
  var backend: Backend { openblas ? .openBLAS : .native }

  /// Prints the layers.
  func show(_ options: PlanOptions, isPlan: Bool, json: Bool) throws {
    let plan = try plan(options)
    let operations = plan.layers.reduce(0) { $0 + $1.operations }
    if json { return try Console.print(document(plan, isPlan: isPlan)) }
    var header = ["layer", "operation", "inputs", "output", "MFLOP"]
    if isPlan { header += ["algorithm", "why", "with", "kernel"] }
    var table = TextTable(header, rightAligned: [4])
    for layer in plan.layers {
      var row = [
        layer.name, layer.operation, layer.inputs.map(\.description).joined(separator: " "),
        layer.output.description, decimal(layer.operations / 1e6, 1),
      ]
      if isPlan {
        row += [
          layer.choice.algorithm.rawValue, layer.choice.reason, layer.fused.joined(separator: " "),
          layer.kernel ?? "",
        ]
      }
      table.add(row)
    }
    var text = "\(plan.name): \(counted(plan.layers.count, "layer")), \(decimal(operations / 1e9, 2)) GFLOP"
    if isPlan {
      text +=
        ", kernels \(plan.kernelName), arena \(byteText(plan.arenaBytes)) "
        + "(\(byteText(plan.unsharedBytes)) without sharing)"
    }
    try Console.print(text + "\n" + table.text)
  }

  private func document(_ plan: Plan, isPlan: Bool) -> JSONValue {
    var document: [String: JSONValue] = [
      "schema": .string(isPlan ? "ardf.plan/1" : "ardf.graph/1"), "network": .string(plan.name),
      "layers": .array(
        plan.layers.map { layer in
          var entry: [String: JSONValue] = [
            "name": .string(layer.name), "operation": .string(layer.operation),
            "inputs": .array(layer.inputs.map(Self.sides)), "output": Self.sides(layer.output),
            "operations": .number(layer.operations),
          ]
          if isPlan {
            entry["algorithm"] = .string(layer.choice.algorithm.rawValue)
            entry["kernel"] = layer.kernel.map(JSONValue.string) ?? .null
            entry["precision"] = .string(layer.precision.rawValue)
            entry["reason"] = .string(layer.choice.reason)
            entry["fused"] = .array(layer.fused.map(JSONValue.string))
          }
          return .object(entry)
        }),
    ]
    if isPlan {
      document["kernels"] = .string(plan.kernelName)
      document["arenaBytes"] = .integer(plan.arenaBytes)
      document["unsharedBytes"] = .integer(plan.unsharedBytes)
    }
    return .object(document)
  }

  private static func sides(_ shape: MapShape) -> JSONValue {
    [.integer(shape.height), .integer(shape.width), .integer(shape.channels)]
  }
}
