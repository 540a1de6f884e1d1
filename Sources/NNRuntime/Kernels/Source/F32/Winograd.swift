// Winograd convolution F(n x n, k x k), stride 1, on channels-last maps (Lavin and Gray, "Fast Algorithms for
// Convolutional Neural Networks", 2015): Y = A^T [ (G g G^T) * (B^T d B) ] A, the products of each of the
// (n + k - 1)^2 frequencies being one matrix product over channels.
//
// Tiles are handled in blocks that stay in the second-level cache: transform the inputs of a block, multiply
// once a frequency, transform back with bias, activation and residual. Channels are multiples of 16.
//
// Packed weights: (frequency, panel, input channel, output channel of the panel).

import CKernelShims
import NNKernelInterface

func packedWinogradCount<Transform: WinogradTransform>(_: Transform.Type, _ shape: ConvolutionShape) -> Int {
  Transform.frequencies * shape.inChannels * paddedChannels(shape.outChannels)
}

func packWinograd<Transform: WinogradTransform>(
  _: Transform.Type, _ shape: ConvolutionShape, _ weights: UnsafePointer<Float>,
  _ scale: UnsafePointer<Float>?, _ packed: UnsafeMutablePointer<Float>
) {
  let frequencyStride = shape.inChannels * paddedChannels(shape.outChannels)
  let (edge, kernel) = (Transform.windowEdge, Transform.kernelEdge)
  let positions = kernel * kernel
  withUnsafeTemporaryAllocation(of: Float.self, capacity: (positions + kernel * edge) * 16) { scratch in
    guard let taps = scratch.baseAddress else { return }
    let lines = taps + positions * 16
    for channel in 0..<shape.inChannels {
      var first = 0
      while first < shape.outChannels {
        let columns = panelColumns(shape.outChannels, first)
        for half in stride(from: 0, to: columns, by: 16) {
          gatherTaps(
            shape, weights + channel * positions, shape.inChannels * positions, scale, first + half, taps)
          let target = packed + first * shape.inChannels + channel * columns + half
          for column in 0..<kernel {
            Transform.filter(
              { load(taps + (column + kernel * $0) * 16) },
              { store($1, lines + (column + kernel * $0) * 16) })
          }
          for row in 0..<edge {
            Transform.filter(
              { load(lines + (kernel * row + $0) * 16) },
              { store($1, target + (row * edge + $0) * frequencyStride) })
          }
        }
        first += InstructionSet.panelWidth
      }
    }
  }
}

/// Tiles a block, so that the transformed inputs and products stay in the second-level cache.
@inline(__always)
private func blockTiles(_ shape: ConvolutionShape, _ frequencies: Int) -> Int {
  let cacheFloats = 160 * 1024
  let wanted = cacheFloats / (frequencies * (shape.inChannels + paddedChannels(shape.outChannels)))
  let step = InstructionSet.tileRows
  return min(max(wanted / step, 24 / step, 1), 96 / step) * step
}

/// The memory that `winograd` works in.
private struct Workspace<Transform: WinogradTransform> {
  /// Tiles of a block.
  let capacity: Int
  /// Floats from a frequency of the windows to the next, and from one of the products.
  let inputStride, productStride: Int
  /// Transformed windows, (frequency, tile, input channel), and their products, (frequency, tile, output channel).
  let inputs, products: UnsafeMutablePointer<Float>
  /// A window with zeros where it reaches over an edge, (row, column, channel).
  let window: UnsafeMutablePointer<Float>
  /// Sixteen channels half transformed, (row, column, channel).
  let lines: UnsafeMutablePointer<Float>
  let tile: TileMemory

  /// Frequencies a multiple of 2048 bytes apart would fall into one or two sets of the first-level cache.
  private static var apart: Int { 16 }

  @inline(__always)
  static func floats(_ shape: ConvolutionShape) -> Int {
    let channels = shape.inChannels + paddedChannels(shape.outChannels)
    let tiles = blockTiles(shape, Transform.frequencies)
    return Transform.frequencies * (tiles * channels + 2 * apart + shape.inChannels + 16)
      + TileMemory.floats(edge: Transform.tileEdge, channels: paddedChannels(shape.outChannels)) + 16
  }

  @inline(__always)
  init(_ shape: ConvolutionShape, _ memory: UnsafeMutablePointer<Float>) {
    capacity = blockTiles(shape, Transform.frequencies)
    inputStride = capacity * shape.inChannels + Self.apart
    productStride = capacity * paddedChannels(shape.outChannels) + Self.apart
    inputs = memory
    products = inputs + Transform.frequencies * inputStride
    window = products + Transform.frequencies * productStride
    lines = window + Transform.frequencies * shape.inChannels
    tile = TileMemory(
      lines + Transform.frequencies * 16, edge: Transform.tileEdge,
      channels: paddedChannels(shape.outChannels))
  }
}

func winogradScratch<Transform: WinogradTransform>(_: Transform.Type, _ shape: ConvolutionShape) -> Int {
  Workspace<Transform>.floats(shape)
}

func winograd<Transform: WinogradTransform>(
  _: Transform.Type, _ taskPointer: UnsafePointer<ConvolutionTask>, _ share: Share
) {
  let (begin, end) = (share.items.lowerBound, share.items.upperBound)
  let (firstPanel, lastPanel) = (share.panels.lowerBound, share.panels.upperBound)
  let task = taskPointer.pointee
  let shape = task.shape
  let firstColumn = firstPanel * InstructionSet.panelWidth
  let outColumns = min(lastPanel * InstructionSet.panelWidth, paddedChannels(shape.outChannels)) - firstColumn
  let workspace = Workspace<Transform>(shape, share.scratch)
  let capacity = workspace.capacity
  let tilesAcross = (shape.outWidth + Transform.tileEdge - 1) / Transform.tileEdge
  let frequencyStride = shape.inChannels * paddedChannels(shape.outChannels)

  let blocks = max((end - begin + capacity - 1) / capacity, 1)
  for block in 0..<blocks {
    let from = begin + (end - begin) * block / blocks
    let count = begin + (end - begin) * (block + 1) / blocks - from
    if count <= 0 { continue }
    for i in 0..<count {
      let (row, column) = (from + i).quotientAndRemainder(dividingBy: tilesAcross)
      let (nextRow, nextColumn) = (from + i + 1).quotientAndRemainder(dividingBy: tilesAcross)
      let next = NextWindow(
        task, task.windowOrigin(nextRow * Transform.tileEdge, nextColumn * Transform.tileEdge),
        Transform.windowEdge, elementSize: Float32Element().size)
      transformInput(
        task, row * Transform.tileEdge, column * Transform.tileEdge, workspace.inputs + i * shape.inChannels,
        workspace.inputStride, workspace, next)
    }
    for frequency in 0..<Transform.frequencies {
      let output = workspace.products + frequency * workspace.productStride
      for panel in firstPanel..<lastPanel {
        let first = panel * InstructionSet.panelWidth
        workspace.tile.multiply(
          workspace.inputs + frequency * workspace.inputStride, count: count,
          channels: shape.inChannels, leftStride: shape.inChannels,
          panel: task.weights + frequency * frequencyStride + first * shape.inChannels,
          columns: panelColumns(shape.outChannels, first), output: output + first - firstColumn,
          outputStride: outColumns)
      }
    }
    for i in 0..<count {
      let (row, column) = (from + i).quotientAndRemainder(dividingBy: tilesAcross)
      transformOutput(
        task, row * Transform.tileEdge, column * Transform.tileEdge, workspace.products + i * outColumns,
        frequencyStride: workspace.productStride, firstPanel: firstPanel, lastPanel: lastPanel, workspace)
    }
  }
}

/// Transforms the window of the tile whose first output pixel is (y, x) into `target`, frequencies
/// `frequencyStride` apart.
@inline(never)
private func transformInput<Transform: WinogradTransform>(
  _ task: ConvolutionTask, _ y: Int, _ x: Int, _ target: UnsafeMutablePointer<Float>, _ frequencyStride: Int,
  _ workspace: Workspace<Transform>, _ next: NextWindow
) {
  let edge = Transform.windowEdge
  let (top, left) = task.windowOrigin(y, x)
  let window =
    if let enlargement = task.enlargement {
      enlargedWindow(task, enlargement, top, left, edge, workspace.window)
    } else {
      windowOrCopy(Float32Element(), task, (top, left), edge, workspace.window)
    }
  let lines = workspace.lines
  for c in stride(from: 0, to: task.shape.inChannels, by: 16) {
    for column in 0..<edge {
      // The first two columns are this window's last.
      if column >= 2 { next.prefetch(c, column: column, edge) }
      let source = window.base + (c &+ column &* window.pixelStride)
      Transform.input(
        { load(source + $0 &* window.rowStride) }, { store($1, lines + ($0 &* edge &+ column) &* 16) })
    }
    for row in 0..<edge {
      let line = lines + row &* edge &* 16
      let out = target + (c &+ row &* edge &* frequencyStride)
      Transform.input({ load(line + $0 &* 16) }, { store($1, out + $0 &* frequencyStride) })
    }
  }
}

/// Transforms the products of one tile back into the pixels at (y, x), of the tile those that exist.
@inline(never)
private func transformOutput<Transform: WinogradTransform>(
  _ task: ConvolutionTask, _ y: Int, _ x: Int, _ products: UnsafePointer<Float>, frequencyStride: Int,
  firstPanel: Int, lastPanel: Int, _ workspace: Workspace<Transform>
) {
  let outChannels = task.shape.outChannels
  let edge = Transform.windowEdge
  let (width, pixels, isAdded) = workspace.tile.point(task, y, x)
  let lines = workspace.lines
  var source = products
  for panel in firstPanel..<lastPanel {
    let first = panel * InstructionSet.panelWidth
    let columns = panelColumns(outChannels, first)
    for half in stride(from: 0, to: columns, by: 16) {
      for column in 0..<edge {
        let line = source + (half &+ column &* frequencyStride)
        Transform.output(
          { load(line + $0 &* edge &* frequencyStride) },
          { store($1, lines + ($0 &* edge &+ column) &* 16) })
      }
      // Pixels right of the map are overwritten by the next row, or lie after the last row.
      for row in 0..<pixels / width {
        let line = lines + row &* edge &* 16
        let sums = workspace.tile.sums + (row &* width &* InstructionSet.panelWidth &+ half)
        Transform.output({ load(line + $0 &* 16) }, { store($1, sums + $0 &* InstructionSet.panelWidth) })
      }
    }
    workspace.tile.store(task, count: pixels, isAdded: isAdded, first: first, columns: columns)
    source += columns
  }
  if let projection = task.projection {
    workspace.tile.project(projection.pointee, y, x, width: width, count: pixels)
  }
}
