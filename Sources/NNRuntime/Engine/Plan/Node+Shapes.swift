import NNKernelInterface

extension ConvolutionShape {
  /// The window that makes as many output pixels.
  var window: Window {
    var window = Window(height: kernelHeight, width: kernelWidth, stride: stride, padding: padding)
    func isMade(_ output: Int, of input: Int, _ kernel: Int) -> Bool {
      (input + 2 * padding - kernel) / stride + 1 == output
    }
    if !isMade(outHeight, of: inHeight, kernelHeight) {
      window.bottom = max(0, (outHeight - 1) * stride + kernelHeight - inHeight - padding)
    }
    if !isMade(outWidth, of: inWidth, kernelWidth) {
      window.right = max(0, (outWidth - 1) * stride + kernelWidth - inWidth - padding)
    }
    return window
  }
}

extension Node {
  /// The integers of a convolution: where several make the layer, for groups of channels or places of pixels, those of one.
  func convolutionShape(_ layer: Convolution, _ shapes: [MapShape]) -> ConvolutionShape {
    let (input, output) = (layer.seen(shapes[inputs[0]]), shapes[output])
    if layer.transposed != nil { return .subpixel(input, outChannels: layer.outChannels) }
    return ConvolutionShape(
      inHeight: input.height, inWidth: input.width,
      inChannels: input.channels / layer.groups, outHeight: output.height, outWidth: output.width,
      outChannels: layer.outChannels / layer.groups, kernelHeight: layer.kernelHeight,
      kernelWidth: layer.kernelWidth, stride: layer.stride, padding: layer.padding)
  }

  /// The integers of a 1x1 convolution that is done to the result of `layer`.
  func projectionShape(_ projection: Projection, after layer: Convolution, _ shapes: [MapShape])
    -> ConvolutionShape
  {
    let output = shapes[output]
    return ConvolutionShape(
      inHeight: output.height, inWidth: output.width, inChannels: layer.outChannels,
      outHeight: output.height, outWidth: output.width, outChannels: projection.layer.outChannels,
      kernelHeight: 1, kernelWidth: 1, stride: 1, padding: 0)
  }

  /// The integers of one position of a transposed convolution: a 1x1 convolution on the input's grid.
  func subpixelShape(_ layer: Convolution, _ shapes: [MapShape]) -> ConvolutionShape {
    let input = shapes[inputs[0]]
    return ConvolutionShape(
      inHeight: input.height, inWidth: input.width, inChannels: input.channels, outHeight: input.height,
      outWidth: input.width, outChannels: layer.outChannels, kernelHeight: 1, kernelWidth: 1, stride: 1,
      padding: 0)
  }

  /// Multiplications and additions of the layer as it is defined, for all images: 2 x MAC.
  func operations(_ assignment: BufferAssignment) -> Double {
    Double(assignment.shapes[output].images) * operation.operations(self, assignment.imageShapes)
  }
}
