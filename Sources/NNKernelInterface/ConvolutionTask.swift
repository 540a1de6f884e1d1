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

extension ConvolutionShape {
  /// Pairs of blocks of at most `tileRows` output pixels: an even number, for threads to share.
  public func rowPairs(_ tileRows: Int) -> Int {
    (outHeight * outWidth + 4 * tileRows - 1) / (4 * tileRows) * 2
  }

  /// The output pixels of some pairs; one has as many as another, or one less.
  public func pixels(ofPairs pairs: Range<Int>, _ tileRows: Int) -> Range<Int> {
    let (pixels, count) = (outHeight * outWidth, rowPairs(tileRows))
    return pixels * pairs.lowerBound / count..<pixels * pairs.upperBound / count
  }
}

/// A dense convolution: out = activation(input * weights + bias) + residual.
public struct ConvolutionTask {
  /// Sizes.
  public var shape: ConvolutionShape
  /// The maps; `residual` may be the output itself.
  public var input: MapPointer
  /// The map that is made.
  public var output: MutableMapPointer
  /// Added after the activation, where there is one; may be the output itself.
  public var residual: MapPointer?
  /// As the pack function of the same algorithm left them.
  public var weights: UnsafePointer<Float>
  /// One a output channel, padded with zeros to whole panels.
  public var bias: UnsafePointer<Float>
  /// At least `inChannels` zeros (rounded up to 16).
  public var zeros: UnsafePointer<Float>
  /// Applied to the sum before it is stored.
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
