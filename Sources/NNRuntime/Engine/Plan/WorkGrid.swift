import NNKernelInterface

/// How the work of a convolution is cut into chunks: ranges of rows (pixels or tiles) times ranges of
/// panels.
///
/// It depends on the shape alone.
package struct WorkGrid: Equatable, Sendable {
  /// Rows in all, and the unit that no cut divides.
  var rows: Int
  var unit: Int
  package var rowChunks: Int
  var panels: Int
  package var panelChunks: Int
  /// Whether the chunks of the same rows follow each other, not those of the same panels.
  var keepsRows = false

  package var chunks: Int { rowChunks * panelChunks }

  /// Operations of a chunk: some tens of microseconds' worth, or of short layers ten, so that threads can share them.
  private static let chunkOperations = 8_000_000.0
  private static let leastOperations = 1_000_000.0
  /// Threads that share a layer evenly: as many as divide its chunks.
  private static let evenThreads = 8
  /// Weights that a chunk streams from the second-level cache.
  private static let cachedWeights = 160 * 1024
  /// Operations of a chunk of rows: some tens of microseconds' worth, or of short layers some five, in vectors and in
  /// tiles (AMX), which multiply four times as fast.
  private static let rowOperations = 15_000_000.0
  private static let leastVectorOperations = 2_000_000.0
  private static let leastTileOperations = 8_000_000.0
  /// Most chunks of a layer that is cut in rows: enough to share out evenly, few enough that weights are seldom read again.
  private static let mostRowChunks = 16
  /// Bytes of input that a chunk of rows keeps in the second-level cache.
  private static let cachedInput = 768 * 1024

  /// How many chunks so many operations make: a power of two, or a multiple of `evenThreads`.
  static func chunks(operations: Double) -> Int {
    chunks(operations: operations, of: chunkOperations, atLeast: leastOperations)
  }

  private static func chunks(operations: Double, of chunk: Double, atLeast least: Double) -> Int {
    evened(max(min(evenThreads, Int(operations / least)), Int(operations / chunk)))
  }

  /// At least so many chunks: a power of two, or a multiple of `evenThreads`.
  private static func evened(_ count: Int) -> Int {
    var even = 1
    while even < min(count, evenThreads) { even *= 2 }
    return count <= evenThreads ? even : (count + evenThreads - 1) / evenThreads * evenThreads
  }

  /// The grid of a kernel.
  package init(_ kernel: ConvolutionKernel, _ shape: ConvolutionShape) {
    switch kernel.items {
    case .pixels: self.init(pixels: shape, kernel.block)
    case .strassenPairs: self.init(pairs: shape, kernel.block)
    case .tiles(let tile): self.init(tiles: shape, tile, kernel.block)
    case .rows:
      let least = kernel.needs.contains(.amx) ? Self.leastTileOperations : Self.leastVectorOperations
      self.init(rows: shape, kernel.block, least: least)
    }
  }

  /// The way to cut the work in enough pieces that reads least.
  ///
  /// A chunk reads its pixels, and the weights of its panels, which stay in the second-level cache from one chunk of a thread
  /// to the next.
  private init(pixels shape: ConvolutionShape, _ block: ConvolutionKernel.Block) {
    let (panelWidth, tileRows) = (block.columns, block.rows)
    rows = shape.outHeight * shape.outWidth
    unit = tileRows
    panels = (shape.outChannels + panelWidth - 1) / panelWidth
    let depth = shape.kernelHeight * shape.kernelWidth * shape.inChannels
    let panelsTogether = max(1, Self.cachedWeights / (depth * min(panelWidth, shape.outChannels)))
    let least = (panels + panelsTogether - 1) / panelsTogether
    let wanted = Self.chunks(operations: 2 * Double(rows) * Double(depth * shape.outChannels))
    let units = (rows + unit - 1) / unit
    var best = (floats: Int.max, rows: 1, panels: 1)
    for panelChunks in least...max(least, min(panels, wanted)) {
      let rowChunks = min(units, (wanted + panelChunks - 1) / panelChunks)
      let weights = min(rowChunks, 2) * depth * shape.outChannels
      let floats = weights + panelChunks * shape.inHeight * shape.inWidth * shape.inChannels
      let isEnough = rowChunks * panelChunks >= min(wanted, units * panels)
      if isEnough || panelChunks == least, floats < best.floats {
        best = (floats, rowChunks, panelChunks)
      }
    }
    (rowChunks, panelChunks) = (best.rows, best.panels)
  }

  /// Pairs of blocks of rows, and panels of half the output channels.
  private init(pairs shape: ConvolutionShape, _ block: ConvolutionKernel.Block) {
    let (panelWidth, tileRows) = (block.columns, block.rows)
    rows = shape.rowPairs(tileRows)
    unit = 1
    panels = (shape.outChannels / 2 + panelWidth - 1) / panelWidth
    panelChunks = 1
    // Longer chunks than elsewhere: what a chunk reads is prefetched only after its first rows.
    let wanted = Self.chunks(
      operations: 0.25 * Double(shape.outHeight * shape.outWidth)
        * Double(shape.inChannels * shape.outChannels))
    rowChunks = min(rows, wanted)
  }

  /// Blocks of tiles, enough to fill register tiles; few blocks are shared by splitting the output channels too.
  private init(tiles shape: ConvolutionShape, _ tile: WinogradTile, _ block: ConvolutionKernel.Block) {
    let (panelWidth, tileRows) = (block.columns, block.rows)
    rows = shape.tiles(tile)
    unit = 1
    panels = (shape.outChannels + panelWidth - 1) / panelWidth
    let operations =
      2 * Double(tile.products(kernel: shape.kernelHeight) * rows)
      * Double(shape.inChannels * shape.outChannels)
    let wanted = max(Self.chunks(operations: operations), rows / (8 * tileRows))
    rowChunks = max(1, min(wanted, rows / (tileRows + tileRows / 2)))
    if rowChunks > Self.evenThreads { rowChunks -= rowChunks % Self.evenThreads }
    panelChunks = rowChunks >= 4 ? 1 : min(panels, (4 + rowChunks - 1) / rowChunks)
    if chunks == 1, wanted > 1 { rowChunks = min(rows, 2) }
  }

  /// Rows of the map, where a chunk copies the ones that it reads.
  ///
  /// Every chunk reads its rows and all weights of its panels; of all ways to cut the work in enough pieces it is the one
  /// that reads least.
  private init(rows shape: ConvolutionShape, _ block: ConvolutionKernel.Block, least: Double) {
    keepsRows = true
    unit = 1
    rows = shape.outHeight
    panels = (shape.outChannels + block.columns - 1) / block.columns
    let depth = shape.kernelHeight * shape.kernelWidth * shape.inChannels
    let operations = 2 * Double(rows * shape.outWidth) * Double(shape.outChannels * depth)
    let inputBytes = 2 * shape.inHeight * shape.inWidth * shape.inChannels
    let weightBytes = 2 * depth * shape.outChannels
    // Weights that few rows read take as long as they come.
    let streamed = Self.evened(min(Self.evenThreads, weightBytes / (2 * Self.cachedWeights)))
    let wanted = min(
      max(streamed, Self.chunks(operations: operations, of: Self.rowOperations, atLeast: least)),
      Self.mostRowChunks)
    let leastRows = min(rows, (inputBytes + Self.cachedInput - 1) / Self.cachedInput)
    var best = (bytes: Int.max, rows: 1, panels: 1)
    for panelChunks in 1...min(panels, wanted) {
      let rowChunks = min(rows, max(leastRows, (wanted + panelChunks - 1) / panelChunks))
      let halo = max(0, shape.kernelHeight - shape.stride) * 2 * shape.inWidth * shape.inChannels
      let bytes = rowChunks * weightBytes + panelChunks * (inputBytes + rowChunks * halo)
      if rowChunks * panelChunks >= min(wanted, rows * panels), bytes < best.bytes {
        best = (bytes, rowChunks, panelChunks)
      }
    }
    (rowChunks, panelChunks) = (best.rows, best.panels)
  }

  /// Output rows of a depthwise convolution, as the products before and after it are cut: a thread then reads what it wrote.
  ///
  /// Maps of few rows, whose products are cut in panels, are cut in blocks of sixteen channels.
  package init(depthwise rows: Int, width: Int, blocks: Int, kernel: Int) {
    keepsRows = true
    (self.rows, unit, panels) = (rows, 1, blocks)
    // Its products take four times as long as those of long sums, and reading and writing as long as nine of them.
    let products = rows * width * blocks * 16 * max(9, kernel * kernel)
    let wanted = Self.chunks(operations: 8 * Double(products))
    rowChunks = 1
    // Each chunk copies the rows around its own.
    while 2 * rowChunks <= wanted, rows / (2 * rowChunks) > kernel { rowChunks *= 2 }
    panelChunks = min(panels, (wanted + rowChunks - 1) / rowChunks)
  }

  /// Most rows of a chunk.
  var rowsTogether: Int { ((rows + unit - 1) / unit + rowChunks - 1) / rowChunks * unit }

  /// The same ranges of rows, each with all panels.
  func withPanelsTogether() -> WorkGrid {
    var grid = self
    grid.panelChunks = 1
    return grid
  }

  /// The rows and panels of a chunk.
  package func range(_ chunk: Int) -> (rows: Range<Int>, panels: Range<Int>) {
    let (group, part) =
      keepsRows ? (chunk % panelChunks, chunk / panelChunks) : (chunk / rowChunks, chunk % rowChunks)
    let units = (rows + unit - 1) / unit
    let first = units * part / rowChunks * unit
    let last = min(rows, units * (part + 1) / rowChunks * unit)
    return (first..<last, panels * group / panelChunks..<panels * (group + 1) / panelChunks)
  }
}
