import FileFormats
import NNKernelInterface

/// Where the heads of an attention find queries, keys and values in the channels of their input.
public struct AttentionLayout: Hashable, Sendable {
  /// Number of heads.
  public var heads: Int
  /// Channels of one head's query (and key), and of its value.
  public var keyWidth, valueWidth: Int
  /// First query, key and value channel of head 0.
  public var queryOffset, keyOffset, valueOffset: Int
  /// Channels from one head to the next, for queries, keys and values.
  public var queryHeadStride, keyHeadStride, valueHeadStride: Int
  /// Factor on q k^T.
  public var scale: Float

  /// `[q | k | v]`, each with all heads side by side, as in a vision transformer.
  public static func packed(heads: Int, width: Int) -> AttentionLayout {
    let channels = heads * width
    return AttentionLayout(
      heads: heads, keyWidth: width, valueWidth: width, queryOffset: 0, keyOffset: channels,
      valueOffset: 2 * channels, queryHeadStride: width, keyHeadStride: width, valueHeadStride: width,
      scale: 1 / Float(width).squareRoot())
  }

  /// Heads side by side, each with its own `q, k, v`, as in YOLO11's C2PSA.
  public static func interleaved(heads: Int, keyWidth: Int, valueWidth: Int) -> AttentionLayout {
    let stride = 2 * keyWidth + valueWidth
    return AttentionLayout(
      heads: heads, keyWidth: keyWidth, valueWidth: valueWidth, queryOffset: 0, keyOffset: keyWidth,
      valueOffset: 2 * keyWidth, queryHeadStride: stride, keyHeadStride: stride, valueHeadStride: stride,
      scale: 1 / Float(keyWidth).squareRoot())
  }
}

/// Scaled dot-product attention of all pixels (tokens) with each other.
package struct Attention: Operator {
  package var layout: AttentionLayout

  package init(_ layout: AttentionLayout) { self.layout = layout }

  package var name: String { "attention" }
  package var placing: Placing { .own }
  package var parameterCount: Int { 0 }

  package func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    let (input, last) = (inputs[0], layout.heads - 1)
    let starts = [layout.queryOffset, layout.keyOffset, layout.valueOffset]
    let strides = [layout.queryHeadStride, layout.keyHeadStride, layout.valueHeadStride]
    let fits =
      (starts + strides + [layout.heads, layout.keyWidth, layout.valueWidth]).allSatisfy {
        (0...MapShape.mostAlongSide).contains($0)
      }
      && layout.queryOffset + last * layout.queryHeadStride + layout.keyWidth <= input.channels
      && layout.keyOffset + last * layout.keyHeadStride + layout.keyWidth <= input.channels
      && layout.valueOffset + last * layout.valueHeadStride + layout.valueWidth <= input.channels
    guard fits, layout.heads > 0, layout.keyWidth > 0, layout.valueWidth > 0 else {
      throw .wrongInputs(
        inputs, needed: "which \(counted(layout.heads, "head")) of this layout do not fit into")
    }
    return MapShape(height: input.height, width: input.width, channels: layout.heads * layout.valueWidth)
  }

  package func operations(_ node: Node, _ shapes: [MapShape]) -> Double {
    let output = node.partOf ?? shapes[node.output]
    let pairs = Double(output.pixels) * Double(output.pixels) * Double(layout.heads)
    return 2 * pairs * Double(layout.keyWidth + layout.valueWidth)
  }

  package func longestSum(of input: MapShape) -> Int { max(input.pixels, layout.keyWidth) }

  package func reduced(
    _ node: Node, _ shapes: [MapShape], _ arithmetic: Arithmetic, isOutput: Bool
  ) -> ReducedProducts {
    isOutput ? .floats : .products(arithmetic.attention)
  }

  package func floats(_ reduced: ReducedProducts) -> FloatMaps { reduced.element == .float32 ? .all : .none }
  package var elementwiseStep: ElementwiseStep { .none }
  package var multiples: ResultMultiples { .any }
  package func joined(with step: ElementwiseStep, hasResidual: Bool) -> (any Operator)? { nil }

  package func choice(_ layer: PlacedNode, _ choosing: LayerChoice) -> (AlgorithmChoice, LayerKernel) {
    let products = choosing.elements.products(layer.index)
    let reason =
      switch products {
      case .int8: "scores of 8-bit integers where they are bounded, weights in bf16; "
      case .int16: "products of 16-bit integers, a scale per query and key; "
      case .bfloat16: "\(Arithmetic.rounded), "
      case .float32, .float16: ""
      }
    let kernel = choosing.first(AttentionTask.self, layer.node, products: products)
    return (
      AlgorithmChoice(algorithm: .blocked, reason: reason + "scores stay in the cache"),
      .kernel(BoundKernel(kernel.fullName) { step(layer, kernel, $0) })
    )
  }

  private func step(_ layer: PlacedNode, _ kernel: Kernel<AttentionTask>, _ builder: StepBuilder) -> Step {
    let node = layer.node
    let locations = builder.plan.assignment.locations
    let (input, output) = (locations[node.inputs[0]], locations[node.output])
    let base = unsafe builder.pointer(node.inputs[0])
    let element = builder.plan.elements[node.inputs[0]]
    var attention = unsafe AttentionTask(
      tokens: builder.shapes[node.output].pixels, heads: layout.heads, keyWidth: layout.keyWidth,
      valueWidth: layout.valueWidth, scale: layout.scale,
      query: element.pointer(base, offset: layout.queryOffset),
      key: element.pointer(base, offset: layout.keyOffset),
      value: element.pointer(base, offset: layout.valueOffset), tokenStride: input.pixelStride,
      queryHeadStride: layout.queryHeadStride, keyHeadStride: layout.keyHeadStride,
      valueHeadStride: layout.valueHeadStride, output: builder.pointer(node.output),
      outputTokenStride: output.pixelStride, outputHeadStride: layout.valueWidth)
    attention.element = element
    attention.outputElement = builder.plan.elements[node.output]
    let task = TaskMemory(attention, keeping: [builder.arena])
    let groups = (attention.tokens + kernel.together - 1) / kernel.together
    return builder.step(layer.index, kernel, task, items: attention.heads * groups, together: 1)
  }

  /// Items are queries, one head after another.
  static let plain = PlainKernel<AttentionTask>(
    name: "attention-f32", computes: "attention", tolerance: .attention, scratch: { $0.keyTokens }
  ) { task, share in
    for item in share.items {
      let (place, token) = (item / task.tokens, item % task.tokens)
      let (group, head) = (place / task.heads, place % task.heads)
      let query = unsafe task.query + group * task.queryGroupStride + head * task.queryHeadStride
      let keys = unsafe task.key + group * task.keyGroupStride + head * task.keyHeadStride
      let values = unsafe task.value + group * task.valueGroupStride + head * task.valueHeadStride
      let scores = unsafe share.scratch
      for other in 0..<task.keyTokens {
        var sum = 0.0
        for index in 0..<task.keyWidth {
          sum +=
            unsafe Double(query[token * task.tokenStride + index])
            * Double(keys[other * task.keyTokenStride + index])
        }
        unsafe scores[other] = Float(sum)
      }
      var scale = task.scale
      if let addends = unsafe task.addends {
        let first = unsafe addends + group * task.addendGroupStride + head * task.addendHeadStride + token
        for other in 0..<task.keyTokens {
          unsafe scores[other] = scores[other] * scale + first[other * task.addendKeyStride]
        }
        scale = 1
      }
      unsafe PlainKernels.softmaxRow(scores, scores, count: task.keyTokens, scale: scale)
      let output = unsafe task.output + group * task.outputGroupStride + head * task.outputHeadStride
      for channel in 0..<task.valueWidth {
        var sum = 0.0
        for other in 0..<task.keyTokens {
          sum += unsafe Double(scores[other]) * Double(values[other * task.valueTokenStride + channel])
        }
        unsafe output[token * task.outputTokenStride + channel] = Float(sum)
      }
    }
  }
}

extension Value {
  /// Scaled dot-product attention of all pixels (tokens) with each other; this value holds queries, keys
  /// and values as `layout` says.
  ///
  /// The result has heads x value width channels.
  public func attention(_ layout: AttentionLayout, name: String) -> Value {
    applying(Attention(layout), name: name)
  }
}
