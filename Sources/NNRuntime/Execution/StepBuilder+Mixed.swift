// Steps of plans in bf16: convolutions on the kernels of reduced precision, and all others on kernels that read and
// write maps of either element type.

import NNKernelInterface

extension StepBuilder {
  /// The step of a node that multiplies in bf16, or that has a bf16 map.
  func mixedStep(_ node: Node, _ index: Int, _ mixed: MixedKernelTable) -> Step? {
    switch node.operation {
    case .convolution(let layer) where plan.elements.multipliesReduced(index):
      return reducedConvolution(node, index, layer, mixed)
    case .transposedConvolution(let layer):
      return reducedTransposed(node, index, layer, mixed)
    default:
      return reading(mixed).plainStep(node, index)
    }
  }

  /// This builder with kernels that read and make maps of either element type.
  private func reading(_ mixed: MixedKernelTable) -> StepBuilder {
    var builder = self
    builder.kernels = kernels.reading(mixed)
    return builder
  }

  /// The builder of a node: with other kernels where Winograd multiplies integers.
  func withIntegers(_ index: Int) -> StepBuilder {
    guard let mixed = plan.mixedKernels, plan.elements.integerChoice(index) != nil else { return self }
    return reading(mixed)
  }

  /// Packs the weights of a node that multiplies in bf16.
  func packReduced(_ node: Node, _ staging: StagingMemory) {
    guard let mixed = plan.mixedKernels else { return }
    switch node.operation {
    case .convolution(let layer): _ = packedReduced(node, layer, mixed, staging)
    case .transposedConvolution(let layer):
      for part in 0..<layer.stride * layer.stride { _ = packedReduced(node, layer, part, mixed) }
    default: break
    }
  }

  private func packedReduced(
    _ node: Node, _ layer: Convolution, _ mixed: MixedKernelTable, _ staging: StagingMemory = StagingMemory()
  ) -> FloatMemory {
    let shape = node.convolutionShape(layer, plan.placement.shapes)
    return weights.memory(reducedKey(node, .direct)) {
      let memory = FloatMemory(count: mixed.packedConvolutionCount(shape))
      unsafe layer.withWeights(staging) { source in
        unsafe withPointer(layer.scale) { unsafe mixed.packConvolution(shape, source, $0, memory.base) }
      }
      return memory
    }
  }

  /// One position of a transposed convolution's kernel.
  private func packedReduced(
    _ node: Node, _ layer: Convolution, _ part: Int, _ mixed: MixedKernelTable
  ) -> FloatMemory {
    let shape = node.subpixelShape(layer, plan.placement.shapes)
    return weights.memory(reducedKey(node, .subpixel, part: part)) {
      let slice = layer.subpixelWeights(part)
      let memory = FloatMemory(count: mixed.packedConvolutionCount(shape))
      unsafe withPointer(layer.scale) { unsafe mixed.packConvolution(shape, slice, $0, memory.base) }
      return memory
    }
  }

  private func reducedKey(_ node: Node, _ algorithm: Algorithm, part: Int = 0) -> PackedWeights.Key {
    PackedWeights.Key(node, algorithm, kernels: "bf16", part: part)
  }

  private func reducedConvolution(
    _ node: Node, _ index: Int, _ layer: Convolution, _ mixed: MixedKernelTable
  ) -> Step {
    let task = convolutionTask(
      node, node.convolutionShape(layer, plan.placement.shapes), layer,
      weights: packedReduced(node, layer, mixed))
    return step(index, [task], mixed)
  }

  private func reducedTransposed(
    _ node: Node, _ index: Int, _ layer: Convolution, _ mixed: MixedKernelTable
  ) -> Step {
    let shape = node.subpixelShape(layer, plan.placement.shapes)
    let output = mutableMap(node.output)
    let tasks = (0..<layer.stride * layer.stride).map { part in
      let (task, owners) = plainTask(
        shape, layer, input: map(node.inputs[0]), output: output.everyPixel(layer.stride, part),
        weights: packedReduced(node, layer, part, mixed))
      return TaskMemory(task, keeping: owners)
    }
    return step(index, tasks, mixed)
  }

  /// One step of convolutions of the same shape.
  private func step(
    _ index: Int, _ tasks: [TaskMemory<ConvolutionTask>], _ mixed: MixedKernelTable
  ) -> Step {
    let tasks = tasks.map(Self.flattened)
    let shape = unsafe tasks[0].pointer.pointee.shape
    let grid = MixedWorkGrid(shape, panelWidth: mixed.panelWidth)
    let kernel = unsafe mixed.convolution
    return unsafe Step(
      layer: index, chunks: grid.chunks * tasks.count,
      scratchFloats: mixed.convolutionScratch(shape, grid.rowsTogether)
    ) { chunk, scratch in
      let (part, piece) = chunk.quotientAndRemainder(dividingBy: grid.chunks)
      let (rows, panels) = grid.range(piece)
      unsafe kernel(
        tasks[part].pointer, rows.lowerBound, rows.upperBound, panels.lowerBound, panels.upperBound, scratch)
    }
  }

  /// A product over pixels as a map of one pixel a row, where the rows of its maps follow each other without a gap:
  /// then its rows are read where they lie.
  private static func flattened(_ task: TaskMemory<ConvolutionTask>) -> TaskMemory<ConvolutionTask> {
    var flat = unsafe task.pointer.pointee
    let shape = flat.shape
    let isProduct =
      shape.kernelHeight == 1 && shape.kernelWidth == 1 && shape.stride == 1 && shape.padding == 0
    let isDense =
      flat.output.rowStride == flat.output.pixelStride * shape.outWidth
      && flat.input.rowStride == flat.input.pixelStride * shape.inWidth
      && flat.residual.map { $0.rowStride == $0.pixelStride * shape.outWidth } ?? true
    guard isProduct, isDense else { return task }
    let pixels = shape.outHeight * shape.outWidth
    flat.shape.inHeight = pixels
    flat.shape.outHeight = pixels
    flat.shape.inWidth = 1
    flat.shape.outWidth = 1
    flat.input.rowStride = flat.input.pixelStride
    flat.output.rowStride = flat.output.pixelStride
    if var residual = flat.residual {
      residual.rowStride = residual.pixelStride
      flat.epilogue = .residual(residual)
    }
    return TaskMemory(flat, keeping: [task])
  }
}

extension KernelTable {
  /// These kernels, but for maps of either element type those of `mixed`.
  fileprivate func reading(_ mixed: MixedKernelTable) -> KernelTable {
    var table = self
    table.name = mixed.name
    if let winograd = mixed.winograd {
      table.smallWinograd = winograd(.four)
      table.largeWinograd = winograd(.six)
    }
    unsafe table.depthwise = mixed.depthwise
    unsafe table.maxPool = mixed.maxPool
    unsafe table.resize = mixed.resize
    unsafe table.resizeScratch = mixed.resizeScratch
    unsafe table.layerNorm = mixed.layerNorm
    unsafe table.elementwise = mixed.elementwise
    unsafe table.attention = mixed.attention
    unsafe table.attentionItems = mixed.attentionItems
    unsafe table.attentionScratch = mixed.attentionScratch
    return table
  }
}
