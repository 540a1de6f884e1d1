import FileFormats
import NNRuntime
import ONNX
import ONNXEngine

/// The parts of an ONNX network that the planned engine computes, as `ardf inspect plan` shows them.
struct ONNXPlanListing {
  private let file: String
  private let partition: Partition

  init(file: String, _ arithmetic: NetworkArithmetic, _ sizes: NameTable<Int>) throws {
    self.file = file
    let model = try InFile.naming(file) { try ONNXModel(path: file) }
    let options = try arithmetic.options()
    let inputs = try model.drawnInputs(sizes)
    partition = try InFile.naming(file) {
      try LoweredModel(model, options: options, pool: ThreadPool(threads: 1)).network(for: inputs).partition
    }
  }

  /// The plan of each part that the engine computes.
  var plans: [Plan] { partition.plans }

  private var fast: Int { partition.nodes.count { $0.island != nil } }
  private var summary: String {
    "\(counted(partition.nodes.count, "layer")), \(fast) in the engine in \(counted(partition.plans.count, "island")), "
      + "\(partition.nodes.count - fast) by their definition; \(counted(partition.entering, "tensor goes", "tensors go")) in, "
      + "\(partition.leaving) come out, \(partition.rearranged) are rearranged between"
  }

  /// Tables for people: nodes, then the layers of each island.
  var text: String {
    var nodes = TextTable(["node", "operators", "runs"])
    for node in partition.nodes {
      nodes.add([
        node.name, node.operators.joined(separator: " "), node.island.map { "island \($0)" } ?? "plain",
      ])
    }
    var layers = TextTable(
      ["island", "layer", "operation", "inputs", "output", "kernel", "with"], rightAligned: [0])
    for (index, plan) in partition.plans.enumerated() {
      for layer in plan.layers {
        layers.add([
          "\(index)", layer.name, layer.operation, layer.inputs.map(\.description).joined(separator: " "),
          layer.output.description, layer.kernel ?? "", layer.fused.joined(separator: " "),
        ])
      }
    }
    return summary + "\n" + nodes.text + "\n" + layers.text
  }

  /// The same as JSON.
  var document: JSONValue {
    let nodes = partition.nodes.map { node -> JSONValue in
      [
        "name": .string(node.name), "operators": .array(node.operators.map(JSONValue.string)),
        "island": node.island.map(JSONValue.integer) ?? .null,
      ]
    }
    return [
      "schema": "ardf.onnx.plan/1", "file": .string(file), "nodes": .array(nodes),
      "fast": .integer(fast), "plain": .integer(partition.nodes.count - fast),
      "islands": .integer(partition.plans.count), "entering": .integer(partition.entering),
      "leaving": .integer(partition.leaving), "rearranged": .integer(partition.rearranged),
    ]
  }
}
