// Packed weights and steps of layers that make several output pixels of each input pixel, each with weights of its own:
// transposed convolutions, alone or together with the 3x3 convolution after them.

import NNKernelInterface

extension StepBuilder {
  func transposed(_ node: Node, _ index: Int, _ layer: Convolution, _ kernel: ConvolutionKernel) -> Step {
    let shape = node.subpixelShape(layer, shapes)
    let output = mutableMap(node.output)
    let tasks = (0..<layer.stride * layer.stride).map { part in
      let (task, owners) = plainTask(
        shape, layer, input: map(node.inputs[0]), output: output.everyPixel(layer.stride, part),
        weights: packedSubpixel(node, layer, part, kernel))
      return TaskMemory(task, keeping: owners)
    }
    // A chunk of rows copies its piece of the input for one part at a time.
    return step(index, tasks, kernel, partsTogether: kernel.items != .rows)
  }

  /// The weights (out, in) of one position of a transposed convolution's kernel.
  func packedSubpixel(
    _ node: Node, _ layer: Convolution, _ part: Int, _ kernel: ConvolutionKernel
  ) -> FloatMemory {
    let shape = node.subpixelShape(layer, shapes)
    let key = PackedWeights.Key(layer: node.name, part: part, inChannels: nil, kernel: kernel.fullName)
    return weights.memory(key) {
      let slice = layer.subpixelWeights(part)
      let memory = FloatMemory(count: kernel.packedCount(shape))
      unsafe withPointer(layer.scale) { unsafe kernel.pack(shape, slice, $0, memory.base) }
      return memory
    }
  }

  // MARK: Together with a 3x3 convolution

  /// The weights of the four convolutions that equal a transposed one followed by `layer`.
  func packedJoint(
    _ node: Node, _ layer: Convolution, _ transposed: Transposition, _ kernel: ConvolutionKernel
  ) -> [FloatMemory] {
    let shape = node.convolutionShape(layer, shapes)
    lazy var joint = JointWeights(layer, transposed, plan.catalogue.gemm)
    return (0..<4).map { part in
      // Part 0 is the layer alone, as in plans that don't join it.
      let key = PackedWeights.Key(layer: node.name, part: 1 + part, inChannels: nil, kernel: kernel.fullName)
      return weights.memory(key) {
        let memory = FloatMemory(count: kernel.packedCount(shape))
        unsafe joint.withWeights(row: part / 2, column: part % 2) { source in
          unsafe kernel.pack(shape, source, nil, memory.base)
        }
        return memory
      }
    }
  }

  /// The step of a convolution and the transposed one before it.
  func joint(
    _ node: Node, _ index: Int, _ layer: Convolution, _ transposed: Transposition, _ kernel: ConvolutionKernel
  ) -> Step {
    let shape = node.convolutionShape(layer, shapes)
    let biases = JointBiases(layer, transposed)
    let output = mutableMap(node.output)
    let tasks = packedJoint(node, layer, transposed, kernel).enumerated().map { part, packed in
      let place = output.everyPixel(2, part)
      var (task, owners) = plainTask(
        shape, layer, input: map(node.inputs[0]), output: place, weights: packed)
      let (inside, edges) = (FloatMemory(biases.inside), FloatMemory(biases.edges(part / 2, part % 2)))
      unsafe task.bias = UnsafePointer(inside.base)
      let projected = layer.projection.map { projectionTask($0, node, layer, output: place) }
      task.epilogue = unsafe .subpixel(
        Subpixel(
          row: part / 2, column: part % 2, edgeSums: edges.base,
          projection: projected.map { unsafe $0.pointer }))
      owners += ([inside, edges, projected] as [AnyObject?]).compactMap(\.self)
      return TaskMemory(task, keeping: owners)
    }
    return step(index, tasks, kernel)
  }
}

extension MapPointer {
  /// The channels from `first` on.
  func channels(from first: Int) -> MapPointer {
    unsafe MapPointer(
      base: UnsafePointer(element.pointer(UnsafeMutablePointer(mutating: base), offset: first)),
      pixelStride: pixelStride, rowStride: rowStride, element: element)
  }
}

extension MutableMapPointer {
  /// The channels from `first` on.
  func channels(from first: Int) -> MutableMapPointer {
    unsafe MutableMapPointer(
      base: element.pointer(base, offset: first), pixelStride: pixelStride, rowStride: rowStride,
      element: element)
  }

  /// Every `step`th pixel of every `step`th row, from place `part` of a square of `step` by `step` pixels on.
  func everyPixel(_ step: Int, _ part: Int) -> MutableMapPointer {
    let (row, column) = part.quotientAndRemainder(dividingBy: step)
    return unsafe MutableMapPointer(
      base: element.pointer(base, offset: row * rowStride + column * pixelStride),
      pixelStride: step * pixelStride, rowStride: step * rowStride, element: element)
  }
}
