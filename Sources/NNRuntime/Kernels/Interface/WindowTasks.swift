/// A depthwise convolution: out = activation(depthwise(input) + bias) + residual.
///
/// The weights are (kernel height, kernel width, channels), each already times its scale.
public struct DepthwiseTask {
  /// Sizes of the maps.
  public var inHeight, inWidth, outHeight, outWidth, channels: Int
  /// The window: square, its step, and the padding on every side.
  public var kernel, stride, padding: Int
  /// The map that is read.
  public var input: MapPointer
  /// The map that is made.
  public var output: MutableMapPointer
  /// Added after the activation, where there is one; may be the output itself.
  public var residual: MapPointer?
  /// Packed weights.
  public var weights: UnsafePointer<Float>
  /// One per output channel.
  public var bias: UnsafePointer<Float>
  /// Applied to the sum before it is stored.
  public var activation: Activation

  /// Items of its work: output rows of sixteen channels, those of the same channels after each other; of a kernel of one
  /// position rows of all channels.
  public var items: Int { outHeight * blocks }
  /// Blocks of channels that an output row is computed in, sixteen a block, or all.
  public var blocks: Int { kernel == 1 ? 1 : (channels + 15) / 16 }

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

/// A max-pool: out = max over the window; the padding counts as minus infinity.
public struct PoolTask {
  /// Sizes of the maps.
  public var inHeight, inWidth, outHeight, outWidth, channels: Int
  /// The window: square, its step, and the padding on every side.
  public var kernel, stride, padding: Int
  /// The map that is read.
  public var input: MapPointer
  /// The map that is made.
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

/// A pooling window along one axis of a map.
public struct WindowAxis {
  /// Pixels of the map, and of the window.
  public var input, size: Int
  /// Input pixels from one output pixel's window to the next one's, and from one pixel of a window to the next.
  public var stride, dilation: Int
  /// Pixels before and after the map that windows reach over.
  public var before, after: Int

  /// A window along an axis of `input` pixels.
  public init(input: Int, size: Int, stride: Int, dilation: Int, before: Int, after: Int) {
    self.input = input
    self.size = size
    self.stride = stride
    self.dilation = dilation
    self.before = before
    self.after = after
  }
}

/// A pool over any window: out = the maximum, or the mean, of the window's pixels inside the map.
public struct WindowPoolTask {
  /// Reduction of a window.
  public enum Kind: Hashable, Sendable {
    /// The greatest element; NaN where there is one.
    case maximum
    /// The mean; `countsPadding`: pixels within the paddings count as zeros.
    case mean(countsPadding: Bool)
  }

  /// The reduction.
  public var kind: Kind
  /// The window along both axes.
  public var rows, columns: WindowAxis
  /// Sizes of the output.
  public var outHeight, outWidth, channels: Int
  /// The map that is read.
  public var input: MapPointer
  /// The map that is made.
  public var output: MutableMapPointer

  /// Items of its work: blocks of sixteen channels, pixel after pixel.
  public var items: Int { outHeight * outWidth * blocks }
  /// Blocks of a pixel.
  public var blocks: Int { (channels + 15) / 16 }

  /// A pool on the given memory.
  public init(
    kind: Kind, rows: WindowAxis, columns: WindowAxis, outHeight: Int, outWidth: Int, channels: Int,
    input: MapPointer, output: MutableMapPointer
  ) {
    self.kind = kind
    self.rows = rows
    self.columns = columns
    self.outHeight = outHeight
    self.outWidth = outWidth
    self.channels = channels
    self.input = input
    self.output = output
  }
}

/// Which elements of a map each of a resized one is made of, and how much of each: separable, one tap per axis is nearest,
/// two are bilinear, four bicubic.
///
/// out[y, x] = sum over i, j of rowWeights[y, i] columnWeights[x, j] in[rowIndices[y, i], columnIndices[x, j]].
public struct Resampling {
  /// Taps an axis.
  public var taps: Int
  /// (output height, taps) and (output width, taps).
  public var rowIndices, columnIndices: UnsafePointer<Int32>
  /// Weights of the taps, in the same order; one tap per axis counts as 1.
  public var rowWeights, columnWeights: UnsafePointer<Float>

  /// A resampling by the given tables.
  public init(
    taps: Int, rowIndices: UnsafePointer<Int32>, columnIndices: UnsafePointer<Int32>,
    rowWeights: UnsafePointer<Float>, columnWeights: UnsafePointer<Float>
  ) {
    self.taps = taps
    self.rowIndices = rowIndices
    self.columnIndices = columnIndices
    self.rowWeights = rowWeights
    self.columnWeights = columnWeights
  }
}

/// A resize: out = resampled(in) + residual.
public struct ResizeTask {
  /// Sizes of the maps.
  public var inHeight, inWidth, outHeight, outWidth, channels: Int
  /// How the map is resampled.
  public var resampling: Resampling
  /// The map that is read.
  public var input: MapPointer
  /// Added to the pixels that are made, where there is one; not with one tap.
  public var residual: MapPointer?
  /// The map that is made.
  public var output: MutableMapPointer

  /// A resize on the given memory.
  public init(
    inHeight: Int, inWidth: Int, outHeight: Int, outWidth: Int, channels: Int, resampling: Resampling,
    input: MapPointer, residual: MapPointer? = nil, output: MutableMapPointer
  ) {
    self.inHeight = inHeight
    self.inWidth = inWidth
    self.outHeight = outHeight
    self.outWidth = outWidth
    self.channels = channels
    self.resampling = resampling
    self.input = input
    self.residual = residual
    self.output = output
  }
}
