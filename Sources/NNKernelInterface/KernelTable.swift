/// The kernels of one instruction set: what `NNRuntime` calls, and all it may call.
///
/// A kernel sees pointers and integers; it checks nothing. Every pointer, size and range in a task was
/// checked when the plan was made. `begin..<end` selects the share of the work that one call does; the
/// result of an element never depends on how the work was shared.
///
/// Scratch memory is 64-byte aligned and belongs to the calling thread for the length of the call.
public struct KernelTable: Sendable {
  /// `portable`, `avx2` or `avx512`.
  public var name: String
  /// Output channels in a full panel of packed weights.
  public var panelWidth: Int
  /// Most output pixels (rows of the product) that one tile holds in registers.
  public var tileRows: Int

  /// A matrix product a kernel position, inputs read in place.
  public var direct: ConvolutionKernels
  /// Strassen's products for 1x1 convolutions, both kinds of channels multiples of 32.
  ///
  /// `begin..<end` are pairs of blocks of rows (`ConvolutionShape.rowPairs`), panels those of half the output channels.
  public var strassen: ConvolutionKernels
  /// Winograd F(4x4,3x3) for stride 1, its phases for stride 2, and F(4x4,2x2) for kernels of 2x2.
  public var smallWinograd: ConvolutionKernels
  /// Winograd F(6x6,3x3), stride 1 only.
  public var largeWinograd: ConvolutionKernels

  /// Output rows `begin..<end` of a depthwise convolution.
  public var depthwise: @Sendable (_ task: UnsafePointer<DepthwiseTask>, _ begin: Int, _ end: Int) -> Void
  /// Output rows `begin..<end` of a max-pool; padding counts as minus infinity.
  public var maxPool: @Sendable (_ task: UnsafePointer<PoolTask>, _ begin: Int, _ end: Int) -> Void
  /// Output rows `begin..<end` of a separable resize.
  public var resize:
    @Sendable (
      _ task: UnsafePointer<ResizeTask>, _ begin: Int, _ end: Int, _ scratch: UnsafeMutablePointer<Float>
    ) -> Void
  /// Scratch floats of `resize`.
  public var resizeScratch: @Sendable (_ task: UnsafePointer<ResizeTask>) -> Int
  /// Pixels (tokens) `begin..<end` of a layer normalisation over channels, biased variance.
  public var layerNorm: @Sendable (_ task: UnsafePointer<LayerNormTask>, _ begin: Int, _ end: Int) -> Void
  /// Pixels `begin..<end` of a softmax over channels.
  public var softmax: @Sendable (_ task: UnsafePointer<ElementwiseTask>, _ begin: Int, _ end: Int) -> Void
  /// Pixels `begin..<end` of an elementwise operation.
  public var elementwise: @Sendable (_ task: UnsafePointer<ElementwiseTask>, _ begin: Int, _ end: Int) -> Void
  /// Work items `begin..<end` of an attention; item i is query block i % blocks of head i / blocks.
  public var attention:
    @Sendable (
      _ task: UnsafePointer<AttentionTask>, _ begin: Int, _ end: Int, _ scratch: UnsafeMutablePointer<Float>
    ) -> Void
  /// Work items of an attention: heads x query blocks.
  public var attentionItems: @Sendable (_ task: UnsafePointer<AttentionTask>) -> Int
  /// Scratch floats of `attention`.
  public var attentionScratch: @Sendable (_ task: UnsafePointer<AttentionTask>) -> Int

  /// All kernels of an instruction set.
  public init(
    name: String, panelWidth: Int, tileRows: Int,
    direct: ConvolutionKernels, strassen: ConvolutionKernels,
    smallWinograd: ConvolutionKernels, largeWinograd: ConvolutionKernels,
    depthwise: @escaping @Sendable (UnsafePointer<DepthwiseTask>, Int, Int) -> Void,
    maxPool: @escaping @Sendable (UnsafePointer<PoolTask>, Int, Int) -> Void,
    resize: @escaping @Sendable (UnsafePointer<ResizeTask>, Int, Int, UnsafeMutablePointer<Float>) -> Void,
    resizeScratch: @escaping @Sendable (UnsafePointer<ResizeTask>) -> Int,
    layerNorm: @escaping @Sendable (UnsafePointer<LayerNormTask>, Int, Int) -> Void,
    softmax: @escaping @Sendable (UnsafePointer<ElementwiseTask>, Int, Int) -> Void,
    elementwise: @escaping @Sendable (UnsafePointer<ElementwiseTask>, Int, Int) -> Void,
    attention:
      @escaping @Sendable (UnsafePointer<AttentionTask>, Int, Int, UnsafeMutablePointer<Float>) -> Void,
    attentionItems: @escaping @Sendable (UnsafePointer<AttentionTask>) -> Int,
    attentionScratch: @escaping @Sendable (UnsafePointer<AttentionTask>) -> Int
  ) {
    self.name = name
    self.panelWidth = panelWidth
    self.tileRows = tileRows
    self.direct = direct
    self.strassen = strassen
    self.smallWinograd = smallWinograd
    self.largeWinograd = largeWinograd
    self.depthwise = depthwise
    self.maxPool = maxPool
    self.resize = resize
    self.resizeScratch = resizeScratch
    self.layerNorm = layerNorm
    self.softmax = softmax
    self.elementwise = elementwise
    self.attention = attention
    self.attentionItems = attentionItems
    self.attentionScratch = attentionScratch
  }
  /// The kernels of a size of tile.
  public func winograd(_ tile: WinogradTile) -> ConvolutionKernels {
    switch tile {
    case .four: smallWinograd
    case .six: largeWinograd
    }
  }
}
