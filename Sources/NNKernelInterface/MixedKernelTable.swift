/// The kernels of reduced precision: products of bf16 numbers, sums and all other arithmetic in floats; the maps of
/// a task may each hold bf16 or floats.
///
/// Otherwise the contract is `KernelTable`'s: pointers and integers, nothing checked, and the result of an element
/// never depends on how the work was shared.
public struct MixedKernelTable: Sendable {
  /// `avx512bf16` or `amx`.
  public var name: String
  /// Output channels in a full panel of packed weights.
  public var panelWidth: Int

  /// Floats of memory that the packed weights of a convolution take.
  public var packedConvolutionCount: @Sendable (_ shape: ConvolutionShape) -> Int
  /// Packs weights (out, in, kernel height, kernel width), each output channel times its `scale`, rounded to bf16.
  public var packConvolution:
    @Sendable (
      _ shape: ConvolutionShape, _ weights: UnsafePointer<Float>, _ scale: UnsafePointer<Float>?,
      _ packed: UnsafeMutablePointer<Float>
    ) -> Void
  /// Output rows `begin..<end`, output channel panels `firstPanel..<lastPanel`.
  ///
  /// A map of width 1 under a 1x1 kernel is the case that reads its input in place.
  public var convolution:
    @Sendable (
      _ task: UnsafePointer<ConvolutionTask>, _ begin: Int, _ end: Int, _ firstPanel: Int, _ lastPanel: Int,
      _ scratch: UnsafeMutablePointer<Float>
    ) -> Void
  /// Scratch floats of `convolution` on at most `rows` output rows at a time.
  public var convolutionScratch: @Sendable (_ shape: ConvolutionShape, _ rows: Int) -> Int

  /// Winograd convolutions of stride 1 in products of 16-bit integers; nil where direct products of bf16 are faster.
  public var winograd: (@Sendable (_ tile: WinogradTile) -> ConvolutionKernels)?

  /// As in `KernelTable`.
  public var depthwise: @Sendable (_ task: UnsafePointer<DepthwiseTask>, _ begin: Int, _ end: Int) -> Void
  /// As in `KernelTable`.
  public var maxPool: @Sendable (_ task: UnsafePointer<PoolTask>, _ begin: Int, _ end: Int) -> Void
  /// As in `KernelTable`.
  public var resize:
    @Sendable (
      _ task: UnsafePointer<ResizeTask>, _ begin: Int, _ end: Int, _ scratch: UnsafeMutablePointer<Float>
    ) -> Void
  /// As in `KernelTable`.
  public var resizeScratch: @Sendable (_ task: UnsafePointer<ResizeTask>) -> Int
  /// As in `KernelTable`.
  public var layerNorm: @Sendable (_ task: UnsafePointer<LayerNormTask>, _ begin: Int, _ end: Int) -> Void
  /// As in `KernelTable`.
  public var elementwise: @Sendable (_ task: UnsafePointer<ElementwiseTask>, _ begin: Int, _ end: Int) -> Void
  /// Work items `begin..<end`: item i is group i % groups of the queries of head i / groups.
  public var attention:
    @Sendable (
      _ task: UnsafePointer<AttentionTask>, _ begin: Int, _ end: Int, _ scratch: UnsafeMutablePointer<Float>
    ) -> Void
  /// Work items of an attention.
  public var attentionItems: @Sendable (_ task: UnsafePointer<AttentionTask>) -> Int
  /// Scratch floats of `attention`.
  public var attentionScratch: @Sendable (_ task: UnsafePointer<AttentionTask>) -> Int

  /// All kernels of a variant.
  public init(
    name: String, panelWidth: Int,
    packedConvolutionCount: @escaping @Sendable (ConvolutionShape) -> Int,
    packConvolution:
      @escaping @Sendable (
        ConvolutionShape, UnsafePointer<Float>, UnsafePointer<Float>?, UnsafeMutablePointer<Float>
      ) -> Void,
    convolution:
      @escaping @Sendable (
        UnsafePointer<ConvolutionTask>, Int, Int, Int, Int, UnsafeMutablePointer<Float>
      ) -> Void,
    convolutionScratch: @escaping @Sendable (ConvolutionShape, Int) -> Int,
    winograd: (@Sendable (WinogradTile) -> ConvolutionKernels)?,
    depthwise: @escaping @Sendable (UnsafePointer<DepthwiseTask>, Int, Int) -> Void,
    maxPool: @escaping @Sendable (UnsafePointer<PoolTask>, Int, Int) -> Void,
    resize: @escaping @Sendable (UnsafePointer<ResizeTask>, Int, Int, UnsafeMutablePointer<Float>) -> Void,
    resizeScratch: @escaping @Sendable (UnsafePointer<ResizeTask>) -> Int,
    layerNorm: @escaping @Sendable (UnsafePointer<LayerNormTask>, Int, Int) -> Void,
    elementwise: @escaping @Sendable (UnsafePointer<ElementwiseTask>, Int, Int) -> Void,
    attention:
      @escaping @Sendable (UnsafePointer<AttentionTask>, Int, Int, UnsafeMutablePointer<Float>) -> Void,
    attentionItems: @escaping @Sendable (UnsafePointer<AttentionTask>) -> Int,
    attentionScratch: @escaping @Sendable (UnsafePointer<AttentionTask>) -> Int
  ) {
    self.name = name
    self.panelWidth = panelWidth
    self.packedConvolutionCount = packedConvolutionCount
    self.packConvolution = packConvolution
    self.convolution = convolution
    self.convolutionScratch = convolutionScratch
    self.winograd = winograd
    self.depthwise = depthwise
    self.maxPool = maxPool
    self.resize = resize
    self.resizeScratch = resizeScratch
    self.layerNorm = layerNorm
    self.elementwise = elementwise
    self.attention = attention
    self.attentionItems = attentionItems
    self.attentionScratch = attentionScratch
  }
}
