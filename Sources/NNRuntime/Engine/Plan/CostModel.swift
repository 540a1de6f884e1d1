import NNKernelInterface

/// An algorithm, and why it was chosen.
public struct AlgorithmChoice: Sendable {
  /// The algorithm.
  public var algorithm: Algorithm
  /// For people who read a plan.
  public var reason: String
}

/// A kernel of dense convolutions, and why it was chosen.
package struct KernelChoice: Sendable {
  package var kernel: ConvolutionKernel
  package var reason: String
}

/// The choice of the kernel that is expected to compute a dense convolution in the least time.
///
/// It depends on the shape alone, never on the machine's load or the number of threads, so that results are the same
/// everywhere.
struct CostModel {
  let shape: ConvolutionShape
  /// The kernels that can.
  let candidates: [ConvolutionKernel]
  /// Why none of them computes tiles, where none does.
  let refusal: String?

  /// Pixels below which the tiles of a Winograd convolution are too few to fill a register tile.
  private static let fewPixels = 64
  /// Input channels from which Winograd's phases for stride 2 save more than their transforms cost, and channels in
  /// times channels out for each tile of 4x4 outputs beyond which its four times as many weights cost more than the
  /// products they save.
  private static let stridedChannels = 32
  private static let stridedWeightsPerTile = 3000
  /// Tiles below which the panels of a strided layer are shared by threads that each transform all windows.
  private static let stridedTiles = 64
  /// Input channels, and numbers of all windows' positions, from which those phases save more in 16-bit integers.
  private static let stridedIntegerChannels = 64
  private static let stridedIntegerWindows = 10_000
  /// Share of the products of small tiles up to which large ones are worth their costlier transforms; and a share up to
  /// which they are where there are so many of them, and at most so many weights for each.
  private static let largeTileShare = 0.84
  private static let manyTilesShare = 0.88
  private static let manyTiles = 128
  private static let weightsPerLargeTile = 256
  /// Channels (the product of both kinds by their sum) from which the eighth of the products that Strassen saves takes
  /// more time than the sums it adds, and pixels that are worth seven weights instead of four.
  private static let strassenPixels = 1024
  private static let strassenChannels = 96

  /// The choice in single precision; nil where nothing can.
  func floats() -> KernelChoice? {
    guard let first = candidates.first else { return nil }
    return preferred()
      ?? KernelChoice(kernel: first, reason: "nothing else computes all that is joined to it")
  }

  private func preferred() -> KernelChoice? {
    func direct(_ reason: String) -> KernelChoice? { choice(.direct, reason) }
    if shape.kernelHeight == 1, shape.kernelWidth == 1 {
      let (inChannels, outChannels) = (shape.inChannels, shape.outChannels)
      if shape.outHeight * shape.outWidth >= Self.strassenPixels,
        inChannels * outChannels >= Self.strassenChannels * (inChannels + outChannels),
        let strassen = choice(.strassen, "1x1: an eighth fewer products over pixels")
      {
        return strassen
      }
      return choice(.gemm, "1x1: a product over pixels")
    }
    if shape.kind == .subpixel { return subpixel }
    guard candidates.contains(where: \.isWinograd) else { return direct(refusal ?? "nothing else can") }
    guard shape.outHeight * shape.outWidth >= Self.fewPixels else {
      return direct("fewer than \(Self.fewPixels) pixels")
    }
    guard shape.stride == 2 else { return winograd(isLarge: isLargeCheap) }
    guard shape.inChannels >= Self.stridedChannels else { return direct("stride 2, few channels") }
    guard shape.tiles(.four) >= Self.stridedTiles else { return direct("stride 2, few pixels") }
    guard shape.inChannels * shape.outChannels <= Self.stridedWeightsPerTile * shape.tiles(.four) else {
      return direct("stride 2, many weights for its pixels")
    }
    return strided
  }

  /// The choice in 16 bits, integers or half precision; nil where direct products of bf16 take less time, or nothing can.
  ///
  /// The CPU computes both as fast: fewer pay wherever Winograd can be had and there are pixels.
  func integers(_ products: ProductElement) -> KernelChoice? {
    guard !candidates.isEmpty, shape.outHeight * shape.outWidth >= Self.fewPixels else { return nil }
    var choice: KernelChoice?
    if shape.kind == .subpixel {
      choice = subpixel
    } else if shape.stride == 2 {
      guard shape.inChannels >= Self.stridedIntegerChannels,
        shape.inChannels * shape.tiles(.four) >= Self.stridedIntegerWindows
      else { return nil }
      choice = strided
    } else {
      choice = winograd(isLarge: largeShare <= Self.largeTileShare)
    }
    choice?.reason +=
      products == .int16 ? ", of 16-bit integers, with more digits than bf16" : ", of half precision"
    return choice
  }

  private var subpixel: KernelChoice? {
    choice(
      .winograd4x4,
      "with the transposed one before it four convolutions of 2x2: 2.6 times fewer products each")
  }

  private var strided: KernelChoice? { choice(.winograd4x4, "3x3, stride 2: 1.8 times fewer products") }

  private func winograd(isLarge: Bool) -> KernelChoice? {
    isLarge
      ? choice(.winograd6x6, "3x3, stride 1: 5 times fewer products")
      : choice(.winograd4x4, "3x3, stride 1: 4 times fewer products")
  }

  private func choice(_ algorithm: Algorithm, _ reason: String) -> KernelChoice? {
    candidates.first { $0.algorithm == algorithm }.map { KernelChoice(kernel: $0, reason: reason) }
  }

  /// Whether larger tiles, which save a fifth of the products, less where they reach over the map's edges, pay.
  private var isLargeCheap: Bool {
    let tiles = shape.tiles(.six)
    let isCheap =
      tiles >= Self.manyTiles && shape.inChannels * shape.outChannels <= Self.weightsPerLargeTile * tiles
    return largeShare <= (isCheap ? Self.manyTilesShare : Self.largeTileShare)
  }

  /// The products of large tiles, as a share of those of small ones.
  private var largeShare: Double { Double(shape.products(.six)) / Double(shape.products(.four)) }
}

extension KernelCatalogue {
  /// The choice for a dense convolution in single precision that nothing is fused to.
  package func choice(_ shape: ConvolutionShape) -> KernelChoice? {
    CostModel(shape: shape, candidates: candidates(shape), refusal: refusal(shape)).floats()
  }

  /// The choice for a layer in single precision: the measured one, where there is one that can do all that is fused to the
  /// layer.
  func choice(
    _ layer: Convolution, _ shape: ConvolutionShape, _ measured: MeasuredChoices?
  ) -> KernelChoice? {
    if let choice = steppedChoice(layer, shape) { return choice }
    let candidates = candidates(layer, shape, .float32)
    if let entry = measured?[shape], let kernel = candidates.first(where: { $0.algorithm == entry.algorithm })
    {
      return KernelChoice(kernel: kernel, reason: entry.reason)
    }
    return CostModel(shape: shape, candidates: candidates, refusal: refusal(shape)).floats()
  }

  /// The choice for a layer whose input is rounded to known steps; nil for others.
  ///
  /// It is the same in every precision.
  func steppedChoice(_ layer: Convolution, _ shape: ConvolutionShape) -> KernelChoice? {
    guard case .quantize = layer.prologue else { return nil }
    return candidates(layer, shape, .int8).first.map {
      KernelChoice(kernel: $0, reason: "exact sums of the file's own 8-bit integers")
    }
  }

  /// The choice in 16-bit integers; nil where direct products of bf16 take less time, or nothing can.
  package func integerChoice(_ shape: ConvolutionShape) -> KernelChoice? {
    CostModel(shape: shape, candidates: candidates(shape, .int16), refusal: nil).integers(.int16)
  }

  /// As for a shape, of a layer with all that is fused to it.
  func integerChoice(
    _ layer: Convolution, _ shape: ConvolutionShape, _ products: ProductElement
  ) -> KernelChoice? {
    CostModel(shape: shape, candidates: candidates(layer, shape, products), refusal: nil).integers(products)
  }
}

extension ConvolutionShape {
  /// One of the four convolutions of 2x2 that replace a transposed convolution of `input` and the 3x3 one
  /// after it.
  static func subpixel(_ input: MapShape, outChannels: Int) -> ConvolutionShape {
    ConvolutionShape(
      inHeight: input.height, inWidth: input.width, inChannels: input.channels, outHeight: input.height,
      outWidth: input.width, outChannels: outChannels, kernelHeight: 2, kernelWidth: 2, stride: 1, padding: 1,
      kind: .subpixel)
  }

  /// Winograd's tiles of the output map.
  func tiles(_ tile: WinogradTile) -> Int {
    ((outHeight + tile.edge - 1) / tile.edge) * ((outWidth + tile.edge - 1) / tile.edge)
  }

  /// Winograd's products where the stride is 1.
  func products(_ tile: WinogradTile) -> Int {
    tiles(tile) * tile.products(kernel: kernelHeight) * inChannels * outChannels
  }
}
