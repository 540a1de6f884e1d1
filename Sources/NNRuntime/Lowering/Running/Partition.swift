import NNRuntime
import ONNX

/// Partition of a network between engine and definition.
package struct Partition: Sendable {
  /// A node, or several that are computed as one.
  package struct Node: Sendable {
    /// Its name, and its operators.
    package let name: String
    package let operators: [String]
    /// The island that computes it, counted from 0; nil: computed by its definition.
    package let island: Int?
  }

  package let nodes: [Node]
  /// The plan of each island.
  package let plans: [Plan]
  /// Tensors that go into islands, and come out of them.
  package let entering, leaving: Int
  /// Maps that are brought into another order within islands.
  package let rearranged: Int
}

extension LoweredNetwork {
  /// The partition between engine and definition.
  package var partition: Partition {
    var (nodes, plans, entering, leaving) = ([Partition.Node](), [Plan](), 0, 0)
    for stage in stages {
      switch stage {
      case .island(let island):
        nodes += island.nodes.map { $0.listed(in: plans.count) }
        plans.append(island.session.plan)
        entering += island.inputs.count
        leaving += island.outputs.count
      case .plain(let list): nodes += list.map { $0.listed(in: nil) }
      }
    }
    let rearranged = plans.flatMap(\.layers).count { $0.operation == "rearrange" }
    return Partition(
      nodes: nodes, plans: plans, entering: entering, leaving: leaving, rearranged: rearranged)
  }

  /// The sessions of the islands, in running order.
  package var sessions: [Session] {
    stages.compactMap { if case .island(let island) = $0 { island.session } else { nil } }
  }
}

extension ProgramNode {
  fileprivate func listed(in island: Int?) -> Partition.Node {
    Partition.Node(name: name, operators: steps.map(\.type), island: island)
  }
}
