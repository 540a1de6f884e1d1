/// Index of a value in its graph.
package typealias ValueID = Int

/// One operation, the values that it reads and the one that it makes.
package struct Node: Sendable {
  /// Module path in the checkpoint's own vocabulary (`model.10.m.0.attn.qkv`).
  package var name: String
  package var operation: any Operator
  package var inputs: [ValueID]
  package var output: ValueID
  /// Names of the layers before this one that are computed with it.
  var preceding: [String] = []
  /// Names of the layers after this one that are fused into it.
  var fused: [String] = []
  /// Where only a part of a layer's work is done here, the shape of that layer's result; this node's is then no layer's.
  var partOf: MapShape?

  /// All layers that are computed here, first to last.
  var holds: [String] { preceding + [name] + fused }
}

/// A network for one input size: operations in an order in which they can run.
public struct Graph: Sendable {
  /// The network's name.
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

  /// A value of the given shape, for a node to make.
  mutating func newValue(_ shape: MapShape) -> ValueID {
    shapes.append(shape)
    return shapes.count - 1
  }

  /// Index of the node that makes each value.
  func producers() -> [Int?] {
    var producers = [Int?](repeating: nil, count: shapes.count)
    for (index, node) in nodes.enumerated() { producers[node.output] = index }
    return producers
  }

  /// Index of the node that makes each value which is read once; nil for others.
  func makersForOne() -> [Int?] {
    zip(producers(), readCounts()).map { maker, reads in reads == 1 ? maker : nil }
  }

  /// How often each value is read; an output of the graph counts as a read.
  func readCounts() -> [Int] {
    var counts = [Int](repeating: 0, count: shapes.count)
    for node in nodes { for input in node.inputs { counts[input] += 1 } }
    for output in outputs { counts[output.value] += 1 }
    return counts
  }
}
