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

/// A part of a convolution's sums that was computed before, perhaps for fewer pixels.
public struct Addend {
  /// The sums, in floats.
  public var map: MapPointer
  /// Output pixels of a row.
  public var width: Int
  /// In each direction 2 to this power output pixels share one of the map.
  public var shift: Int

  /// Sums at `map` for output pixels in rows of `width`.
  public init(map: MapPointer, width: Int, shift: Int) {
    self.map = map
    self.width = width
    self.shift = shift
  }

  /// The sums of an output pixel, counted row by row.
  @inlinable @inline(__always)
  public func sums(ofPixel pixel: Int) -> UnsafePointer<Float> {
    let (y, x) = pixel.quotientAndRemainder(dividingBy: width)
    return unsafe map.base + ((y >> shift) &* map.rowStride &+ (x >> shift) &* map.pixelStride)
  }
}

/// Which of four convolutions of 2x2 a task computes that make 2x2 output pixels of each input pixel, the way a transposed
/// convolution of stride 2 and one of 3x3 behind it do.
public struct Subpixel {
  /// 0 or 1: the place of this convolution's output pixels among the four.
  ///
  /// Padded by 1, windows begin so many pixels later.
  public var row, column: Int
  /// Added before the activation to the first row (the last where `row` is 1), to the first (or last) column, and to the
  /// pixel that is in both: three times all output channels.
  public var edgeSums: UnsafePointer<Float>

  /// The convolution for the pixels at (row, column).
  public init(row: Int, column: Int, edgeSums: UnsafePointer<Float>) {
    self.row = row
    self.column = column
    self.edgeSums = edgeSums
  }

  /// What is added to the sums of the output pixel at (y, x) of `shape`; nil where nothing is.
  @inlinable @inline(__always)
  public func sums(_ y: Int, _ x: Int, of shape: ConvolutionShape) -> UnsafePointer<Float>? {
    let isInRow = y == (row == 0 ? 0 : shape.outHeight &- 1)
    let isInColumn = x == (column == 0 ? 0 : shape.outWidth &- 1)
    guard isInRow || isInColumn else { return nil }
    return unsafe edgeSums + (isInRow ? isInColumn ? 2 : 0 : 1) &* shape.outChannels
  }
}

/// A dense convolution: out = activation(input * weights + addend + bias) + residual.
public struct ConvolutionTask {
  /// Sizes.
  public var shape: ConvolutionShape
  /// The maps; `residual` may be the output itself.
  public var input: MapPointer
  /// The map that is made.
  public var output: MutableMapPointer
  /// Added after the activation, where there is one; may be the output itself.
  public var residual: MapPointer?
  /// Added before the activation, where there is one; only of a 1x1 convolution, and not besides a residual.
  public var addend: Addend?
  /// Done to each pixel of the input before it is multiplied, where there is one; only of a 1x1 convolution.
  public var normalisation: Normalisation?
  /// How the input is enlarged as it is read, where it is.
  ///
  /// The shape is that of the enlarged map; two taps an axis, and only of Winograd convolutions in floats, stride 1.
  public var enlargement: Resampling?
  /// A 1x1 convolution that is done to the pixels of a tile while they are near, where there is one: its output counts.
  ///
  /// Without a residual, its weights packed for `direct`; only of Winograd convolutions in floats, stride 1, all panels in
  /// one call.
  public var projection: UnsafePointer<ConvolutionTask>?
  /// Which of four convolutions of 2x2 it is, where it is one; only of Winograd convolutions, without a residual.
  public var subpixel: Subpixel?
  /// As the pack function of the same algorithm left them.
  public var weights: UnsafePointer<Float>
  /// One a output channel, padded with zeros to whole panels.
  public var bias: UnsafePointer<Float>
  /// At least `inChannels` zeros (rounded up to 16); with a subpixel as many as output channels.
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
