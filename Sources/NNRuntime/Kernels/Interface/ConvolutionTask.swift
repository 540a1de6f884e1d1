/// The integers of a dense convolution (a cross-correlation, groups = 1).
public struct ConvolutionShape: Hashable, Sendable {
  /// Sizes of the input map.
  public var inHeight, inWidth, inChannels: Int
  /// Sizes of the output map.
  public var outHeight, outWidth, outChannels: Int
  /// Kernel, stride, and the padding above and to the left (zeros beyond every edge).
  public var kernelHeight, kernelWidth, stride, padding: Int
  /// Which output pixels it makes.
  public var kind: Kind

  /// Which output pixels a convolution makes.
  public enum Kind: UInt8, Hashable, Sendable {
    /// All of a map.
    case whole
    /// One of the 2x2 that each input pixel becomes: see `Subpixel`.
    case subpixel
  }

  /// A convolution of the given sizes.
  public init(
    inHeight: Int, inWidth: Int, inChannels: Int, outHeight: Int, outWidth: Int, outChannels: Int,
    kernelHeight: Int, kernelWidth: Int, stride: Int, padding: Int, kind: Kind = .whole
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
    self.kind = kind
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

/// Which of the four convolutions of 2x2 a task computes.
///
/// Together they make 2x2 output pixels of each input
/// pixel, as a transposed convolution of stride 2 followed by one of 3x3 does.
public struct Subpixel {
  /// 0 or 1: the place of this convolution's output pixels among the four.
  ///
  /// Number of pixels by which windows begin later when padded by 1.
  public var row, column: Int
  /// Added before the activation to the first row (the last where `row` is 1), to the first (or last) column, and to the
  /// pixel that is in both: three times all output channels.
  public var edgeSums: UnsafePointer<Float>
  /// A 1x1 convolution that is done to its pixels while they are near, where there is one: see `Epilogue.project`.
  public var projection: UnsafePointer<ConvolutionTask>?

  /// The convolution for the pixels at (row, column).
  public init(
    row: Int, column: Int, edgeSums: UnsafePointer<Float>, projection: UnsafePointer<ConvolutionTask>? = nil
  ) {
    self.row = row
    self.column = column
    self.edgeSums = edgeSums
    self.projection = projection
  }

  /// Addends of the sums of the output pixel at (y, x) of `shape`; nil for none.
  @inlinable @inline(__always)
  public func sums(_ y: Int, _ x: Int, of shape: ConvolutionShape) -> UnsafePointer<Float>? {
    let isInRow = y == (row == 0 ? 0 : shape.outHeight &- 1)
    let isInColumn = x == (column == 0 ? 0 : shape.outWidth &- 1)
    guard isInRow || isInColumn else { return nil }
    return unsafe edgeSums + (isInRow ? isInColumn ? 2 : 0 : 1) &* shape.outChannels
  }
}

/// Static quantization: the multiples of a scale that integers of 8 bits stand for.
public struct ByteSteps: Hashable, Sendable {
  /// The scale, above 0.
  public var scale: Float
  /// The least and the largest multiple, whole numbers at most 255 apart, with zero among them.
  public var low, high: Float

  /// Multiples of `scale` from `low` to `high`.
  public init(scale: Float, low: Float, high: Float) {
    self.scale = scale
    self.low = low
    self.high = high
  }
}

/// A dense convolution: out = epilogue(prologue(input) * weights + bias).
public struct ConvolutionTask {
  /// Transformation of the input on its way into the products.
  public enum Prologue {
    /// Nothing.
    case none
    /// Each pixel is normalized over its channels.
    case normalize(Normalization)
    /// The input is enlarged, two taps per axis; the task's shape is that of the larger map.
    case enlarge(Resampling)
    /// Each pixel is multiplied by a vector, channel by channel.
    case multiply(UnsafePointer<Float>)
    /// Each element becomes the nearest of 256 multiples of a scale; the weights are whole numbers from -128 to 127, with a
    /// scale an output channel.
    case quantize(ByteSteps)
    /// Channels, of which there are three, lie in planes: the input's rows are planes, its pixels rows of a plane, and its
    /// channels the elements of a row.
    case planes
  }

  /// Transformation of the sums on their way to memory, apart from the activation.
  public enum Epilogue {
    /// out = activation(sums).
    case store
    /// out = activation(sums) + residual, or activation(sums + residual) where it joins them; the map may be the output
    /// itself.
    case residual(MapPointer, joinsSums: Bool = false)
    /// out = activation(sums + addend).
    case addend(Addend)
    /// A 1x1 convolution is done to the pixels of a tile while they are near: its output counts, its weights are packed
    /// for `gemm`, and one call has all panels.
    case project(UnsafePointer<ConvolutionTask>)
    /// The sums are one of four convolutions of 2x2.
    case subpixel(Subpixel)
  }

  /// Sizes.
  public var shape: ConvolutionShape
  /// The map that is read.
  public var input: MapPointer
  /// The map that is made.
  public var output: MutableMapPointer
  /// Done to the input.
  public var prologue: Prologue
  /// Done to the sums.
  public var epilogue: Epilogue
  /// As the pack function of the same kernel left them.
  public var weights: UnsafePointer<Float>
  /// One per output channel, padded with zeros to whole panels.
  public var bias: UnsafePointer<Float>
  /// At least `inChannels` zeros (rounded up to 16); with a subpixel as many as output channels.
  public var zeros: UnsafePointer<Float>
  /// Applied to the sum before it is stored.
  public var activation: Activation

  /// A convolution on the given memory.
  public init(
    shape: ConvolutionShape, input: MapPointer, output: MutableMapPointer, prologue: Prologue = .none,
    epilogue: Epilogue = .store, weights: UnsafePointer<Float>, bias: UnsafePointer<Float>,
    zeros: UnsafePointer<Float>, activation: Activation
  ) {
    self.shape = shape
    self.input = input
    self.output = output
    self.prologue = prologue
    self.epilogue = epilogue
    self.weights = weights
    self.bias = bias
    self.zeros = zeros
    self.activation = activation
  }
}

// The payloads one by one: kernels ask for what they know.
extension ConvolutionTask {
  /// How each pixel of the input is normalized, if it is.
  @inlinable @inline(__always) public var normalization: Normalization? {
    if case .normalize(let normalization) = prologue { normalization } else { nil }
  }
  /// How the input is enlarged, if it is.
  @inlinable @inline(__always) public var enlargement: Resampling? {
    if case .enlarge(let resampling) = prologue { resampling } else { nil }
  }
  /// The vector that each pixel is multiplied by, if any.
  @inlinable @inline(__always) public var factors: UnsafePointer<Float>? {
    if case .multiply(let factors) = prologue { factors } else { nil }
  }
  /// The multiples that the input is rounded to, if it is.
  @inlinable @inline(__always) public var steps: ByteSteps? {
    if case .quantize(let steps) = prologue { steps } else { nil }
  }
  /// Whether its three channels lie in planes.
  @inlinable @inline(__always) public var readsPlanes: Bool {
    if case .planes = prologue { true } else { false }
  }
  /// Map added after the activation, or before it where it joins the sums; nil if none.
  @inlinable @inline(__always) public var residual: MapPointer? {
    if case .residual(let map, _) = epilogue { map } else { nil }
  }
  /// Whether what is added is added before the activation.
  @inlinable @inline(__always) public var joinsSums: Bool {
    switch epilogue {
    case .residual(_, let joinsSums): joinsSums
    case .addend, .subpixel: true
    case .store, .project: false
    }
  }
  /// Addend before the activation; nil if none.
  @inlinable @inline(__always) public var addend: Addend? {
    if case .addend(let addend) = epilogue { addend } else { nil }
  }
  /// Which of four convolutions of 2x2 it is, if it is one.
  @inlinable @inline(__always) public var subpixel: Subpixel? {
    if case .subpixel(let subpixel) = epilogue { subpixel } else { nil }
  }
  /// The 1x1 convolution that is done to its pixels, if any.
  @inlinable @inline(__always) public var projection: UnsafePointer<ConvolutionTask>? {
    switch epilogue {
    case .project(let projection): projection
    case .subpixel(let subpixel): subpixel.projection
    case .store, .residual, .addend: nil
    }
  }
}
