import NNKernelInterface

extension Plan {

  /// Bytes that each layer has to read and write at least once: inputs, weights, output.
  ///
  /// It is the layer's definition that counts, not the caches: with the operations it gives the arithmetic
  /// intensity.
  package var layerBytes: [Int] {
    assignment.nodes.enumerated().map { index, node in
      if case .none = kernels[index] { return 0 }
      let maps = (node.inputs + [node.output]).reduce(0) {
        $0 + assignment.shapes[$1].count * elements[$1].size
      }
      return maps + node.operation.parameterCount * elements.products(index).size
    }
  }

  /// Bytes of intermediate results that are alive while each layer runs.
  package var liveBytes: [Int] {
    let requests = assignment.requests(graph, elements, retain: options.retain).requests
    return assignment.nodes.indices.map { index in
      requests.reduce(0) { $0 + ($1.lifetime.contains(index) ? $1.count : 0) } * MemoryLayout<Float>.stride
    }
  }
}

extension ProductElement {
  /// Bytes of a factor.
  fileprivate var size: Int {
    switch self {
    case .float32: 4
    case .bfloat16, .float16, .int16: 2
    case .int8: 1
    }
  }
}
