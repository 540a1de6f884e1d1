import FileFormats
import NNKernelInterface

/// Scaled dot-product attention of queries, keys and values of several maps, in groups, with addends on the products.
struct SeparateAttention: Operator {
  /// (groups, heads, tokens, width); as many keys as values.
  var query, key, value: MapWalk
  /// Factor on q k^T.
  var scale: Float
  /// Whether a fourth input holds what is added to the products: (groups, heads, keys) pixels of all queries, where one
  /// group or one head stands for all.
  var addends: (groups: Int, heads: Int)?

  private var groups: Int { query.axes[0].size }
  private var heads: Int { query.axes[1].size }
  private var tokens: Int { query.axes[2].size }
  private var keys: Int { key.axes[2].size }
  private var keyWidth: Int { query.axes[3].size }
  private var valueWidth: Int { value.axes[3].size }

  var name: String { "attention" }
  var placing: Placing { .own }
  var parameterCount: Int { 0 }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    let walks = [query, key, value]
    guard walks.allSatisfy({ $0.axes.count == 4 && $0.axes[3].stride == 1 && $0.axes[0].size == groups }),
      walks.allSatisfy({ $0.axes[1].size == heads }), keys == value.axes[2].size,
      key.axes[3].size == keyWidth
    else {
      throw .wrongAttributes(
        "queries, keys and values of \(walks.map { $0.axes.map(\.size) }), groups, heads, tokens, width")
    }
    guard zip(walks, inputs).allSatisfy({ $0.fits($1) }) else {
      throw .wrongInputs(inputs, needed: "beyond which queries, keys or values reach")
    }
    if let addends {
      guard addends.groups == 1 || addends.groups == groups, addends.heads == 1 || addends.heads == heads,
        inputs[3].pixels == addends.groups * addends.heads * keys, inputs[3].channels == tokens
      else {
        throw .wrongInputs(
          inputs,
          needed:
            "where addends of \(counted(addends.groups * addends.heads * keys, "pixel")) and \(counted(tokens, "channel")) fit"
        )
      }
    }
    return try .result(height: groups, width: tokens, channels: heads * valueWidth)
  }

  func operations(_ node: Node, _ shapes: [MapShape]) -> Double {
    2 * Double(groups * heads) * Double(tokens) * Double(keys) * Double(keyWidth + valueWidth)
  }

  func longestSum(of input: MapShape) -> Int { max(keys, keyWidth) }

  func reduced(
    _ node: Node, _ shapes: [MapShape], _ arithmetic: Arithmetic, isOutput: Bool
  ) -> ReducedProducts { .floats }

  func floats(_ reduced: ReducedProducts) -> FloatMaps { .all }
  var elementwiseStep: ElementwiseStep { .none }
  var multiples: ResultMultiples { .any }
  func joined(with step: ElementwiseStep, hasResidual: Bool) -> (any Operator)? { nil }

  func choice(_ layer: PlacedNode, _ choosing: LayerChoice) -> (AlgorithmChoice, LayerKernel) {
    let kernel = choosing.first(AttentionTask.self, layer.node)
    return (
      AlgorithmChoice(algorithm: .blocked, reason: "scores stay in the cache"),
      .kernel(BoundKernel(kernel.fullName) { step(layer, kernel, $0) })
    )
  }

  private func step(_ layer: PlacedNode, _ kernel: Kernel<AttentionTask>, _ builder: StepBuilder) -> Step {
    let (node, locations) = (layer.node, builder.plan.assignment.locations)
    let output = locations[node.output].pixelStride
    let walks = zip([query, key, value], node.inputs).map { builder.placed($0, in: $1) }
    func base(_ index: Int) -> UnsafePointer<Float> {
      unsafe UnsafePointer(builder.pointer(node.inputs[index]) + walks[index].offset)
    }
    var task = unsafe AttentionTask(
      tokens: tokens, heads: heads, keyWidth: keyWidth, valueWidth: valueWidth, scale: scale, query: base(0),
      key: base(1), value: base(2), tokenStride: walks[0].axes[2].stride,
      queryHeadStride: walks[0].axes[1].stride, keyHeadStride: walks[1].axes[1].stride,
      valueHeadStride: walks[2].axes[1].stride, output: builder.pointer(node.output),
      outputTokenStride: output, outputHeadStride: valueWidth)
    (task.keyTokens, task.keyTokenStride, task.valueTokenStride) = (
      keys, walks[1].axes[2].stride, walks[2].axes[2].stride
    )
    (task.groups, task.outputGroupStride) = (groups, tokens * output)
    (task.queryGroupStride, task.keyGroupStride, task.valueGroupStride) = (
      walks[0].axes[0].stride, walks[1].axes[0].stride, walks[2].axes[0].stride
    )
    if let addends {
      let stride = locations[node.inputs[3]].pixelStride
      unsafe task.addends = UnsafePointer(builder.pointer(node.inputs[3]))
      task.addendKeyStride = stride
      task.addendHeadStride = addends.heads > 1 ? keys * stride : 0
      task.addendGroupStride = addends.groups > 1 ? addends.heads * keys * stride : 0
    }
    let memory = TaskMemory(task, keeping: [builder.arena] + builder.operands)
    let items = groups * heads * ((tokens + kernel.together - 1) / kernel.together)
    // A small window is little work for a thread.
    let work = max(1, min(tokens, kernel.together) * keys * (keyWidth + valueWidth))
    return builder.step(layer.index, kernel, memory, items: items, together: max(1, 500_000 / work))
  }
}

extension Value {
  /// Where an attention finds what is added to its products: a map of (groups, heads, keys) pixels of all queries.
  public struct AttentionAddends {
    /// The map.
    public var map: Value
    /// As many as the attention has, or one for all.
    public var groups, heads: Int

    /// Addends of `map` for this number of groups and heads.
    public init(_ map: Value, groups: Int, heads: Int) {
      self.map = map
      self.groups = groups
      self.heads = heads
    }
  }

  /// Scaled dot-product attention: this map holds queries, others keys and values, each (groups, heads, tokens, width)
  /// with the width next to each other.
  ///
  /// The result has a pixel for each group and query, of heads x value width channels.
  public func attention(
    _ query: MapWalk, keys: Value, _ key: MapWalk, values: Value, _ value: MapWalk, scale: Float,
    addends: AttentionAddends? = nil, name: String
  ) -> Value {
    applying(
      SeparateAttention(
        query: query, key: key, value: value, scale: scale,
        addends: addends.map { (groups: $0.groups, heads: $0.heads) }),
      to: [keys, values] + (addends.map { [$0.map] } ?? []), name: name)
  }
}
