// Winograd convolution of a 3x3 kernel with stride 2, by the transforms of StridedWinogradTransforms.swift.
//
// Packed weights: (matrix, panel, input channel, output channel of the panel), as those of stride 1.

import NNKernelInterface

private typealias Transform = StridedTransform

func packedStridedWinogradCount(_ shape: ConvolutionShape) -> Int {
  Transform.matrices * shape.inChannels * paddedChannels(shape.outChannels)
}

func packStridedWinograd(
  _ shape: ConvolutionShape, _ weights: UnsafePointer<Float>, _ scale: UnsafePointer<Float>?,
  _ packed: UnsafeMutablePointer<Float>
) {
  let filter = shape.inChannels * 9
  let matrixStride = shape.inChannels * paddedChannels(shape.outChannels)
  withUnsafeTemporaryAllocation(of: Float.self, capacity: (9 + Transform.lines) * 16) { scratch in
    guard let taps = scratch.baseAddress else { return }
    let lines = taps + 9 * 16
    for channel in 0..<shape.inChannels {
      var first = 0
      while first < shape.outChannels {
        let columns = panelColumns(shape.outChannels, first)
        for half in stride(from: 0, to: columns, by: 16) {
          gatherTaps(shape, weights + channel * 9, filter, scale, first + half, taps)
          let target = packed + first * shape.inChannels + channel * columns + half
          Transform.filter(
            lines, { load(taps + $0 * 16) }, { store($1, target + $0 * matrixStride) })
        }
        first += InstructionSet.panelWidth
      }
    }
  }
}

/// The memory that `stridedWinograd` works in.
private struct Workspace {
  /// Transformed windows, (position, tile, input channel); products of a panel, (position, tile, channel).
  let inputs, products: UnsafeMutablePointer<Float>
  /// A window with zeros where it reaches over an edge, (row, column, channel).
  let window: UnsafeMutablePointer<Float>
  /// Sixteen channels half transformed.
  let lines: UnsafeMutablePointer<Float>
  let tile: TileMemory

  /// Tiles of a block: as many as share what the weights cost, a line of them for each, while their transformed windows
  /// stay within 4 MB of the last cache.
  @inline(__always)
  static func tiles(_ shape: ConvolutionShape) -> Int {
    let wanted = 1024 * 1024 / (Transform.positions * shape.inChannels)
    return min(max(wanted, InstructionSet.tileRows / 2), 2 * InstructionSet.tileRows)
  }

  /// Floats from a tile's channels to the next: positions a multiple of 2048 bytes apart would fall into one or two sets
  /// of the first-level cache.
  @inline(__always)
  static func tileStride(_ shape: ConvolutionShape) -> Int { shape.inChannels + 16 }

  @inline(__always)
  static func floats(_ shape: ConvolutionShape) -> Int {
    Transform.positions * tiles(shape) * (tileStride(shape) + InstructionSet.panelWidth) + Transform.positions
      * shape.inChannels
      + Transform.lines * 16 + TileMemory.floats(edge: Transform.tileEdge, channels: 0) + 16
  }

  @inline(__always)
  init(_ shape: ConvolutionShape, _ memory: UnsafeMutablePointer<Float>) {
    inputs = memory
    products = inputs + Transform.positions * Self.tiles(shape) * Self.tileStride(shape)
    window = products + Transform.positions * Self.tiles(shape) * InstructionSet.panelWidth
    lines = window + Transform.positions * shape.inChannels
    tile = TileMemory(lines + Transform.lines * 16, edge: Transform.tileEdge, channels: 0)
  }
}

func stridedWinogradScratch(_ shape: ConvolutionShape) -> Int { Workspace.floats(shape) }

func stridedWinograd(_ taskPointer: UnsafePointer<ConvolutionTask>, _ share: Share) {
  let (begin, end) = (share.items.lowerBound, share.items.upperBound)
  let task = taskPointer.pointee
  let shape = task.shape
  let capacity = Workspace.tiles(shape)
  let workspace = Workspace(shape, share.scratch)
  let tilesAcross = (shape.outWidth + Transform.tileEdge - 1) / Transform.tileEdge

  let blocks = max((end - begin + capacity - 1) / capacity, 1)
  for block in 0..<blocks {
    let from = begin + (end - begin) * block / blocks
    let count = begin + (end - begin) * (block + 1) / blocks - from
    if count <= 0 { continue }
    for i in 0..<count {
      let tile = from + i
      let (nextRow, nextColumn) = (tile + 1).quotientAndRemainder(dividingBy: tilesAcross)
      let next = NextWindow(
        task, task.windowOrigin(nextRow * Transform.tileEdge, nextColumn * Transform.tileEdge),
        Transform.windowEdge, elementSize: Float32Element().size)
      transformWindow(
        task, tile / tilesAcross * Transform.tileEdge, tile % tilesAcross * Transform.tileEdge,
        workspace.inputs + i * Workspace.tileStride(shape), count * Workspace.tileStride(shape), workspace,
        next)
    }
    for panel in share.panels {
      multiplyPanel(task, panel, count, workspace)
      for i in 0..<count {
        let tile = from + i
        storeOutputs(
          task, tile / tilesAcross * Transform.tileEdge, tile % tilesAcross * Transform.tileEdge, panel,
          tile: i, of: count, workspace)
      }
    }
  }
}

/// The products of a block of `count` tiles with one panel.
@inline(__always)
private func multiplyPanel(_ task: ConvolutionTask, _ panel: Int, _ count: Int, _ workspace: Workspace) {
  let channels = task.shape.inChannels
  let first = panel * InstructionSet.panelWidth
  let columns = panelColumns(task.shape.outChannels, first)
  let matrixStride = channels * paddedChannels(task.shape.outChannels)
  let tileStride = Workspace.tileStride(task.shape)
  for matrix in 0..<Transform.matrices {
    let (position, shared) = Transform.positions(of: matrix)
    workspace.tile.multiply(
      workspace.inputs + position * count * tileStride, count: shared * count, channels: channels,
      leftStride: tileStride,
      panel: task.weights + matrix * matrixStride + first * channels, columns: columns,
      output: workspace.products + position * count * columns, outputStride: columns)
  }
}

/// Transforms the window of the tile whose first output pixel is (y, x) into `target`, positions `stride` apart.
@inline(never)
private func transformWindow(
  _ task: ConvolutionTask, _ y: Int, _ x: Int, _ target: UnsafeMutablePointer<Float>, _ stride: Int,
  _ workspace: Workspace, _ next: NextWindow
) {
  let channels = task.shape.inChannels
  let (top, left) = task.windowOrigin(y, x)
  let window = windowOrCopy(Float32Element(), task, (top, left), Transform.windowEdge, workspace.window)
  let (rowStride, pixelStride) = (window.rowStride, window.pixelStride)
  for c in Swift.stride(from: 0, to: channels, by: 16) {
    let (source, out) = (window.base + c, target + c)
    Transform.input(
      workspace.lines,
      // The first column is this window's last.
      { if $0 >= 1 { next.prefetch(c, column: $0, Transform.windowEdge) } },
      { load(source + ($0 &* rowStride &+ $1 &* pixelStride)) },
      { store($1, out + $0 &* stride) })
  }
}

/// Transforms the products of tile `index` of a block of `count` back into the pixels at (y, x), of the 4x4 those
/// that exist.
@inline(never)
private func storeOutputs(
  _ task: ConvolutionTask, _ y: Int, _ x: Int, _ panel: Int, tile index: Int, of count: Int,
  _ workspace: Workspace
) {
  let first = panel * InstructionSet.panelWidth
  let columns = panelColumns(task.shape.outChannels, first)
  let (width, pixels, isAdded) = workspace.tile.point(task, y, x)
  let stride = count * columns
  for half in Swift.stride(from: 0, to: columns, by: 16) {
    let products = workspace.products + index * columns + half
    let sums = workspace.tile.sums + half
    Transform.output(
      workspace.lines, columns: width, { load(products + $0 &* stride) },
      { store($2, sums + ($0 &* width &+ $1) &* InstructionSet.panelWidth) })
  }
  workspace.tile.store(task, count: pixels, isAdded: isAdded, first: first, columns: columns)
}
