// What a kernel is told. All strides count floats. A feature map is channels-last: the channels of a
// pixel are contiguous, pixels are `pixelStride` apart, rows `rowStride` apart, so that a channel slice of
// a wider buffer, a phase of a strided map and a dense map are all the same thing.

/// What is applied to a sum before it is stored.
public enum Activation: UInt8, Sendable, CaseIterable {
  /// x
  case none
  /// max(x, 0)
  case relu
  /// x * sigmoid(x)
  case silu
  /// x/2 * (1 + erf(x / sqrt 2))
  case gelu
  /// 1 / (1 + exp(-x))
  case sigmoid
}

/// A read-only channels-last map.
public struct MapPointer {
  /// First channel of the first pixel.
  public var base: UnsafePointer<Float>
  /// Floats from one pixel to the next, and from one row to the next.
  public var pixelStride, rowStride: Int

  /// A map that starts at `base`.
  public init(base: UnsafePointer<Float>, pixelStride: Int, rowStride: Int) {
    self.base = base
    self.pixelStride = pixelStride
    self.rowStride = rowStride
  }
}

/// A writable channels-last map.
public struct MutableMapPointer {
  /// First channel of the first pixel.
  public var base: UnsafeMutablePointer<Float>
  /// Floats from one pixel to the next, and from one row to the next.
  public var pixelStride, rowStride: Int

  /// A map that starts at `base`.
  public init(base: UnsafeMutablePointer<Float>, pixelStride: Int, rowStride: Int) {
    self.base = base
    self.pixelStride = pixelStride
    self.rowStride = rowStride
  }
}

/// The integers of a dense convolution (a cross-correlation, groups = 1).
public struct ConvolutionShape: Hashable, Sendable {
  /// Sizes of the input map.
  public var inHeight, inWidth, inChannels: Int
  /// Sizes of the output map.
  public var outHeight, outWidth, outChannels: Int
  /// Kernel, stride, and the padding above and to the left (zeros beyond every edge).
  public var kernelHeight, kernelWidth, stride, padding: Int

  /// A convolution of the given sizes.
  public init(
    inHeight: Int, inWidth: Int, inChannels: Int, outHeight: Int, outWidth: Int, outChannels: Int,
    kernelHeight: Int, kernelWidth: Int, stride: Int, padding: Int
  ) {
    self.inHeight = inHeight
    self.inWidth = inWidth
    self.inChannels = inChannels
    self.outHeight = outHeight
    self.outWidth = outWidth
    self.outChannels = outChannels
    self.kernelHeight = kernelHeight
    self.kernelWidth = kernelWidth
    self.stride = stride
    self.padding = padding
  }
}

/// out = activation(input * weights + bias) + residual
public struct ConvolutionTask {
  /// Sizes.
  public var shape: ConvolutionShape
  /// The maps; `residual` may be the output itself.
  public var input: MapPointer
  public var output: MutableMapPointer
  public var residual: MapPointer?
  /// As the pack function of the same algorithm left them.
  public var weights: UnsafePointer<Float>
  /// One a output channel, padded with zeros to whole panels.
  public var bias: UnsafePointer<Float>
  /// At least `inChannels` zeros (rounded up to 16).
  public var zeros: UnsafePointer<Float>
  public var activation: Activation

  /// A convolution on the given memory.
  public init(
    shape: ConvolutionShape, input: MapPointer, output: MutableMapPointer, residual: MapPointer?,
    weights: UnsafePointer<Float>, bias: UnsafePointer<Float>, zeros: UnsafePointer<Float>,
    activation: Activation
  ) {
    self.shape = shape
    self.input = input
    self.output = output
    self.residual = residual
    self.weights = weights
    self.bias = bias
    self.zeros = zeros
    self.activation = activation
  }
}

/// out = activation(depthwise(input) + bias) + residual; the weights are (kernel height, kernel width,
/// channels), each already times its scale; `bias` has one a channel.
public struct DepthwiseTask {
  public var inHeight, inWidth, outHeight, outWidth, channels: Int
  public var kernel, stride, padding: Int
  public var input: MapPointer
  public var output: MutableMapPointer
  public var residual: MapPointer?
  public var weights: UnsafePointer<Float>
  public var bias: UnsafePointer<Float>
  public var activation: Activation

  /// A depthwise convolution on the given memory.
  public init(
    inHeight: Int, inWidth: Int, outHeight: Int, outWidth: Int, channels: Int, kernel: Int, stride: Int,
    padding: Int, input: MapPointer, output: MutableMapPointer, residual: MapPointer?,
    weights: UnsafePointer<Float>, bias: UnsafePointer<Float>, activation: Activation
  ) {
    self.inHeight = inHeight
    self.inWidth = inWidth
    self.outHeight = outHeight
    self.outWidth = outWidth
    self.channels = channels
    self.kernel = kernel
    self.stride = stride
    self.padding = padding
    self.input = input
    self.output = output
    self.residual = residual
    self.weights = weights
    self.bias = bias
    self.activation = activation
  }
}

/// out = max over the window.
public struct PoolTask {
  public var inHeight, inWidth, outHeight, outWidth, channels: Int
  public var kernel, stride, padding: Int
  public var input: MapPointer
  public var output: MutableMapPointer

  /// A max-pool on the given memory.
  public init(
    inHeight: Int, inWidth: Int, outHeight: Int, outWidth: Int, channels: Int, kernel: Int, stride: Int,
    padding: Int, input: MapPointer, output: MutableMapPointer
  ) {
    self.inHeight = inHeight
    self.inWidth = inWidth
    self.outHeight = outHeight
    self.outWidth = outWidth
    self.channels = channels
    self.kernel = kernel
    self.stride = stride
    self.padding = padding
    self.input = input
    self.output = output
  }
}

/// A separable resize: out[y, x] = sum over i, j of rowWeights[y, i] * columnWeights[x, j] *
/// in[rowIndices[y, i], columnIndices[x, j]]. One tap is nearest, two bilinear, four bicubic.
public struct ResizeTask {
  public var inHeight, inWidth, outHeight, outWidth, channels: Int
  public var taps: Int
  /// (outHeight, taps) and (outWidth, taps).
  public var rowIndices, columnIndices: UnsafePointer<Int32>
  public var rowWeights, columnWeights: UnsafePointer<Float>
  public var input: MapPointer
  public var output: MutableMapPointer

  /// A resize on the given memory.
  public init(
    inHeight: Int, inWidth: Int, outHeight: Int, outWidth: Int, channels: Int, taps: Int,
    rowIndices: UnsafePointer<Int32>, columnIndices: UnsafePointer<Int32>, rowWeights: UnsafePointer<Float>,
    columnWeights: UnsafePointer<Float>, input: MapPointer, output: MutableMapPointer
  ) {
    self.inHeight = inHeight
    self.inWidth = inWidth
    self.outHeight = outHeight
    self.outWidth = outWidth
    self.channels = channels
    self.taps = taps
    self.rowIndices = rowIndices
    self.columnIndices = columnIndices
    self.rowWeights = rowWeights
    self.columnWeights = columnWeights
    self.input = input
    self.output = output
  }
}

/// out = (x - mean) / sqrt(variance + epsilon) * gamma + beta, a token at a time.
public struct LayerNormTask {
  public var channels: Int
  public var epsilon: Float
  /// Token rows: only `pixelStride` counts.
  public var input: MapPointer
  public var output: MutableMapPointer
  public var gamma, beta: UnsafePointer<Float>

  /// A layer normalisation on the given memory.
  public init(
    channels: Int, epsilon: Float, input: MapPointer, output: MutableMapPointer, gamma: UnsafePointer<Float>,
    beta: UnsafePointer<Float>
  ) {
    self.channels = channels
    self.epsilon = epsilon
    self.input = input
    self.output = output
    self.gamma = gamma
    self.beta = beta
  }
}

/// What an elementwise step computes from `a`, and where the case says so from `b`, `scale`, `shift`.
public enum ElementwiseOperation: UInt8, Sendable {
  /// activation(a)
  case unary
  /// activation(a + b)
  case add
  /// activation(a * scale[channel] + shift[channel])
  case affine
}

/// An elementwise step over `pixels` (row-major, `width` a row) of `channels` each.
public struct ElementwiseTask {
  public var operation: ElementwiseOperation
  public var activation: Activation
  public var width, channels: Int
  public var a: MapPointer
  public var b: MapPointer?
  public var scale, shift: UnsafePointer<Float>?
  /// May be `a` or `b` itself.
  public var output: MutableMapPointer

  /// An elementwise step on the given memory.
  public init(
    operation: ElementwiseOperation, activation: Activation, width: Int, channels: Int, a: MapPointer,
    b: MapPointer?, scale: UnsafePointer<Float>?, shift: UnsafePointer<Float>?, output: MutableMapPointer
  ) {
    self.operation = operation
    self.activation = activation
    self.width = width
    self.channels = channels
    self.a = a
    self.b = b
    self.scale = scale
    self.shift = shift
    self.output = output
  }
}

/// Scaled dot-product attention: out = softmax(q k^T * scale) v, one head after another. Token t of head h
/// starts at `query + t * tokenStride + h * queryHeadStride` (keys, values and output alike).
public struct AttentionTask {
  public var tokens, heads: Int
  /// Width of a query or key, and of a value.
  public var keyWidth, valueWidth: Int
  public var scale: Float
  public var query, key, value: UnsafePointer<Float>
  /// Floats from one token to the next in `query`, `key` and `value`.
  public var tokenStride: Int
  public var queryHeadStride, keyHeadStride, valueHeadStride: Int
  public var output: UnsafeMutablePointer<Float>
  public var outputTokenStride, outputHeadStride: Int

  /// An attention on the given memory.
  public init(
    tokens: Int, heads: Int, keyWidth: Int, valueWidth: Int, scale: Float, query: UnsafePointer<Float>,
    key: UnsafePointer<Float>, value: UnsafePointer<Float>, tokenStride: Int, queryHeadStride: Int,
    keyHeadStride: Int, valueHeadStride: Int, output: UnsafeMutablePointer<Float>, outputTokenStride: Int,
    outputHeadStride: Int
  ) {
    self.tokens = tokens
    self.heads = heads
    self.keyWidth = keyWidth
    self.valueWidth = valueWidth
    self.scale = scale
    self.query = query
    self.key = key
    self.value = value
    self.tokenStride = tokenStride
    self.queryHeadStride = queryHeadStride
    self.keyHeadStride = keyHeadStride
    self.valueHeadStride = valueHeadStride
    self.output = output
    self.outputTokenStride = outputTokenStride
    self.outputHeadStride = outputHeadStride
  }
}
