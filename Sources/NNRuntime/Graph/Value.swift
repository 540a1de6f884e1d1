/// A handle of a map that the network computes: what model code passes from layer to layer.
///
/// Names are module paths in the checkpoint's own vocabulary; traces, profiles and errors carry them.
public struct Value {
  let builder: GraphBuilder
  let id: ValueID

  /// Height, width and channels.
  public var shape: MapShape { builder.shapes[id] }

  private func node(_ name: String, _ operation: Operation, _ others: [Value] = [], _ shape: MapShape)
    -> Value
  {
    for other in others { precondition(other.builder === builder, "\(name): a value of another builder") }
    return builder.append(name, operation, [id] + others.map(\.id), shape)
  }
}

// MARK: Layers with weights

extension Value {
  /// Cross-correlation with zero padding on all sides.
  ///
  /// `weights` is (out, in / groups, kh, kw); `groups` is 1 or, with one filter a channel, the number of
  /// channels. `bias` has one element an output channel.
  public func convolution(
    _ weights: Tensor, bias: Tensor? = nil, stride: Int = 1, padding: Int = 0, groups: Int = 1, name: String
  ) -> Value {
    precondition(weights.shape.count == 4, "\(name): weights are (out, in, height, width)")
    let (out, perGroup) = (weights.shape[0], weights.shape[1])
    let (kernelHeight, kernelWidth) = (weights.shape[2], weights.shape[3])
    let depthwise = groups > 1
    precondition(
      depthwise
        ? groups == shape.channels && perGroup == 1 && out == groups && kernelHeight == kernelWidth
        : perGroup == shape.channels,
      "\(name): weights \(weights.shape) on \(shape)")
    precondition(
      stride > 0 && padding >= 0 && (bias.map { $0.shape == [out] } ?? true), "\(name): attributes")
    let height = (shape.height + 2 * padding - kernelHeight) / stride + 1
    let width = (shape.width + 2 * padding - kernelWidth) / stride + 1
    let layer = Convolution(
      weights: weights, scale: nil, bias: bias?.floats() ?? [Float](repeating: 0, count: out),
      outChannels: out, kernelHeight: kernelHeight, kernelWidth: kernelWidth, stride: stride,
      padding: padding, isDepthwise: depthwise)
    return node(name, .convolution(layer), [], MapShape(height: height, width: width, channels: out))
  }

  /// A linear layer on the channels of every pixel (token); `weights` is (out, in).
  public func linear(_ weights: Tensor, bias: Tensor? = nil, name: String) -> Value {
    precondition(weights.shape.count == 2, "\(name): weights are (out, in)")
    return convolution(
      weights.reshaped([weights.shape[0], weights.shape[1], 1, 1]), bias: bias, name: name)
  }

  /// A transposed convolution whose kernel is as large as its stride; `weights` is (in, out, k, k).
  public func transposedConvolution(_ weights: Tensor, bias: Tensor? = nil, stride: Int, name: String)
    -> Value
  {
    precondition(
      weights.shape.count == 4 && weights.shape[0] == shape.channels && weights.shape[2] == stride
        && weights.shape[3] == stride, "\(name): weights \(weights.shape) on \(shape) at stride \(stride)")
    let out = weights.shape[1]
    let layer = Convolution(
      weights: weights, scale: nil, bias: bias?.floats() ?? [Float](repeating: 0, count: out),
      outChannels: out, kernelHeight: stride, kernelWidth: stride, stride: stride, padding: 0,
      isDepthwise: false)
    return node(
      name, .transposedConvolution(layer), [],
      MapShape(height: shape.height * stride, width: shape.width * stride, channels: out))
  }

  /// Batch normalization with fixed statistics: (x - mean) / sqrt(variance + epsilon) * gamma + beta.
  public func batchNorm(
    gamma: Tensor, beta: Tensor, mean: Tensor, variance: Tensor, epsilon: Float, name: String
  ) -> Value {
    let (gamma, beta, mean, variance) = (gamma.floats(), beta.floats(), mean.floats(), variance.floats())
    let channels = shape.channels
    precondition(
      [gamma.count, beta.count, mean.count, variance.count].allSatisfy { $0 == channels },
      "\(name): one statistic a channel")
    let scale = (0..<channels).map { gamma[$0] / (variance[$0] + epsilon).squareRoot() }
    let shift = (0..<channels).map { beta[$0] - mean[$0] * scale[$0] }
    return node(name, .affine(scale: scale, shift: shift), [], shape)
  }

  /// x * gamma, one factor a channel (LayerScale).
  public func scaled(by gamma: Tensor, name: String) -> Value {
    precondition(gamma.shape == [shape.channels], "\(name): one factor a channel")
    let shift = [Float](repeating: 0, count: shape.channels)
    return node(name, .affine(scale: gamma.floats(), shift: shift), [], shape)
  }

  /// Layer normalization over the channels of every pixel (token), biased variance.
  public func layerNorm(gamma: Tensor, beta: Tensor, epsilon: Float, name: String) -> Value {
    precondition(gamma.shape == [shape.channels] && beta.shape == [shape.channels], "\(name): one a channel")
    return node(
      name, .layerNorm(LayerNormParameters(gamma: gamma.floats(), beta: beta.floats(), epsilon: epsilon)), [],
      shape)
  }
}

// MARK: Operations without weights

extension Value {
  /// The activation, elementwise.
  public func activation(_ activation: Activation, name: String) -> Value {
    node(name, .activation(activation), [], shape)
  }

  /// The sum of two maps of one shape.
  public func adding(_ other: Value, name: String) -> Value {
    precondition(shape == other.shape, "\(name): \(shape) + \(other.shape)")
    return node(name, .add, [other], shape)
  }

  /// The given channels of every pixel; no copy.
  public func channels(_ range: Range<Int>, name: String) -> Value {
    precondition(range.lowerBound >= 0 && range.upperBound <= shape.channels && !range.isEmpty, name)
    return node(
      name, .slice(channels: range), [],
      MapShape(height: shape.height, width: shape.width, channels: range.count))
  }

  /// The pixels in row-major order as a sequence of tokens, without the first `dropping`; no copy.
  public func tokens(dropping first: Int = 0, name: String) -> Value {
    precondition(first >= 0 && first < shape.pixels, "\(name): dropping \(first) of \(shape.pixels)")
    return node(
      name, .view(firstPixel: first), [],
      MapShape(height: 1, width: shape.pixels - first, channels: shape.channels))
  }

  /// A token sequence as a map; no copy.
  public func map(height: Int, width: Int, name: String) -> Value {
    precondition(height * width == shape.pixels, "\(name): \(shape) as \(height)x\(width)")
    return node(
      name, .view(firstPixel: 0), [], MapShape(height: height, width: width, channels: shape.channels))
  }

  /// The sequence with one constant token before it.
  public func prependingToken(_ token: Tensor, name: String) -> Value {
    let floats = token.floats()
    precondition(shape.height == 1 && floats.count == shape.channels, "\(name): a token on \(shape)")
    return node(
      name, .prependToken(floats), [],
      MapShape(height: 1, width: shape.width + 1, channels: shape.channels))
  }

  /// Maximum over a square window; the padding counts as minus infinity.
  public func maxPool(kernel: Int, stride: Int, padding: Int, name: String) -> Value {
    precondition(kernel > 0 && stride > 0 && padding >= 0 && 2 * padding <= kernel, "\(name): attributes")
    return node(
      name, .maxPool(PoolWindow(edge: kernel, stride: stride, padding: padding)), [],
      MapShape(
        height: (shape.height + 2 * padding - kernel) / stride + 1,
        width: (shape.width + 2 * padding - kernel) / stride + 1, channels: shape.channels))
  }

  /// The map resampled to another size.
  public func resized(height: Int, width: Int, _ interpolation: Interpolation, name: String) -> Value {
    node(
      name, .resize(interpolation), [], MapShape(height: height, width: width, channels: shape.channels))
  }

  /// Softmax over the channels of every pixel.
  public func softmax(name: String) -> Value { node(name, .softmax, [], shape) }

  /// Scaled dot-product attention of all pixels (tokens) with each other; this value holds queries, keys
  /// and values as `layout` says.
  ///
  /// The result has heads x value width channels.
  public func attention(_ layout: AttentionLayout, name: String) -> Value {
    let last = layout.heads - 1
    precondition(
      layout.queryOffset + last * layout.queryHeadStride + layout.keyWidth <= shape.channels
        && layout.keyOffset + last * layout.keyHeadStride + layout.keyWidth <= shape.channels
        && layout.valueOffset + last * layout.valueHeadStride + layout.valueWidth <= shape.channels,
      "\(name): heads beyond \(shape)")
    return node(
      name, .attention(layout), [],
      MapShape(height: shape.height, width: shape.width, channels: layout.heads * layout.valueWidth))
  }
}
