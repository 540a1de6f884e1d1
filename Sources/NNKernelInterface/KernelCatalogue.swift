/// The kernels that there are: what legality, choice, packing, work grids, tuning and tests are read from.
///
/// Where several kernels can do a thing the first is taken, unless a cost model or a measurement says otherwise.
public struct KernelCatalogue: Sendable {
  /// An instruction set, or a backend.
  public let name: String
  /// The name of those of single precision: its own, or that of the catalogue it goes on from.
  public let floats: String

  /// Dense convolutions and linear layers.
  public private(set) var convolutions: [ConvolutionKernel] = []
  /// Depthwise convolutions; items are output rows.
  public private(set) var depthwise: [Kernel<DepthwiseTask>] = []
  /// Max-pools, whose padding counts as minus infinity; items are output rows.
  public private(set) var maxPool: [Kernel<PoolTask>] = []
  /// Separable resizes; items are output rows.
  public private(set) var resize: [Kernel<ResizeTask>] = []
  /// Layer normalizations over channels, biased variance; items are pixels (tokens).
  public private(set) var layerNorm: [Kernel<LayerNormTask>] = []
  /// Softmaxes over channels; items are pixels.
  public private(set) var softmax: [Kernel<ElementwiseTask>] = []
  /// Elementwise operations; items are pixels.
  public private(set) var elementwise: [Kernel<ElementwiseTask>] = []
  /// Attention; items are groups of `together` queries, one head after another.
  public private(set) var attention: [Kernel<AttentionTask>] = []

  /// An empty one, or one that begins with the kernels of `base`.
  public init(_ name: String, after base: KernelCatalogue? = nil) {
    self.name = name
    floats = base?.floats ?? name
    guard let base else { return }
    convolutions = base.convolutions
    depthwise = base.depthwise
    maxPool = base.maxPool
    resize = base.resize
    layerNorm = base.layerNorm
    softmax = base.softmax
    elementwise = base.elementwise
    attention = base.attention
  }
}

// Kernels are made here, and not by those who have them: a kernel target that made, copied or destroyed one would have
// functions for that, compiled with its instructions, which the linker may keep for the whole program.
extension KernelCatalogue {
  /// Adds a kernel of dense convolutions.
  @inline(never)
  public mutating func add(
    _ name: String, _ algorithm: Algorithm, of domain: ConvolutionDomain, products: ProductElement,
    maps: MapElements, prologues: ConvolutionKernel.Prologues,
    epilogues: ConvolutionKernel.Epilogues, items: ConvolutionKernel.Items,
    block: ConvolutionKernel.Block, tolerance: KernelTolerance, by permit: Permit,
    packedCount: @escaping @Sendable (ConvolutionShape) -> Int,
    pack:
      @escaping @Sendable (
        ConvolutionShape, UnsafePointer<Float>, UnsafePointer<Float>?, UnsafeMutablePointer<Float>
      ) -> Void,
    scratch: @escaping @Sendable (ConvolutionShape, _ items: Int) -> Int,
    run: @escaping @Sendable (UnsafePointer<ConvolutionTask>, Share) -> Void
  ) {
    convolutions.append(
      ConvolutionKernel(
        name, set: self.name, algorithm, of: domain, products: products, maps: maps, prologues: prologues,
        epilogues: epilogues, items: items, block: block, tolerance: tolerance, by: permit,
        packedCount: packedCount, pack: pack, scratch: scratch, run: run))
  }

  /// Adds a kernel of depthwise convolutions.
  @inline(never)
  public mutating func add(
    depthwise name: String, maps: MapElements, tolerance: KernelTolerance, by permit: Permit,
    run: @escaping @Sendable (UnsafePointer<DepthwiseTask>, Share) -> Void
  ) {
    depthwise.append(
      Kernel(
        name, set: self.name, products: .float32, maps: maps, together: 1, tolerance: tolerance, by: permit,
        scratch: { _ in 0 }, run: run))
  }

  /// Adds a kernel of max-pools.
  @inline(never)
  public mutating func add(
    maxPool name: String, maps: MapElements, tolerance: KernelTolerance, by permit: Permit,
    run: @escaping @Sendable (UnsafePointer<PoolTask>, Share) -> Void
  ) {
    maxPool.append(
      Kernel(
        name, set: self.name, products: .float32, maps: maps, together: 1, tolerance: tolerance, by: permit,
        scratch: { _ in 0 }, run: run))
  }

  /// Adds a kernel of resizes.
  @inline(never)
  public mutating func add(
    resize name: String, maps: MapElements, tolerance: KernelTolerance, by permit: Permit,
    scratch: @escaping @Sendable (UnsafePointer<ResizeTask>) -> Int,
    run: @escaping @Sendable (UnsafePointer<ResizeTask>, Share) -> Void
  ) {
    resize.append(
      Kernel(
        name, set: self.name, products: .float32, maps: maps, together: 1, tolerance: tolerance, by: permit,
        scratch: scratch, run: run))
  }

  /// Adds a kernel of layer normalizations.
  @inline(never)
  public mutating func add(
    layerNorm name: String, maps: MapElements, tolerance: KernelTolerance, by permit: Permit,
    run: @escaping @Sendable (UnsafePointer<LayerNormTask>, Share) -> Void
  ) {
    layerNorm.append(
      Kernel(
        name, set: self.name, products: .float32, maps: maps, together: 1, tolerance: tolerance, by: permit,
        scratch: { _ in 0 }, run: run))
  }

  /// Adds a kernel of softmaxes.
  @inline(never)
  public mutating func add(
    softmax name: String, maps: MapElements, tolerance: KernelTolerance, by permit: Permit,
    run: @escaping @Sendable (UnsafePointer<ElementwiseTask>, Share) -> Void
  ) {
    softmax.append(
      Kernel(
        name, set: self.name, products: .float32, maps: maps, together: 1, tolerance: tolerance, by: permit,
        scratch: { _ in 0 }, run: run))
  }

  /// Adds a kernel of elementwise operations.
  @inline(never)
  public mutating func add(
    elementwise name: String, maps: MapElements, tolerance: KernelTolerance, by permit: Permit,
    run: @escaping @Sendable (UnsafePointer<ElementwiseTask>, Share) -> Void
  ) {
    elementwise.append(
      Kernel(
        name, set: self.name, products: .float32, maps: maps, together: 1, tolerance: tolerance, by: permit,
        scratch: { _ in 0 }, run: run))
  }

  /// Adds a kernel of attention.
  @inline(never)
  public mutating func add(
    attention name: String, products: ProductElement, maps: MapElements, queries together: Int,
    tolerance: KernelTolerance, by permit: Permit,
    scratch: @escaping @Sendable (UnsafePointer<AttentionTask>) -> Int,
    run: @escaping @Sendable (UnsafePointer<AttentionTask>, Share) -> Void
  ) {
    attention.append(
      Kernel(
        name, set: self.name, products: products, maps: maps, together: together, tolerance: tolerance,
        by: permit,
        scratch: scratch, run: run))
  }
}
