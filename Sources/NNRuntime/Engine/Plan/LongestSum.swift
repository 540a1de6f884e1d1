extension Plan {
  /// Products in the longest sum of an element of a step's result.
  package func longestSum(ofStep step: Int) -> Int {
    let node = assignment.nodes[step]
    guard let input = node.inputs.first else { return 1 }
    return node.operation.longestSum(of: assignment.shapes[input])
  }
}
