import NNKernelInterface

/// How the work of a convolution is cut into chunks: ranges of rows (pixels or tiles) times ranges of
/// panels.
///
/// It depends on the shape alone.
package struct WorkGrid: Equatable, Sendable {
  /// Rows in all, and the unit that no cut divides.
  var rows: Int
  var unit: Int
  var rowChunks: Int
  var panels: Int
  var panelChunks: Int

  package var chunks: Int { rowChunks * panelChunks }

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

  /// The grid of an algorithm.
  init(_ algorithm: Algorithm, _ shape: ConvolutionShape, panelWidth: Int, tileRows: Int) {
    if let tile = algorithm.winogradTile {
      self.init(winograd: shape, tile, panelWidth: panelWidth, tileRows: tileRows)
    } else if algorithm == .strassen {
      self.init(strassen: shape, panelWidth: panelWidth, tileRows: tileRows)
    } else {
      self.init(direct: shape, panelWidth: panelWidth, tileRows: tileRows)
    }
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

  /// Pairs of blocks of rows, and panels of half the output channels.
  init(strassen shape: ConvolutionShape, panelWidth: Int, tileRows: Int) {
    rows = shape.rowPairs(tileRows)
    unit = 1
    panels = (shape.outChannels / 2 + panelWidth - 1) / panelWidth
    panelChunks = 1
    // Longer chunks than elsewhere: only behind its first rows does a chunk find what it reads brought near.
    let wanted = Self.chunks(
      operations: 0.25 * Double(shape.outHeight * shape.outWidth)
        * Double(shape.inChannels * shape.outChannels))
    rowChunks = min(rows, wanted)
  }

  /// Blocks of tiles, enough to fill register tiles; few blocks are shared by splitting the output channels too.
  package init(winograd shape: ConvolutionShape, _ tile: WinogradTile, panelWidth: Int, tileRows: Int) {
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

  /// The same ranges of rows, each with all panels.
  func withPanelsTogether() -> WorkGrid {
    var grid = self
    grid.panelChunks = 1
    return grid
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
