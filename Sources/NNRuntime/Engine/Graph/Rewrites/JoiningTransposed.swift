// A transposed convolution of 2x2 (stride 2) followed by a 3x3 convolution (stride 1), with only a bias
// between them, is one linear map: every output pixel is a sum over 2x2 pixels of the small map. Along an
// axis, where the large map's pixel 2i + v is T_v x[i] + b,
//
//   y[2i]     = K0 T1 x[i - 1] + (K1 T0 + K2 T1) x[i] + (K0 + K1 + K2) b
//   y[2i + 1] = (K0 T0 + K1 T1) x[i] + K2 T0 x[i + 1] + (K0 + K1 + K2) b
//
// without the K0 b of the first pixel and the K2 b of the last, as beyond the large map are zeros, and not biases. On both
// axes that is four convolutions of 2x2, one for each place of an output pixel. The large map
// is never made.

extension Graph {
  /// The same network with transposed convolutions fused into the 3x3 convolutions after them.
  func joiningTransposed(where accepts: Joint.Judge) -> Graph {
    joiningMakers(where: accepts) { node, layer, before in
      guard node.inputs.count == 1, layer.groups == 1, layer.inChannels == nil,
        layer.window == Window(height: 3, width: 3, padding: 1),
        let transposed = (before.operation as? TransposedConvolution)?.layer,
        transposed.kernelHeight == 2, transposed.stride == 2, transposed.activation == .none
      else { return nil }
      var layer = layer
      layer.prologue = .transpose(
        Transposition(weights: transposed.weights, scale: transposed.scale, bias: transposed.bias))
      return (layer, before.inputs)
    }
  }
}
