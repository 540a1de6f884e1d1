// A transposed convolution of 2x2 (stride 2) and a 3x3 convolution (stride 1) behind it, with nothing but a bias between the
// two, are one linear map: every output pixel is a sum over 2x2 pixels of the small map. Along an axis, where the large
// map's pixel 2i + v is T_v x[i] + b,
//
//   y[2i]     = K0 T1 x[i - 1] + (K1 T0 + K2 T1) x[i] + (K0 + K1 + K2) b
//   y[2i + 1] = (K0 T0 + K1 T1) x[i] + K2 T0 x[i + 1] + (K0 + K1 + K2) b
//
// without the K0 b of the first pixel and the K2 b of the last, as beyond the large map are zeros, and not biases. On both
// axes that is four convolutions of 2x2, one for each place of an output pixel: Winograd's F(4x4,2x2) has 25 products for 16
// of their outputs, where the transposed convolution has one for each and F(6x6,3x3) 64 for 36. The large map is never made.

import NNKernelInterface

extension Graph {
  /// The same network with transposed convolutions joined to the 3x3 convolutions behind them, where that saves products;
  /// in bf16 where those are of integers.
  func joiningTransposed(for precision: Precision) -> Graph {
    var graph = self
    let makers = makersForOne()
    var removed = Set<Int>()
    for (index, node) in nodes.enumerated() {
      guard case .convolution(var layer) = node.operation, node.inputs.count == 1,
        layer.readsInput, layer.inChannels == nil, let before = makers[node.inputs[0]],
        case .transposedConvolution(let transposed) = nodes[before].operation,
        transposed.kernelHeight == 2, transposed.stride == 2, transposed.activation == .none,
        savesProducts(index, layer, behind: before, precision)
      else { continue }
      layer.prologue = .transpose(
        Transposition(weights: transposed.weights, scale: transposed.scale, bias: transposed.bias))
      graph.nodes[index].operation = .convolution(layer)
      graph.nodes[index].inputs = nodes[before].inputs
      graph.nodes[index].preceding.insert(contentsOf: nodes[before].holds, at: 0)
      removed.insert(before)
    }
    graph.remove(removed)
    return graph
  }

  /// Whether the node at `index`, a Winograd convolution of stride 1, and the one at `before` have more products apart.
  private func savesProducts(
    _ index: Int, _ layer: Convolution, behind before: Int, _ precision: Precision
  ) -> Bool {
    let (small, between) = (shapes[nodes[before].inputs[0]], shapes[nodes[before].output])
    let shape = nodes[index].convolutionShape(layer, shapes)
    guard layer.stride == 1, !layer.isDepthwise, small.channels % 16 == 0,
      let tile = AlgorithmChoice.convolution(shape).algorithm.winogradTile
    else { return false }
    let joint = ConvolutionShape.subpixel(small, outChannels: layer.outChannels)
    guard precision == .fp32 || AlgorithmChoice.integers(joint) != nil else { return false }
    let together = 4 * joint.products(.four)
    return together < between.pixels * small.channels * between.channels + shape.products(tile)
  }
}
