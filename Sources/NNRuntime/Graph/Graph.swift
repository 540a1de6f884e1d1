/// Index of a value in its graph.
package typealias ValueID = Int

/// One operation, the values that it reads and the one that it makes.
package struct Node: Sendable {
  /// Module path in the checkpoint's own vocabulary (`model.10.m.0.attn.qkv`).
  package var name: String
  package var operation: Operation
  package var inputs: [ValueID]
  package var output: ValueID
  /// Names of the layers that were fused into this one, itself excluded.
  var fused: [String] = []
}

/// A network for one input size: operations in an order in which they can run.
public struct Graph: Sendable {
  /// What the network is called.
  public let name: String
  /// Shape of every value.
  var shapes: [MapShape]
  package var nodes: [Node]
  /// Inputs and outputs in the order of their declaration.
  var inputs: [(name: String, value: ValueID)]
  var outputs: [(name: String, value: ValueID)]

  /// Names and shapes of the inputs.
  public var inputShapes: [(name: String, shape: MapShape)] { inputs.map { ($0.name, shapes[$0.value]) } }
  /// Names and shapes of the outputs.
  public var outputShapes: [(name: String, shape: MapShape)] { outputs.map { ($0.name, shapes[$0.value]) } }

  /// How often each value is read; an output of the graph counts as a read.
  func readCounts() -> [Int] {
    var counts = [Int](repeating: 0, count: shapes.count)
    for node in nodes { for input in node.inputs { counts[input] += 1 } }
    for output in outputs { counts[output.value] += 1 }
    return counts
  }
}
