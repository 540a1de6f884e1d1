// Packed weights and steps of dense convolutions; StepBuilder+Subpixels.swift has those of four parts.

import NNKernelInterface

extension StepBuilder {
  /// Packs the weights of a layer, and of what was joined to it.
  func pack(_ node: Node, _ layer: Convolution, _ kernel: ConvolutionKernel, _ staging: StagingMemory) {
    if let transposed = layer.transposed {
      _ = packedJoint(node, layer, transposed, kernel)
    } else {
      for group in 0..<layer.groups { _ = packed(node, layer, group, kernel, staging) }
    }
    if let projection = layer.projection { _ = packed(projection, node, layer, staging) }
  }

  private func packed(
    _ node: Node, _ layer: Convolution, _ group: Int, _ kernel: ConvolutionKernel,
    _ staging: StagingMemory = StagingMemory()
  ) -> FloatMemory {
    packed(node.name, layer, group, node.convolutionShape(layer, shapes), kernel, staging)
  }

  /// The weights of a 1x1 convolution that is done to the result of a node's.
  private func packed(
    _ projection: Projection, _ node: Node, _ layer: Convolution, _ staging: StagingMemory = StagingMemory()
  ) -> FloatMemory {
    packed(
      projection.name, projection.layer, 0, node.projectionShape(projection, after: layer, shapes),
      plan.catalogue.gemm, staging)
  }

  private func packed(
    _ name: String, _ layer: Convolution, _ group: Int, _ shape: ConvolutionShape,
    _ kernel: ConvolutionKernel, _ staging: StagingMemory
  ) -> FloatMemory {
    let key = PackedWeights.Key(
      layer: name, part: group, inChannels: layer.inChannels, kernel: kernel.fullName)
    return weights.memory(key) {
      let memory = FloatMemory(count: kernel.packedCount(shape))
      let first = group * shape.outChannels
      unsafe layer.withWeights(staging) { source in
        unsafe withPointer(layer.scale) { scale in
          unsafe kernel.pack(
            shape, source + first * (layer.keptCount / layer.outChannels), scale.map { unsafe $0 + first },
            memory.base)
        }
      }
      return memory
    }
  }

  func withPointer(_ scale: [Float]?, _ body: (UnsafePointer<Float>?) -> Void) {
    guard let scale else { return body(nil) }
    unsafe scale.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
  }

  func convolution(_ node: Node, _ index: Int, _ layer: Convolution, _ kernel: ConvolutionKernel) -> Step {
    if let transposed = layer.transposed { return joint(node, index, layer, transposed, kernel) }
    let shape = node.convolutionShape(layer, shapes)
    let tasks = (0..<layer.groups).map { group in
      convolutionTask(node, shape, layer, group, weights: packed(node, layer, group, kernel))
    }
    return step(index, tasks, kernel)
  }

  /// The step of a layer's parts, convolutions of the same shape.
  ///
  /// A thread that does all `partsTogether` reads its piece of the input once; else one part follows another, and the
  /// weights of one at a time need to be near.
  func step(
    _ index: Int, _ parts: [TaskMemory<ConvolutionTask>], _ kernel: ConvolutionKernel,
    partsTogether: Bool = false
  ) -> Step {
    let parts = kernel.items == .rows ? parts.map(Self.flattened) : parts
    let (shape, isProjected) = unsafe (
      parts[0].pointer.pointee.shape, parts[0].pointer.pointee.projection != nil
    )
    let cut = WorkGrid(kernel, shape)
    // A projection reads all channels of a pixel.
    let grid = isProjected ? cut.withPanelsTogether() : cut
    let run = unsafe kernel.run
    return unsafe Step(
      layer: index, chunks: grid.chunks * parts.count,
      scratchFloats: kernel.scratch(shape, grid.rowsTogether)
    ) { chunk, scratch in
      let (piece, part) =
        partsTogether
        ? chunk.quotientAndRemainder(dividingBy: parts.count)
        : (chunk % grid.chunks, chunk / grid.chunks)
      let (rows, panels) = grid.range(piece)
      unsafe run(parts[part].pointer, Share(items: rows, panels: panels, scratch: scratch))
    }
  }

  /// A product over pixels as a map of one pixel per row, where the rows of its maps follow each other without a gap:
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
      flat.epilogue = .residual(residual, joinsSums: flat.joinsSums)
    }
    return TaskMemory(flat, keeping: [task])
  }

  /// The task of a group of a convolution from map to map, with all that was joined to it.
  private func convolutionTask(
    _ node: Node, _ shape: ConvolutionShape, _ layer: Convolution, _ group: Int, weights: FloatMemory
  ) -> TaskMemory<ConvolutionTask> {
    let (first, made) = (group * shape.inChannels, group * shape.outChannels)
    var (task, owners) = plainTask(
      shape, layer, input: map(node.inputs[0]).channels(from: first),
      output: mutableMap(node.output).channels(from: made), weights: weights, group: group)
    switch layer.prologue {
    case .none, .transpose: break
    case .normalize(let norm):
      let (normalization, parameters) = normalization(norm)
      task.prologue = .normalize(normalization)
      owners += parameters
    case .enlarge(let larger):
      let (resampling, tables) = resampling(shapes[node.inputs[0]], larger)
      task.prologue = .enlarge(resampling)
      owners += tables
    case .quantize(let steps): task.prologue = .quantize(steps)
    case .planes: task.prologue = .planes
    case .multiply: unsafe task.prologue = .multiply(pointer(node.inputs[node.inputs.count - 1]))
    }
    switch layer.epilogue {
    case .store: break
    case .residual(let joinsSums):
      task.epilogue = .residual(map(node.inputs[1]).channels(from: made), joinsSums: joinsSums)
    case .addend:
      let shift = shapes[node.inputs[1]].repeats(in: shapes[node.output]) ?? 0
      let sums = map(node.inputs[1]).channels(from: made)
      task.epilogue = .addend(Addend(map: sums, width: shape.outWidth, shift: shift))
    case .project(let projection):
      let memory = projectionTask(projection, node, layer, output: mutableMap(node.output))
      task.epilogue = unsafe .project(memory.pointer)
      owners.append(memory)
    }
    return TaskMemory(task, keeping: owners)
  }

  /// The task of a 1x1 convolution that is done to the result of a node's.
  func projectionTask(
    _ projection: Projection, _ node: Node, _ layer: Convolution, output: MutableMapPointer
  ) -> TaskMemory<ConvolutionTask> {
    let (task, owners) = plainTask(
      node.projectionShape(projection, after: layer, shapes), projection.layer, input: map(node.inputs[0]),
      output: output, weights: packed(projection, node, layer))
    return TaskMemory(task, keeping: owners)
  }

  /// A convolution without anything else, and what owns the memory that it reads.
  func plainTask(
    _ shape: ConvolutionShape, _ layer: Convolution, input: MapPointer, output: MutableMapPointer,
    weights: FloatMemory, group: Int = 0
  ) -> (ConvolutionTask, [AnyObject]) {
    let own = Array(layer.bias[group * shape.outChannels..<(group + 1) * shape.outChannels])
    let bias = FloatMemory(own, count: own.count + 64)
    let task = unsafe ConvolutionTask(
      shape: shape, input: input, output: output, weights: weights.base, bias: bias.base,
      zeros: zeros.base, activation: layer.activation)
    return (task, [weights, bias, zeros, arena] + operands)
  }
}

extension Convolution {
  /// Number of weights that count.
  fileprivate var keptCount: Int {
    inChannels.map { outChannels * $0.count * kernelHeight * kernelWidth } ?? weights.count
  }

  /// Lets `body` read the weights that count, (out, in / groups, kernel height, kernel width), as floats.
  func withWeights(_ staging: StagingMemory, _ body: (UnsafePointer<Float>) -> Void) {
    unsafe weights.withFloats(staging) { source in
      guard let inChannels else { return unsafe body(source) }
      let positions = kernelHeight * kernelWidth
      let filter = weights.count / outChannels
      let kept = inChannels.count * positions
      let memory = FloatMemory(count: outChannels * kept)
      for out in 0..<outChannels {
        let filterSource = unsafe source + (out * filter + inChannels.lowerBound * positions)
        unsafe (memory.base + out * kept).update(from: filterSource, count: kept)
      }
      unsafe body(memory.base)
    }
  }
}
