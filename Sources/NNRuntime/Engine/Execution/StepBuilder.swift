// From a plan to steps: offsets become pointers. All pointer arithmetic of a session is here.

import NNKernelInterface

/// Makes the steps of a session and what they read: packed weights, constants, resize tables.
package struct StepBuilder {
  let plan: Plan
  let arena: FloatMemory
  let weights: PackedWeights
  let pool: ThreadPool
  private(set) var constants: [ValueID: FloatMemory] = [:]
  let zeros: FloatMemory
  /// The shapes of one image's maps.
  let shapes: [MapShape]
  /// The image of a batch that steps are made for.
  private var image = 0

  init(plan: Plan, arena: FloatMemory, weights: PackedWeights, pool: ThreadPool) {
    self.plan = plan
    self.arena = arena
    self.weights = weights
    self.pool = pool
    shapes = plan.assignment.imageShapes
    zeros = FloatMemory(count: (shapes.map(\.channels).max() ?? 0) + 64)
  }

  /// All constants: kept alive by every task, since any may be its second input.
  var operands: [FloatMemory] { Array(constants.values) }

  /// The steps in running order: one for each layer that a kernel computes.
  mutating func steps() -> [Step] {
    packWeights()
    var steps: [Step] = []
    for (node, kernel) in zip(plan.assignment.nodes, plan.kernels) {
      if let constant = node.operation as? Constant {
        constants[node.output] = FloatMemory(constant.tensor.floats())
      }
      switch kernel {
      case .none: break
      case .kernel(let bound): steps.append(step(bound, images: plan.assignment.shapes[node.output].images))
      }
    }
    return steps
  }

  /// The step of a layer: that of each image, whose chunks follow each other.
  private func step(_ bound: BoundKernel, images: Int) -> Step {
    let first = bound.step(self)
    guard images > 1 else { return first }
    let others = (1..<images).map { image in
      var builder = self
      builder.image = image
      return bound.step(builder)
    }
    let steps = [first] + others
    return unsafe Step(
      layer: first.layer, chunks: images * first.chunks, scratchFloats: first.scratchFloats
    ) { chunk, scratch in
      let (image, piece) = chunk.quotientAndRemainder(dividingBy: first.chunks)
      unsafe steps[image].body(piece, scratch)
    }
  }

  /// Packs the weights of all layers, the layers shared out over the threads.
  ///
  /// The largest come first: what is needed to pack them is given back before most of the packed ones are there.
  private func packWeights() {
    let layers = zip(plan.assignment.nodes, plan.kernels).compactMap { node, kernel in
      if case .kernel(let bound) = kernel, let pack = bound.pack {
        (pack: pack, weights: node.operation.parameterCount)
      } else {
        nil
      }
    }.sorted { $0.weights > $1.weights }
    let staging = (0..<pool.threads).map { _ in StagingMemory() }
    let builder = self
    pool.run(layers.count) { layer, thread in layers[layer].pack(builder, staging[thread]) }
  }

  // MARK: Memory

  func pointer(_ value: ValueID) -> UnsafeMutablePointer<Float> {
    let location = plan.assignment.locations[value]
    let offset = location.offset + image * location.imageStride
    if let constant = constants[location.buffer] { return unsafe constant.base + offset }
    let buffer = unsafe arena.base + plan.bufferOffsets[location.buffer]!
    return unsafe plan.elements[value].pointer(buffer, offset: offset)
  }

  func map(_ value: ValueID) -> MapPointer {
    let stride = plan.assignment.locations[value].pixelStride
    return unsafe MapPointer(
      base: pointer(value), pixelStride: stride, rowStride: stride * shapes[value].width,
      element: plan.elements[value])
  }

  func mutableMap(_ value: ValueID) -> MutableMapPointer {
    let stride = plan.assignment.locations[value].pixelStride
    return unsafe MutableMapPointer(
      base: pointer(value), pixelStride: stride, rowStride: stride * shapes[value].width,
      element: plan.elements[value])
  }

  /// A step of a kernel over `items` (rows, pixels) in chunks of about `together`.
  func step<Task>(
    _ index: Int, _ kernel: Kernel<Task>, _ task: TaskMemory<Task>, items: Int, together: Int
  ) -> Step {
    let run = unsafe kernel.run
    let chunks = (items + together - 1) / max(1, together)
    return unsafe step(index, items: items, chunks: chunks, scratch: kernel.scratch(task.pointer)) {
      unsafe run(task.pointer, $0)
    }
  }

  /// A step of a depthwise convolution.
  func step(_ index: Int, _ kernel: Kernel<DepthwiseTask>, _ task: TaskMemory<DepthwiseTask>) -> Step {
    let (run, shape) = unsafe (kernel.run, task.pointer.pointee)
    let height = shape.outHeight
    let grid = WorkGrid(
      depthwise: height, width: shape.outWidth, blocks: shape.blocks, kernel: shape.kernel)
    return unsafe Step(
      layer: index, chunks: grid.chunks, scratchFloats: kernel.scratch(task.pointer)
    ) { chunk, scratch in
      let (rows, blocks) = grid.range(chunk)
      for block in blocks {
        let first = block * height
        unsafe run(
          task.pointer, Share(items: first + rows.lowerBound..<first + rows.upperBound, scratch: scratch))
      }
    }
  }

  /// A step over `items` in so many chunks, where there are as many.
  private func step(
    _ index: Int, items: Int, chunks: Int, scratch: Int, _ body: @escaping @Sendable (Share) -> Void
  ) -> Step {
    let chunks = max(1, min(items, chunks))
    return unsafe Step(layer: index, chunks: chunks, scratchFloats: scratch) { chunk, scratch in
      unsafe body(Share(items: items * chunk / chunks..<items * (chunk + 1) / chunks, scratch: scratch))
    }
  }

  /// Rows that make about 32,000 elements.
  func rowsTogether(_ shape: MapShape) -> Int { max(1, 32_768 / (shape.width * shape.channels)) }
  /// Pixels that make about 32,000 elements.
  func pixelsTogether(_ shape: MapShape) -> Int { max(1, 32_768 / shape.channels) }

  // MARK: What several operators read

  /// The tables of a resize of a map of shape `input`, and what owns them.
  func resampling(_ input: MapShape, _ resize: Resize) -> (Resampling, [AnyObject]) {
    let (kind, divides) = (resize.interpolation, resize.dividesPlaces)
    let rows = ResampleTable(from: input.height, to: resize.height, kind, dividing: divides)
    let columns = ResampleTable(from: input.width, to: resize.width, kind, dividing: divides)
    let (rowIndices, columnIndices) = (TaskMemory(array: rows.indices), TaskMemory(array: columns.indices))
    let (rowWeights, columnWeights) = (FloatMemory(rows.weights), FloatMemory(columns.weights))
    return unsafe (
      Resampling(
        taps: rows.taps, rowIndices: rowIndices.pointer, columnIndices: columnIndices.pointer,
        rowWeights: rowWeights.base, columnWeights: columnWeights.base),
      [rowIndices, columnIndices, rowWeights, columnWeights]
    )
  }

  /// A normalization, and the memory that its pointers lead to.
  func normalization(_ norm: LayerNorm) -> (Normalization, [FloatMemory]) {
    let (gamma, beta) = (FloatMemory(norm.gamma), FloatMemory(norm.beta))
    return unsafe (
      Normalization(gamma: gamma.base, beta: beta.base, epsilon: norm.epsilon), [gamma, beta]
    )
  }
}
