import NNKernelInterface

/// How a layer is computed.
public enum Algorithm: String, Sendable {
  /// One matrix product over the pixels.
  case gemm
  /// A matrix product a kernel position, inputs read in place.
  case direct
  /// Winograd F(4x4,3x3), or its phases where the stride is 2.
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
  /// Share of the products of small tiles up to which large ones are worth their costlier transforms.
  private static let largeTileShare = 0.84

  /// What can compute a dense convolution: one algorithm, or several to choose from.
  package static func candidates(_ shape: ConvolutionShape) -> [Algorithm] {
    if shape.kernelHeight == 1, shape.kernelWidth == 1 { return [.gemm] }
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
      return AlgorithmChoice(algorithm: .gemm, reason: "1x1: a product over pixels")
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
    guard candidates(shape).count > 1, shape.outHeight * shape.outWidth >= fewPixels else { return nil }
    var choice = winograd(shape)
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
    let small = shape.tiles(.four) * WinogradTile.four.products
    let large = shape.tiles(.six) * WinogradTile.six.products
    if Double(large) <= largeTileShare * Double(small) {
      return AlgorithmChoice(algorithm: .winograd6x6, reason: "3x3, stride 1: 5 times fewer products")
    }
    return AlgorithmChoice(algorithm: .winograd4x4, reason: "3x3, stride 1: 4 times fewer products")
  }
}

extension ConvolutionShape {
  /// Winograd's tiles of the output map.
  func tiles(_ tile: WinogradTile) -> Int {
    ((outHeight + tile.edge - 1) / tile.edge) * ((outWidth + tile.edge - 1) / tile.edge)
  }
}

/// How the work of a convolution is cut into chunks: ranges of rows (pixels or tiles) times ranges of
/// panels.
///
/// It depends on the shape alone.
struct WorkGrid: Equatable, Sendable {
  /// Rows in all, and the unit that no cut divides.
  var rows: Int
  var unit: Int
  var rowChunks: Int
  var panels: Int
  var panelChunks: Int

  var chunks: Int { rowChunks * panelChunks }

  /// Operations of a chunk: some tens of microseconds' worth, or of short layers ten, so that threads can share them.
  private static let chunkOperations = 8_000_000.0
  private static let leastOperations = 1_000_000.0
  /// Threads that share a layer evenly: as many as divide its chunks.
  private static let evenThreads = 8
  /// Weights that a chunk streams from the second-level cache.
  private static let cachedWeights = 160 * 1024

  /// How many chunks so many operations make: a power of two, or a multiple of `evenThreads`.
  private static func chunks(operations: Double) -> Int {
    let short = min(evenThreads, Int(operations / leastOperations))
    let count = max(short, Int(operations / chunkOperations), 1)
    var even = 1
    while even < min(count, evenThreads) { even *= 2 }
    return count <= evenThreads ? even : (count + evenThreads - 1) / evenThreads * evenThreads
  }

  /// The panels of a chunk share a cache, and the rows make it worth while.
  init(direct shape: ConvolutionShape, panelWidth: Int, tileRows: Int) {
    rows = shape.outHeight * shape.outWidth
    unit = tileRows
    panels = (shape.outChannels + panelWidth - 1) / panelWidth
    let depth = shape.kernelHeight * shape.kernelWidth * shape.inChannels
    let panelsTogether = max(1, Self.cachedWeights / (depth * min(panelWidth, shape.outChannels)))
    panelChunks = (panels + panelsTogether - 1) / panelsTogether
    let wanted = Self.chunks(operations: 2 * Double(rows) * Double(depth * shape.outChannels))
    let units = (rows + unit - 1) / unit
    rowChunks = min(units, (wanted + panelChunks - 1) / panelChunks)
  }

  /// Blocks of tiles, enough to fill register tiles; few blocks are shared by splitting the output channels too.
  init(winograd shape: ConvolutionShape, _ tile: WinogradTile, panelWidth: Int, tileRows: Int) {
    rows = shape.tiles(tile)
    unit = 1
    panels = (shape.outChannels + panelWidth - 1) / panelWidth
    let operations = 2 * Double(tile.products * rows) * Double(shape.inChannels * shape.outChannels)
    let wanted = max(Self.chunks(operations: operations), rows / (8 * tileRows))
    rowChunks = max(1, min(wanted, rows / (tileRows + tileRows / 2)))
    panelChunks = rowChunks >= 4 ? 1 : min(panels, (4 + rowChunks - 1) / rowChunks)
    if chunks == 1, wanted > 1 { rowChunks = min(rows, 2) }
  }

  /// The rows and panels of a chunk.
  func range(_ chunk: Int) -> (rows: Range<Int>, panels: Range<Int>) {
    let (group, part) = (chunk / rowChunks, chunk % rowChunks)
    let units = (rows + unit - 1) / unit
    let first = units * part / rowChunks * unit
    let last = min(rows, units * (part + 1) / rowChunks * unit)
    return (first..<last, panels * group / panelChunks..<panels * (group + 1) / panelChunks)
  }
}
