extension Plan {
  /// Products in the longest sum of an element of a step's result.
  package func longestSum(ofStep step: Int) -> Int {
    let node = placement.nodes[step]
    guard let input = node.inputs.first.map({ placement.shapes[$0] }) else { return 1 }
    switch node.operation {
    case .convolution(let layer):
      let own = layer.kernelHeight * layer.kernelWidth * (layer.isDepthwise ? 1 : input.channels)
      return max(own, layer.projection == nil ? 0 : layer.outChannels, layer.transposed?.bias.count ?? 0)
    case .transposedConvolution, .layerNorm, .softmax: return input.channels
    case .attention(let layout): return max(input.pixels, layout.keyWidth)
    case .resize(.bicubic): return 16
    case .resize(.bilinear): return 4
    case .resize(.nearest), .affine, .activation, .add, .maxPool, .copy, .concatenate, .slice, .view,
      .prependToken, .input, .constant:
      return 1
    }
  }
}
