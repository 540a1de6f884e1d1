extension Plan {
  /// Products in the longest sum of an element of a step's result.
  package func longestSum(ofStep step: Int) -> Int {
    let node = placement.nodes[step]
    guard let input = node.inputs.first else { return 1 }
    return node.operation.longestSum(of: placement.shapes[input])
  }
}
