// From a plan to steps: offsets become pointers. All pointer arithmetic of a session is here.

import NNKernelInterface

/// Makes the steps of a session and what they read: packed weights, constants, resize tables.
struct StepBuilder {
  let plan: Plan
  let arena: FloatMemory
  let weights: PackedWeights
  let pool: ThreadPool
  private(set) var constants: [ValueID: FloatMemory] = [:]
  let zeros: FloatMemory

  init(plan: Plan, arena: FloatMemory, weights: PackedWeights, pool: ThreadPool) {
    self.plan = plan
    self.arena = arena
    self.weights = weights
    self.pool = pool
    zeros = FloatMemory(count: (plan.placement.shapes.map(\.channels).max() ?? 0) + 64)
  }

  var shapes: [MapShape] { plan.placement.shapes }

  /// The steps in running order.
  mutating func steps() -> [Step] {
    packWeights()
    var steps: [Step] = []
    for (index, node) in plan.placement.nodes.enumerated() {
      if case .constant(let tensor) = node.operation {
        constants[node.output] = FloatMemory(tensor.floats())
      } else if let step = step(node, index) {
        steps.append(step)
      }
    }
    return steps
  }

  /// The step of the kernel that the plan chose; nil only where the plan says that there is no work.
  private func step(_ node: Node, _ index: Int) -> Step? {
    switch plan.kernels[index] {
    case .none: nil
    case .convolution(let layer, let kernel): convolution(node, index, layer, kernel)
    case .transposedConvolution(let layer, let kernel): transposed(node, index, layer, kernel)
    case .depthwise(let layer, let kernel): depthwise(node, index, layer, kernel)
    case .maxPool(let window, let kernel): maxPool(node, index, window, kernel)
    case .resize(let kind, let kernel): resize(node, index, kind, kernel)
    case .layerNorm(let norm, let kernel): layerNorm(node, index, norm, kernel)
    case .softmax(let kernel): softmax(node, index, kernel)
    case .elementwise(let layer, let kernel): elementwise(node, index, layer, kernel)
    case .attention(let layout, let kernel): attention(node, index, layout, kernel)
    }
  }

  private func elementwise(
    _ node: Node, _ index: Int, _ layer: LayerKernel.ElementwiseLayer, _ kernel: Kernel<ElementwiseTask>
  ) -> Step {
    func step(
      _ operation: ElementwiseOperation, _ activation: Activation = .none, _ scale: FloatMemory? = nil,
      _ shift: FloatMemory? = nil
    ) -> Step {
      let output = shapes[node.output]
      return self.step(
        index, kernel, elementwiseTask(node, operation, activation, scale, shift), items: output.pixels,
        together: pixelsTogether(output))
    }
    switch layer {
    case .affine(let scale, let shift): return step(.affine, .none, FloatMemory(scale), FloatMemory(shift))
    case .activation(let activation): return step(.unary, activation)
    case .add: return step(.add)
    case .copy: return step(.unary)
    case .prependToken(let token): return prepend(node, index, FloatMemory(token), kernel)
    }
  }

  // MARK: Memory

  func pointer(_ value: ValueID) -> UnsafeMutablePointer<Float> {
    let location = plan.placement.locations[value]
    if let constant = constants[location.buffer] { return unsafe constant.base + location.offset }
    let buffer = unsafe arena.base + plan.bufferOffsets[location.buffer]!
    return unsafe plan.elements[value].pointer(buffer, offset: location.offset)
  }

  func map(_ value: ValueID) -> MapPointer {
    let stride = plan.placement.locations[value].pixelStride
    return unsafe MapPointer(
      base: pointer(value), pixelStride: stride, rowStride: stride * shapes[value].width,
      element: plan.elements[value])
  }

  func mutableMap(_ value: ValueID) -> MutableMapPointer {
    let stride = plan.placement.locations[value].pixelStride
    return unsafe MutableMapPointer(
      base: pointer(value), pixelStride: stride, rowStride: stride * shapes[value].width,
      element: plan.elements[value])
  }

  /// A step of a kernel over `items` (rows, pixels) in chunks of about `together`.
  func step<Task>(
    _ index: Int, _ kernel: Kernel<Task>, _ task: TaskMemory<Task>, items: Int, together: Int
  ) -> Step {
    let run = unsafe kernel.run
    return unsafe step(index, items: items, together: together, scratch: kernel.scratch(task.pointer)) {
      unsafe run(task.pointer, $0)
    }
  }

  /// A step over `items` in chunks of about `together`.
  private func step(
    _ index: Int, items: Int, together: Int, scratch: Int,
    _ body: @escaping @Sendable (Share) -> Void
  ) -> Step {
    let chunks = max(1, min(items, (items + together - 1) / max(1, together)))
    return unsafe Step(layer: index, chunks: chunks, scratchFloats: scratch) { chunk, scratch in
      unsafe body(Share(items: items * chunk / chunks..<items * (chunk + 1) / chunks, scratch: scratch))
    }
  }

  /// Rows that make about 32,000 elements.
  func rowsTogether(_ shape: MapShape) -> Int { max(1, 32_768 / (shape.width * shape.channels)) }
  /// Pixels that make about 32,000 elements.
  func pixelsTogether(_ shape: MapShape) -> Int { max(1, 32_768 / shape.channels) }

  // MARK: Windows and resizing

  private func maxPool(
    _ node: Node, _ index: Int, _ window: PoolWindow, _ kernel: Kernel<PoolTask>
  ) -> Step {
    let (input, output) = (shapes[node.inputs[0]], shapes[node.output])
    let task = TaskMemory(
      PoolTask(
        inHeight: input.height, inWidth: input.width, outHeight: output.height, outWidth: output.width,
        channels: output.channels, kernel: window.edge, stride: window.stride, padding: window.padding,
        input: map(node.inputs[0]), output: mutableMap(node.output)), keeping: [arena])
    return step(index, kernel, task, items: output.height, together: rowsTogether(output))
  }

  private func resize(
    _ node: Node, _ index: Int, _ interpolation: Interpolation, _ kernel: Kernel<ResizeTask>
  ) -> Step {
    let (input, output) = (shapes[node.inputs[0]], shapes[node.output])
    let (resampling, tables) = resampling(input, output.height, output.width, interpolation)
    let task = TaskMemory(
      ResizeTask(
        inHeight: input.height, inWidth: input.width, outHeight: output.height, outWidth: output.width,
        channels: output.channels, resampling: resampling, input: map(node.inputs[0]),
        residual: node.inputs.count > 1 ? map(node.inputs[1]) : nil, output: mutableMap(node.output)),
      keeping: [arena] + tables + operands)
    return step(index, kernel, task, items: output.height, together: rowsTogether(output))
  }

  /// The tables of a resize of a map of shape `input`, and what owns them.
  func resampling(
    _ input: MapShape, _ height: Int, _ width: Int, _ interpolation: Interpolation
  ) -> (Resampling, [AnyObject]) {
    let rows = ResampleTable(from: input.height, to: height, interpolation)
    let columns = ResampleTable(from: input.width, to: width, interpolation)
    let (rowIndices, columnIndices) = (TaskMemory(array: rows.indices), TaskMemory(array: columns.indices))
    let (rowWeights, columnWeights) = (FloatMemory(rows.weights), FloatMemory(columns.weights))
    return unsafe (
      Resampling(
        taps: rows.taps, rowIndices: rowIndices.pointer, columnIndices: columnIndices.pointer,
        rowWeights: rowWeights.base, columnWeights: columnWeights.base),
      [rowIndices, columnIndices, rowWeights, columnWeights]
    )
  }

  // MARK: Tokens and elements

  private func layerNorm(
    _ node: Node, _ index: Int, _ norm: LayerNormParameters, _ kernel: Kernel<LayerNormTask>
  ) -> Step {
    let output = shapes[node.output]
    let (normalisation, parameters) = normalisation(norm)
    let task = TaskMemory(
      LayerNormTask(
        channels: output.channels, input: map(node.inputs[0]), output: mutableMap(node.output),
        normalisation: normalisation), keeping: [arena] + parameters)
    return step(index, kernel, task, items: output.pixels, together: pixelsTogether(output))
  }

  /// A normalization, and the memory that its pointers lead to.
  func normalisation(_ norm: LayerNormParameters) -> (Normalisation, [FloatMemory]) {
    let (gamma, beta) = (FloatMemory(norm.gamma), FloatMemory(norm.beta))
    return unsafe (
      Normalisation(gamma: gamma.base, beta: beta.base, epsilon: norm.epsilon), [gamma, beta]
    )
  }

  private func softmax(_ node: Node, _ index: Int, _ kernel: Kernel<ElementwiseTask>) -> Step {
    let output = shapes[node.output]
    return step(
      index, kernel, elementwiseTask(node, .unary, .none, nil, nil), items: output.pixels,
      together: pixelsTogether(output))
  }

  private func elementwiseTask(
    _ node: Node, _ operation: ElementwiseOperation, _ activation: Activation, _ scale: FloatMemory?,
    _ shift: FloatMemory?
  ) -> TaskMemory<ElementwiseTask> {
    let output = shapes[node.output]
    return unsafe TaskMemory(
      ElementwiseTask(
        operation: operation, activation: activation, width: output.width, channels: output.channels,
        a: map(node.inputs[0]), b: node.inputs.count > 1 ? map(node.inputs[1]) : nil,
        scale: scale.map { unsafe UnsafePointer($0.base) },
        shift: shift.map { unsafe UnsafePointer($0.base) },
        output: mutableMap(node.output)), keeping: [arena, scale, shift].compactMap(\.self) + operands)
  }

  private func prepend(
    _ node: Node, _ index: Int, _ token: FloatMemory, _ kernel: Kernel<ElementwiseTask>
  ) -> Step {
    let target = unsafe pointer(node.output)
    let channels = shapes[node.output].channels
    let task = unsafe TaskMemory(
      ElementwiseTask(
        operation: .unary, activation: .none, width: 1, channels: channels,
        a: MapPointer(base: token.base, pixelStride: channels, rowStride: channels), b: nil, scale: nil,
        shift: nil, output: MutableMapPointer(base: target, pixelStride: channels, rowStride: channels)),
      keeping: [arena, token])
    return step(index, kernel, task, items: 1, together: 1)
  }

  private func attention(
    _ node: Node, _ index: Int, _ layout: AttentionLayout, _ kernel: Kernel<AttentionTask>
  ) -> Step {
    let output = plan.placement.locations[node.output]
    let input = plan.placement.locations[node.inputs[0]]
    let base = unsafe pointer(node.inputs[0])
    let element = plan.elements[node.inputs[0]]
    var attention = unsafe AttentionTask(
      tokens: shapes[node.output].pixels, heads: layout.heads, keyWidth: layout.keyWidth,
      valueWidth: layout.valueWidth, scale: layout.scale,
      query: element.pointer(base, offset: layout.queryOffset),
      key: element.pointer(base, offset: layout.keyOffset),
      value: element.pointer(base, offset: layout.valueOffset), tokenStride: input.pixelStride,
      queryHeadStride: layout.queryHeadStride, keyHeadStride: layout.keyHeadStride,
      valueHeadStride: layout.valueHeadStride, output: pointer(node.output),
      outputTokenStride: output.pixelStride, outputHeadStride: layout.valueWidth)
    attention.element = element
    attention.outputElement = plan.elements[node.output]
    let task = TaskMemory(attention, keeping: [arena])
    let groups = (attention.tokens + kernel.together - 1) / kernel.together
    return step(index, kernel, task, items: attention.heads * groups, together: 1)
  }
}
