// Packed weights and steps of convolutions, depthwise ones included; StepBuilder+Subpixels.swift has those of four parts.

import NNKernelInterface

extension StepBuilder {
  func key(_ node: Node, _ algorithm: Algorithm, part: Int = 0) -> PackedWeights.Key {
    PackedWeights.Key(node, algorithm, kernels: kernels.name, part: part)
  }

  /// Packs the weights of all layers, the layers shared out over the threads.
  func packWeights() {
    let nodes = plan.placement.nodes.enumerated().filter {
      switch $0.element.operation {
      case .convolution(let layer): !layer.isDepthwise
      case .transposedConvolution: true
      default: false
      }
    }
    let builder = self
    let staging = (0..<pool.threads).map { _ in StagingMemory() }
    pool.run(nodes.count) { chunk, thread in
      let (index, node) = nodes[chunk]
      switch node.operation {
      case _ where builder.plan.elements.multipliesReduced(index): builder.packReduced(node, staging[thread])
      case .convolution(let layer):
        if let transposed = layer.transposed {
          _ = builder.withIntegers(index).packedJoint(node, layer, transposed)
        } else {
          _ = builder.withIntegers(index).packed(node, index, layer, staging[thread])
        }
        if let projection = layer.projection { _ = builder.packed(projection, node, layer, staging[thread]) }
      case .transposedConvolution(let layer):
        for part in 0..<layer.stride * layer.stride { _ = builder.packedSubpixel(node, layer, part) }
      default: break
      }
    }
  }

  private func packed(
    _ node: Node, _ index: Int, _ layer: Convolution, _ staging: StagingMemory = StagingMemory()
  ) -> FloatMemory {
    let algorithm = plan.layers[index].choice.algorithm
    return pack(
      key(node, algorithm), layer, node.convolutionShape(layer, shapes), kernels.convolution(algorithm),
      staging)
  }

  /// The weights of a 1x1 convolution that is done to the result of a node's.
  private func packed(
    _ projection: Projection, _ node: Node, _ layer: Convolution, _ staging: StagingMemory = StagingMemory()
  ) -> FloatMemory {
    pack(
      PackedWeights.Key(projection, kernels: kernels.name), projection.layer,
      node.projectionShape(projection, behind: layer, shapes), kernels.direct, staging)
  }

  private func pack(
    _ key: PackedWeights.Key, _ layer: Convolution, _ shape: ConvolutionShape, _ kernels: ConvolutionKernels,
    _ staging: StagingMemory
  ) -> FloatMemory {
    weights.memory(key) {
      let memory = FloatMemory(count: kernels.packedCount(shape))
      unsafe layer.withWeights(staging) { source in
        unsafe withPointer(layer.scale) { scale in
          unsafe kernels.pack(shape, source, scale, memory.base)
        }
      }
      return memory
    }
  }

  func withPointer(_ scale: [Float]?, _ body: (UnsafePointer<Float>?) -> Void) {
    guard let scale else { return body(nil) }
    unsafe scale.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
  }

  func convolution(_ node: Node, _ index: Int, _ layer: Convolution) -> Step {
    if let transposed = layer.transposed { return joint(node, index, layer, transposed) }
    let shape = node.convolutionShape(layer, shapes)
    let task = convolutionTask(node, shape, layer, weights: packed(node, index, layer))
    return step(node, index, [task], plan.layers[index].choice.algorithm)
  }

  /// The step of a layer's parts, convolutions of the same shape.
  ///
  /// A thread that does all `partsTogether` reads its piece of the input once; else one part follows another, and the
  /// weights of one at a time need to be near.
  func step(
    _ node: Node, _ index: Int, _ parts: [TaskMemory<ConvolutionTask>], _ algorithm: Algorithm,
    partsTogether: Bool = false
  ) -> Step {
    let shape = unsafe parts[0].pointer.pointee.shape
    let cut = WorkGrid(algorithm, shape, panelWidth: kernels.panelWidth, tileRows: kernels.tileRows)
    // A projection reads all channels of a pixel.
    let grid = unsafe parts[0].pointer.pointee.projection == nil ? cut : cut.withPanelsTogether()
    let kernels = kernels.convolution(algorithm)
    let kernel = unsafe kernels.convolution
    return unsafe Step(
      layer: index, chunks: grid.chunks * parts.count, scratchFloats: kernels.scratch(shape)
    ) { chunk, scratch in
      let (piece, part) =
        partsTogether
        ? chunk.quotientAndRemainder(dividingBy: parts.count)
        : (chunk % grid.chunks, chunk / grid.chunks)
      let (rows, panels) = grid.range(piece)
      unsafe kernel(
        parts[part].pointer, rows.lowerBound, rows.upperBound, panels.lowerBound, panels.upperBound, scratch)
    }
  }

  /// The task of a convolution from map to map, with all that was joined to it.
  func convolutionTask(
    _ node: Node, _ shape: ConvolutionShape, _ layer: Convolution, weights: FloatMemory
  ) -> TaskMemory<ConvolutionTask> {
    var (task, owners) = plainTask(
      shape, layer, input: map(node.inputs[0]), output: mutableMap(node.output), weights: weights)
    switch layer.prologue {
    case .none, .transpose: break
    case .normalise(let norm):
      let (normalisation, parameters) = normalisation(norm)
      task.prologue = .normalise(normalisation)
      owners += parameters
    case .enlarge(let larger):
      let (resampling, tables) = resampling(
        shapes[node.inputs[0]], larger.height, larger.width, larger.interpolation)
      task.prologue = .enlarge(resampling)
      owners += tables
    }
    switch layer.epilogue {
    case .store: break
    case .residual: task.epilogue = .residual(map(node.inputs[1]))
    case .addend:
      let shift = shapes[node.inputs[1]].repeats(in: shapes[node.output]) ?? 0
      task.epilogue = .addend(Addend(map: map(node.inputs[1]), width: shape.outWidth, shift: shift))
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
      node.projectionShape(projection, behind: layer, shapes), projection.layer, input: map(node.inputs[0]),
      output: output, weights: packed(projection, node, layer))
    return TaskMemory(task, keeping: owners)
  }

  /// A convolution without anything else, and what owns the memory that it reads.
  func plainTask(
    _ shape: ConvolutionShape, _ layer: Convolution, input: MapPointer, output: MutableMapPointer,
    weights: FloatMemory
  ) -> (ConvolutionTask, [AnyObject]) {
    let bias = FloatMemory(layer.bias, count: layer.bias.count + 64)
    let task = unsafe ConvolutionTask(
      shape: shape, input: input, output: output, weights: weights.base, bias: bias.base,
      zeros: zeros.base, activation: layer.activation)
    return (task, [weights, bias, zeros, arena] + operands)
  }

  /// All constants: kept alive by every task, since any may be its residual.
  var operands: [FloatMemory] { Array(constants.values) }

  func depthwise(_ node: Node, _ index: Int, _ layer: Convolution) -> Step {
    let (input, output) = (shapes[node.inputs[0]], shapes[node.output])
    let positions = layer.kernelHeight * layer.kernelWidth
    let source = layer.weights.floats()
    var filters = [Float](repeating: 0, count: positions * output.channels)
    for channel in 0..<output.channels {
      for position in 0..<positions {
        filters[position * output.channels + channel] =
          source[channel * positions + position] * (layer.scale?[channel] ?? 1)
      }
    }
    let weights = FloatMemory(filters, count: filters.count + 16)
    let bias = FloatMemory(layer.bias, count: layer.bias.count + 16)
    let task = unsafe TaskMemory(
      DepthwiseTask(
        inHeight: input.height, inWidth: input.width, outHeight: output.height, outWidth: output.width,
        channels: output.channels, kernel: layer.kernelHeight, stride: layer.stride, padding: layer.padding,
        input: map(node.inputs[0]), output: mutableMap(node.output),
        residual: layer.storesSums ? nil : map(node.inputs[1]), weights: weights.base, bias: bias.base,
        activation: layer.activation), keeping: [weights, bias, arena] + operands)
    let kernel = unsafe kernels.depthwise
    return unsafe step(index, items: output.height, together: rowsTogether(output)) { begin, end, _ in
      unsafe kernel(task.pointer, begin, end)
    }
  }
}

extension Convolution {
  /// Lets `body` read the weights that count, (out, in, kernel height, kernel width), as floats.
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
