// Winograd convolution F(4x4,3x3), stride 1, on channels-last maps (Lavin and Gray, "Fast Algorithms for
// Convolutional Neural Networks", 2015): Y = A^T [ (G g G^T) * (B^T d B) ] A, the products of each of the 36
// frequencies being one matrix product over channels.
//
// Tiles are handled in blocks that stay in the second-level cache: transform the inputs of a block, multiply
// 36 times, transform back with bias, activation and residual. Channels are multiples of 16.
//
// Packed weights: (frequency, panel, input channel, output channel of the panel).

import NNKernelInterface

/// Output pixels of a tile's edge, and the input pixels that it needs.
private let windowEdge = 6
private let frequencies = 36

func packedWinogradCount(_ shape: ConvolutionShape) -> Int {
  frequencies * shape.inChannels * paddedChannels(shape.outChannels)
}

/// G g along one axis, for the interpolation points 0, 1, -1, 2, -2 and infinity: three vectors, `stride` apart, to
/// six.
@inline(__always)
private func transformFilterLine(
  _ source: UnsafePointer<Float>, _ stride: Int, _ target: UnsafeMutablePointer<Float>, _ targetStride: Int
) {
  let (a, b, c) = (load(source), load(source + stride), load(source + 2 &* stride))
  let sixth = Vector(repeating: -1.0 / 6)
  let even = sixth * (a + c)
  let odd = sixth * b
  let low = Vector(repeating: 1.0 / 24) * a + Vector(repeating: 1.0 / 6) * c
  let high = Vector(repeating: 1.0 / 12) * b
  store(Vector(repeating: 0.25) * a, target)
  store(even + odd, target + targetStride)
  store(even - odd, target + 2 &* targetStride)
  store(low + high, target + 3 &* targetStride)
  store(low - high, target + 4 &* targetStride)
  store(c, target + 5 &* targetStride)
}

/// B^T d along one axis: six vectors, `stride` apart, to six.
@inline(__always)
private func transformInputLine(
  _ source: UnsafePointer<Float>, _ stride: Int, _ target: UnsafeMutablePointer<Float>, _ targetStride: Int
) {
  let (a, b, c) = (load(source), load(source + stride), load(source + 2 &* stride))
  let (d, e, f) = (load(source + 3 &* stride), load(source + 4 &* stride), load(source + 5 &* stride))
  let four = Vector(repeating: 4)
  let five = Vector(repeating: -5)
  let even = multiplyAdd(c, Vector(repeating: -4), e)
  let odd = multiplyAdd(b, Vector(repeating: -4), d)
  let difference = e - c
  let twice = Vector(repeating: 2) * (d - b)
  store(multiplyAdd(a, four, multiplyAdd(c, five, e)), target)
  store(even + odd, target + targetStride)
  store(even - odd, target + 2 &* targetStride)
  store(difference + twice, target + 3 &* targetStride)
  store(difference - twice, target + 4 &* targetStride)
  store(multiplyAdd(b, four, multiplyAdd(d, five, f)), target + 5 &* targetStride)
}

/// A^T m along one axis: six vectors, `stride` apart, to four.
@inline(__always)
private func transformOutputLine(
  _ source: UnsafePointer<Float>, _ stride: Int, _ target: UnsafeMutablePointer<Float>, _ targetStride: Int
) {
  let (a, b, c) = (load(source), load(source + stride), load(source + 2 &* stride))
  let (d, e, f) = (load(source + 3 &* stride), load(source + 4 &* stride), load(source + 5 &* stride))
  let (p, q, r, t) = (b + c, b - c, d + e, d - e)
  store(a + p + r, target)
  store(multiplyAdd(Vector(repeating: 2), t, q), target + targetStride)
  store(multiplyAdd(Vector(repeating: 4), r, p), target + 2 &* targetStride)
  store(multiplyAdd(Vector(repeating: 8), t, q) + f, target + 3 &* targetStride)
}

func packWinograd(
  _ shape: ConvolutionShape, _ weights: UnsafePointer<Float>, _ scale: UnsafePointer<Float>?,
  _ packed: UnsafeMutablePointer<Float>, _ begin: Int, _ end: Int
) {
  if shape.stride == 2 { return packStridedWinograd(shape, weights, scale, packed, begin, end) }
  let filter = shape.inChannels * 9
  let frequencyStride = shape.inChannels * paddedChannels(shape.outChannels)
  withUnsafeTemporaryAllocation(of: Float.self, capacity: (9 + 18) * 16) { scratch in
    guard let taps = scratch.baseAddress else { return }
    let lines = taps + 9 * 16
    for channel in begin..<end {
      var first = 0
      while first < shape.outChannels {
        let columns = panelColumns(shape.outChannels, first)
        for half in stride(from: 0, to: columns, by: 16) {
          gatherTaps(shape, weights + channel * 9, filter, scale, first + half, taps)
          let target = packed + first * shape.inChannels + channel * columns + half
          for column in 0..<3 { transformFilterLine(taps + column * 16, 3 * 16, lines + column * 16, 3 * 16) }
          for row in 0..<windowEdge {
            transformFilterLine(
              lines + row * 3 * 16, 16, target + row * windowEdge * frequencyStride, frequencyStride)
          }
        }
        first += InstructionSet.panelWidth
      }
    }
  }
}

/// Tiles a block, so that the transformed inputs and products stay in the second-level cache.
@inline(__always)
private func blockTiles(_ shape: ConvolutionShape) -> Int {
  let cacheFloats = 320 * 1024
  let wanted = cacheFloats / (frequencies * (shape.inChannels + paddedChannels(shape.outChannels)))
  let step = InstructionSet.tileRows
  return min(max(wanted / step, 24 / step, 1), 96 / step) * step
}

/// The memory that `winograd` works in.
private struct Workspace {
  /// Transformed windows, (frequency, tile, input channel), and their products, (frequency, tile, output channel).
  let inputs, products: UnsafeMutablePointer<Float>
  /// A window with zeros where it reaches over an edge, (row, column, channel).
  let window: UnsafeMutablePointer<Float>
  /// Sixteen channels half transformed, (row, column, channel).
  let lines: UnsafeMutablePointer<Float>
  let tile: TileMemory

  @inline(__always)
  static func floats(_ shape: ConvolutionShape) -> Int {
    frequencies * blockTiles(shape) * (shape.inChannels + paddedChannels(shape.outChannels))
      + frequencies * (shape.inChannels + 16) + TileMemory.floats + 16
  }

  @inline(__always)
  init(_ shape: ConvolutionShape, _ memory: UnsafeMutablePointer<Float>) {
    inputs = memory
    products = inputs + frequencies * blockTiles(shape) * shape.inChannels
    window = products + frequencies * blockTiles(shape) * paddedChannels(shape.outChannels)
    lines = window + frequencies * shape.inChannels
    tile = TileMemory(lines + frequencies * 16)
  }
}

func winogradScratch(_ shape: ConvolutionShape) -> Int {
  shape.stride == 2 ? stridedWinogradScratch(shape) : Workspace.floats(shape)
}

func winograd(
  _ taskPointer: UnsafePointer<ConvolutionTask>, _ begin: Int, _ end: Int, _ firstPanel: Int,
  _ lastPanel: Int,
  _ scratch: UnsafeMutablePointer<Float>
) {
  let task = taskPointer.pointee
  let shape = task.shape
  if shape.stride == 2 { return stridedWinograd(task, begin, end, firstPanel, lastPanel, scratch) }
  let firstColumn = firstPanel * InstructionSet.panelWidth
  let outColumns = min(lastPanel * InstructionSet.panelWidth, paddedChannels(shape.outChannels)) - firstColumn
  let capacity = blockTiles(shape)
  let workspace = Workspace(shape, scratch)
  let tilesAcross = (shape.outWidth + TileMemory.edge - 1) / TileMemory.edge
  let frequencyStride = shape.inChannels * paddedChannels(shape.outChannels)

  let blocks = max((end - begin + capacity - 1) / capacity, 1)
  for block in 0..<blocks {
    let from = begin + (end - begin) * block / blocks
    let count = begin + (end - begin) * (block + 1) / blocks - from
    if count <= 0 { continue }
    for i in 0..<count {
      let tile = from + i
      transformInput(
        task, tile / tilesAcross * TileMemory.edge, tile % tilesAcross * TileMemory.edge,
        workspace.inputs + i * shape.inChannels,
        capacity * shape.inChannels, workspace)
    }
    for frequency in 0..<frequencies {
      let output = workspace.products + frequency * capacity * outColumns
      for panel in firstPanel..<lastPanel {
        let first = panel * InstructionSet.panelWidth
        workspace.tile.multiply(
          workspace.inputs + frequency * capacity * shape.inChannels, count: count,
          channels: shape.inChannels,
          panel: task.weights + frequency * frequencyStride + first * shape.inChannels,
          columns: panelColumns(shape.outChannels, first), output: output + first - firstColumn,
          outputStride: outColumns)
      }
    }
    for i in 0..<count {
      let tile = from + i
      transformOutput(
        task, tile / tilesAcross * TileMemory.edge, tile % tilesAcross * TileMemory.edge,
        workspace.products + i * outColumns,
        capacity * outColumns, firstPanel, lastPanel, workspace)
    }
  }
}

/// Transforms the window of the tile whose first output pixel is (y, x) into `target`, frequencies
/// `frequencyStride` apart.
@inline(never)
private func transformInput(
  _ task: ConvolutionTask, _ y: Int, _ x: Int, _ target: UnsafeMutablePointer<Float>, _ frequencyStride: Int,
  _ workspace: Workspace
) {
  let channels = task.shape.inChannels
  let (base, rowStride, pixelStride) = windowOrCopy(
    task, y - task.shape.padding, x - task.shape.padding, windowEdge, workspace.window)
  for c in stride(from: 0, to: channels, by: 16) {
    for column in 0..<windowEdge {
      transformInputLine(
        base + (c &+ column &* pixelStride), rowStride, workspace.lines + column * 16, windowEdge * 16)
    }
    for row in 0..<windowEdge {
      transformInputLine(
        workspace.lines + row * windowEdge * 16, 16, target + (c &+ row &* windowEdge &* frequencyStride),
        frequencyStride)
    }
  }
}

/// Transforms the products of one tile back into the pixels at (y, x), of the 4x4 those that exist.
@inline(never)
private func transformOutput(
  _ task: ConvolutionTask, _ y: Int, _ x: Int, _ products: UnsafePointer<Float>, _ frequencyStride: Int,
  _ firstPanel: Int, _ lastPanel: Int, _ workspace: Workspace
) {
  let outChannels = task.shape.outChannels
  let (width, pixels) = workspace.tile.point(task, y, x)
  var source = products
  for panel in firstPanel..<lastPanel {
    let first = panel * InstructionSet.panelWidth
    let columns = panelColumns(outChannels, first)
    for half in stride(from: 0, to: columns, by: 16) {
      for column in 0..<windowEdge {
        transformOutputLine(
          source + (half &+ column &* frequencyStride), windowEdge &* frequencyStride,
          workspace.lines + column * 16,
          windowEdge * 16)
      }
      // Pixels right of the map are written over by the row below, or lie behind the last.
      for row in 0..<pixels / width {
        transformOutputLine(
          workspace.lines + row * windowEdge * 16, 16,
          workspace.tile.sums + (row &* width &* InstructionSet.panelWidth &+ half), InstructionSet.panelWidth
        )
      }
    }
    workspace.tile.store(task, count: pixels, first: first, columns: columns)
    source += columns
  }
}
