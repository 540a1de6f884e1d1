import NNKernelInterface

/// How a layer is computed.
public enum Algorithm: String, Sendable {
  /// One matrix product over the pixels.
  case gemm
  /// One matrix product over the pixels, by seven of a quarter's size.
  case strassen
  /// A matrix product a kernel position, inputs read in place.
  case direct
  /// Winograd F(4x4,3x3), its phases where the stride is 2, or F(4x4,2x2).
  case winograd4x4 = "winograd-f4x4"
  /// Winograd F(6x6,3x3).
  case winograd6x6 = "winograd-f6x6"
  /// A matrix product a position of the kernel, outputs interleaved.
  case subpixel
  /// Online-softmax attention in blocks.
  case blocked
  /// A loop over pixels, vectorised over channels.
  case vector
  /// No work: another layer's memory.
  case none
}

extension Algorithm {
  /// The tiles of a Winograd convolution; nil for other algorithms.
  var winogradTile: WinogradTile? {
    switch self {
    case .winograd4x4: .four
    case .winograd6x6: .six
    default: nil
    }
  }
}

/// An algorithm, and why it was chosen.
public struct AlgorithmChoice: Sendable {
  /// The algorithm.
  public var algorithm: Algorithm
  /// For people who read a plan.
  public var reason: String
}

extension AlgorithmChoice {
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

  /// What can compute a dense convolution: one algorithm, or several to choose from.
  package static func candidates(_ shape: ConvolutionShape) -> [Algorithm] {
    if shape.kernelHeight == 1, shape.kernelWidth == 1 {
      let halves = shape.inChannels % 32 == 0 && shape.outChannels % 32 == 0
      return halves && shape.stride == 1 && shape.padding == 0 ? [.gemm, .strassen] : [.gemm]
    }
    if shape.kind == .subpixel { return [.winograd4x4] }
    let isWinograd =
      shape.kernelHeight == 3 && shape.kernelWidth == 3 && shape.stride <= 2 && shape.padding == 1
      && shape.inChannels % 16 == 0 && shape.outChannels % 16 == 0
    guard isWinograd else { return [.direct] }
    return shape.stride == 1 ? [.direct, .winograd4x4, .winograd6x6] : [.direct, .winograd4x4]
  }

  /// The choice for a dense convolution.
  ///
  /// It depends on the shape alone, never on the machine's load or the number of threads, so that results
  /// are the same everywhere.
  package static func convolution(_ shape: ConvolutionShape) -> AlgorithmChoice {
    func direct(_ reason: String) -> AlgorithmChoice { AlgorithmChoice(algorithm: .direct, reason: reason) }
    if shape.kernelHeight == 1, shape.kernelWidth == 1 {
      let (inChannels, outChannels) = (shape.inChannels, shape.outChannels)
      if candidates(shape).contains(.strassen), shape.outHeight * shape.outWidth >= strassenPixels,
        inChannels * outChannels >= strassenChannels * (inChannels + outChannels)
      {
        return AlgorithmChoice(algorithm: .strassen, reason: "1x1: an eighth fewer products over pixels")
      }
      return AlgorithmChoice(algorithm: .gemm, reason: "1x1: a product over pixels")
    }
    if shape.kind == .subpixel {
      return AlgorithmChoice(
        algorithm: .winograd4x4,
        reason: "with the transposed one before it four convolutions of 2x2: 2.6 times fewer products each")
    }
    guard shape.kernelHeight == 3, shape.kernelWidth == 3 else { return direct("kernel is not 3x3") }
    guard shape.stride <= 2, shape.padding == 1 else { return direct("stride \(shape.stride)") }
    guard shape.inChannels % 16 == 0, shape.outChannels % 16 == 0 else {
      return direct("channels are not multiples of 16")
    }
    guard shape.outHeight * shape.outWidth >= fewPixels else {
      return direct("fewer than \(fewPixels) pixels")
    }
    guard shape.stride == 2 else { return winograd(shape) }
    guard shape.inChannels >= stridedChannels else { return direct("stride 2, few channels") }
    guard shape.tiles(.four) >= stridedTiles else { return direct("stride 2, few pixels") }
    guard shape.inChannels * shape.outChannels <= stridedWeightsPerTile * shape.tiles(.four) else {
      return direct("stride 2, many weights for its pixels")
    }
    return AlgorithmChoice(algorithm: .winograd4x4, reason: "3x3, stride 2: 1.8 times fewer products")
  }

  /// Winograd's choice in products of 16-bit integers; nil where direct ones of bf16 take less time.
  ///
  /// The CPU computes both as fast: fewer pay wherever Winograd can be had and there are pixels.
  package static func integers(_ shape: ConvolutionShape) -> AlgorithmChoice? {
    guard candidates(shape).contains(.winograd4x4), shape.outHeight * shape.outWidth >= fewPixels else {
      return nil
    }
    var choice =
      shape.kind == .subpixel
      ? convolution(shape) : winograd(shape, isLarge: largeShare(shape) <= largeTileShare)
    if shape.stride == 2 {
      guard shape.inChannels >= stridedIntegerChannels,
        shape.inChannels * shape.tiles(.four) >= stridedIntegerWindows
      else { return nil }
      choice = AlgorithmChoice(algorithm: .winograd4x4, reason: "3x3, stride 2: 1.8 times fewer products")
    }
    choice.reason += ", of 16-bit integers, with more digits than bf16"
    return choice
  }

  /// The tiles for stride 1: larger ones save a fifth of the products, less where they reach over the map's edges.
  private static func winograd(_ shape: ConvolutionShape) -> AlgorithmChoice {
    let tiles = shape.tiles(.six)
    let isCheap =
      tiles >= manyTiles && shape.inChannels * shape.outChannels <= weightsPerLargeTile * tiles
    return winograd(shape, isLarge: largeShare(shape) <= (isCheap ? manyTilesShare : largeTileShare))
  }

  private static func winograd(_ shape: ConvolutionShape, isLarge: Bool) -> AlgorithmChoice {
    isLarge
      ? AlgorithmChoice(algorithm: .winograd6x6, reason: "3x3, stride 1: 5 times fewer products")
      : AlgorithmChoice(algorithm: .winograd4x4, reason: "3x3, stride 1: 4 times fewer products")
  }

  /// The products of large tiles, as a share of those of small ones.
  private static func largeShare(_ shape: ConvolutionShape) -> Double {
    Double(shape.products(.six)) / Double(shape.products(.four))
  }
}

extension KernelTable {
  /// The kernels of an algorithm for dense convolutions.
  func convolution(_ algorithm: Algorithm) -> ConvolutionKernels {
    if let tile = algorithm.winogradTile { return winograd(tile) }
    return algorithm == .strassen ? strassen : direct
  }
}

extension ConvolutionShape {
  /// One of the four convolutions of 2x2 that make a transposed convolution of `input` and a 3x3 one behind it.
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
