import NNKernelInterface

extension Node {
  /// The integers of a dense convolution.
  ///
  /// Where four make the layer, those of one.
  func convolutionShape(_ layer: Convolution, _ shapes: [MapShape]) -> ConvolutionShape {
    let (input, output) = (shapes[inputs[0]], shapes[output])
    if layer.transposed != nil { return .subpixel(input, outChannels: layer.outChannels) }
    return ConvolutionShape(
      inHeight: layer.enlargement?.height ?? input.height, inWidth: layer.enlargement?.width ?? input.width,
      inChannels: input.channels, outHeight: output.height,
      outWidth: output.width, outChannels: layer.outChannels, kernelHeight: layer.kernelHeight,
      kernelWidth: layer.kernelWidth, stride: layer.stride, padding: layer.padding)
  }

  /// The integers of a 1x1 convolution that is done to the result of `layer`.
  func projectionShape(_ projection: Projection, behind layer: Convolution, _ shapes: [MapShape])
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

  /// Multiplications and additions of the layer as it is defined: 2 x MAC.
  func operations(_ shapes: [MapShape]) -> Double {
    let output = partOf ?? shapes[output]
    switch operation {
    case .convolution(let layer):
      let channels = layer.transposed?.bias.count ?? shapes[inputs[0]].channels
      let depth = (layer.isDepthwise ? 1 : channels) * layer.kernelHeight * layer.kernelWidth
      let projected = layer.projection.map { $0.layer.outChannels } ?? 0
      let transposed = layer.transposed == nil ? 0 : channels * shapes[inputs[0]].channels
      // Only the 1x1 convolution behind another may be a part of a larger layer.
      let pixels = layer.projection == nil ? output.pixels : shapes[self.output].pixels
      return 2 * Double(pixels) * Double(layer.outChannels * depth + transposed)
        + 2 * Double(output.pixels) * Double(layer.outChannels * projected)
    case .transposedConvolution:
      return 2 * Double(output.count) * Double(shapes[inputs[0]].channels)
    case .attention(let layout):
      let pairs = Double(output.pixels) * Double(output.pixels) * Double(layout.heads)
      return 2 * pairs * Double(layout.keyWidth + layout.valueWidth)
    case .input, .constant, .affine, .activation, .add, .concatenate, .slice, .view, .prependToken, .maxPool,
      .resize, .layerNorm, .softmax, .copy:
      return 0
    }
  }
}
