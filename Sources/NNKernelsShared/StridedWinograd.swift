// Winograd convolution of a 3x3 kernel with stride 2. Along an axis, four outputs
//   y[i] = w0 x[2i] + w1 x[2i + 1] + w2 x[2i + 2]
// are a convolution of the five even inputs with (w0, w2), F(4,2), plus the four odd inputs times w1: nine products
// instead of twelve. On both axes that is four phases, 81 products instead of 144 for 4x4 outputs:
//   even-even 5x5 frequencies, even-odd 5x4, odd-even 4x5, and odd-odd 4x4 pixels as they are.
// Products of an odd axis have the same weights at all of its four places: 36 matrices of weights, the more rows a
// matrix.
//
// Packed weights: (matrix, panel, input channel, output channel of the panel), as those of stride 1.

import NNKernelInterface

/// Output and input pixels of a tile's edge.
private let tileEdge = 4
private let windowEdge = 9
/// Frequencies of an even axis, pixels of an odd one.
private let evens = 5
private let odds = 4
private let positions = 81

/// The products that share a matrix of weights: phase by phase, in the order of the packed weights.
private enum Phase {
  static let matrices = 36

  /// First position of matrix `index`, and how many it has.
  @inline(__always)
  static func positions(_ index: Int) -> (first: Int, count: Int) {
    if index < 25 { return (index, 1) }
    return index < 35 ? (25 + (index - 25) * odds, odds) : (65, 16)
  }

  @inline(__always) static func evenEven(_ row: Int, _ column: Int) -> Int { row * evens + column }
  @inline(__always) static func evenOdd(_ row: Int, _ column: Int) -> Int { 25 + row * odds + column }
  @inline(__always) static func oddEven(_ row: Int, _ column: Int) -> Int { 45 + column * odds + row }
  @inline(__always) static func oddOdd(_ row: Int, _ column: Int) -> Int { 65 + row * odds + column }
}

/// G g of the taps (w0, w2), for the interpolation points 0, 1, -1, 2 and infinity: two vectors to five.
@inline(__always)
private func transformTaps(
  _ first: UnsafePointer<Float>, _ last: UnsafePointer<Float>, _ target: UnsafeMutablePointer<Float>,
  _ stride: Int
) {
  let (a, b) = (load(first), load(last))
  let sixth = Vector(repeating: 1.0 / 6)
  store(Vector(repeating: 0.5) * a, target)
  store(Vector(repeating: -0.5) * (a + b), target + stride)
  store(sixth * (b - a), target + 2 &* stride)
  store(sixth * (a + b + b), target + 3 &* stride)
  store(b, target + 4 &* stride)
}

/// B^T d: five even inputs, `stride` apart, to five frequencies.
@inline(__always)
private func transformEvens(
  _ source: UnsafePointer<Float>, _ stride: Int, _ target: UnsafeMutablePointer<Float>, _ targetStride: Int
) {
  let (a, b, c) = (load(source), load(source + stride), load(source + 2 &* stride))
  let (d, e) = (load(source + 3 &* stride), load(source + 4 &* stride))
  let two = Vector(repeating: 2)
  let difference = d - b
  store(multiplyAdd(two, a - c, difference), target)
  store(multiplyAdd(Vector(repeating: -2), b, d - c), target + targetStride)
  store(multiplyAdd(two, b, multiplyAdd(Vector(repeating: -3), c, d)), target + 2 &* targetStride)
  store(difference, target + 3 &* targetStride)
  store(e - c - two * difference, target + 4 &* targetStride)
}

/// A^T m of five frequencies, plus four products of the odd phase: four outputs.
@inline(__always)
private func transformProducts(
  _ evens: UnsafePointer<Float>, _ stride: Int, _ odds: UnsafePointer<Float>, _ oddStride: Int,
  _ target: UnsafeMutablePointer<Float>, _ targetStride: Int
) {
  let (a, b, c) = (load(evens), load(evens + stride), load(evens + 2 &* stride))
  let (d, e) = (load(evens + 3 &* stride), load(evens + 4 &* stride))
  let (p, q) = (b + c, b - c)
  store(load(odds) + (a + p + d), target)
  store(load(odds + oddStride) + multiplyAdd(Vector(repeating: 2), d, q), target + targetStride)
  store(load(odds + 2 &* oddStride) + multiplyAdd(Vector(repeating: 4), d, p), target + 2 &* targetStride)
  store(
    load(odds + 3 &* oddStride) + (multiplyAdd(Vector(repeating: 8), d, q) + e), target + 3 &* targetStride)
}

func packedStridedWinogradCount(_ shape: ConvolutionShape) -> Int {
  Phase.matrices * shape.inChannels * paddedChannels(shape.outChannels)
}

func packStridedWinograd(
  _ shape: ConvolutionShape, _ weights: UnsafePointer<Float>, _ scale: UnsafePointer<Float>?,
  _ packed: UnsafeMutablePointer<Float>, _ begin: Int, _ end: Int
) {
  let filter = shape.inChannels * 9
  let matrixStride = shape.inChannels * paddedChannels(shape.outChannels)
  withUnsafeTemporaryAllocation(of: Float.self, capacity: (9 + 3 * evens) * 16) { scratch in
    guard let taps = scratch.baseAddress else { return }
    let lines = taps + 9 * 16
    for channel in begin..<end {
      var first = 0
      while first < shape.outChannels {
        let columns = panelColumns(shape.outChannels, first)
        for half in stride(from: 0, to: columns, by: 16) {
          gatherTaps(shape, weights + channel * 9, filter, scale, first + half, taps)
          let target = packed + first * shape.inChannels + channel * columns + half
          // Even rows: lines of three columns, (row frequency, column).
          for column in 0..<3 {
            transformTaps(taps + column * 16, taps + (6 + column) * 16, lines + column * 16, 3 * 16)
          }
          for row in 0..<evens {
            let line = lines + row * 3 * 16
            transformTaps(line, line + 32, target + row * evens * matrixStride, matrixStride)
            store(load(line + 16), target + (25 + row) * matrixStride)
          }
          transformTaps(taps + 3 * 16, taps + 5 * 16, target + 30 * matrixStride, matrixStride)
          store(load(taps + 4 * 16), target + 35 * matrixStride)
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

  private static var lineFloats: Int { windowEdge * evens * 16 }

  /// Tiles of a block: as many as share what the weights cost, a line of them for each, while their transformed windows
  /// stay within 4 MB of the last cache.
  @inline(__always)
  static func tiles(_ shape: ConvolutionShape) -> Int {
    let wanted = 1024 * 1024 / (positions * shape.inChannels)
    return min(max(wanted, InstructionSet.tileRows / 2), 2 * InstructionSet.tileRows)
  }

  /// Floats from a tile's channels to the next: positions a multiple of 2048 bytes apart would fall into one or two
  /// sets of the first-level cache.
  @inline(__always)
  static func tileStride(_ shape: ConvolutionShape) -> Int { shape.inChannels + 16 }

  @inline(__always)
  static func floats(_ shape: ConvolutionShape) -> Int {
    positions * tiles(shape) * (tileStride(shape) + InstructionSet.panelWidth) + positions * shape.inChannels
      + lineFloats + TileMemory.floats(edge: tileEdge) + 16
  }

  @inline(__always)
  init(_ shape: ConvolutionShape, _ memory: UnsafeMutablePointer<Float>) {
    inputs = memory
    products = inputs + positions * Self.tiles(shape) * Self.tileStride(shape)
    window = products + positions * Self.tiles(shape) * InstructionSet.panelWidth
    lines = window + positions * shape.inChannels
    tile = TileMemory(lines + Self.lineFloats, edge: tileEdge)
  }
}

func stridedWinogradScratch(_ shape: ConvolutionShape) -> Int { Workspace.floats(shape) }

func stridedWinograd(
  _ taskPointer: UnsafePointer<ConvolutionTask>, _ begin: Int, _ end: Int, _ firstPanel: Int,
  _ lastPanel: Int,
  _ scratch: UnsafeMutablePointer<Float>
) {
  let task = taskPointer.pointee
  let shape = task.shape
  let capacity = Workspace.tiles(shape)
  let workspace = Workspace(shape, scratch)
  let tilesAcross = (shape.outWidth + tileEdge - 1) / tileEdge

  let blocks = max((end - begin + capacity - 1) / capacity, 1)
  for block in 0..<blocks {
    let from = begin + (end - begin) * block / blocks
    let count = begin + (end - begin) * (block + 1) / blocks - from
    if count <= 0 { continue }
    for i in 0..<count {
      let tile = from + i
      let (nextRow, nextColumn) = (tile + 1).quotientAndRemainder(dividingBy: tilesAcross)
      let next = NextWindow(
        task, 2 * nextRow * tileEdge - shape.padding, 2 * nextColumn * tileEdge - shape.padding, windowEdge)
      transformWindow(
        task, tile / tilesAcross * tileEdge, tile % tilesAcross * tileEdge,
        workspace.inputs + i * Workspace.tileStride(shape), count * Workspace.tileStride(shape), workspace,
        next)
    }
    for panel in firstPanel..<lastPanel {
      multiplyPanel(task, panel, count, workspace)
      for i in 0..<count {
        let tile = from + i
        storeOutputs(
          task, tile / tilesAcross * tileEdge, tile % tilesAcross * tileEdge, panel, i, count,
          workspace)
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
  for matrix in 0..<Phase.matrices {
    let (position, shared) = Phase.positions(matrix)
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
  let window = windowOrCopy(
    task, 2 * y - task.shape.padding, 2 * x - task.shape.padding, windowEdge, workspace.window, asFloats: true
  )
  let (rowStride, pixelStride) = (window.rowStride, window.pixelStride)
  let lines = workspace.lines
  for c in Swift.stride(from: 0, to: channels, by: 16) {
    let source = window.base + c
    let out = target + c
    for column in 0..<windowEdge {
      // The first column is this window's last.
      if column >= 1 { next.prefetch(c, column: column, windowEdge) }
      transformEvens(
        source + column &* pixelStride, 2 &* rowStride, lines + column * 16, windowEdge * 16)
    }
    for row in 0..<evens {
      let line = lines + row * windowEdge * 16
      transformEvens(line, 2 * 16, out + Phase.evenEven(row, 0) &* stride, stride)
      for column in 0..<odds {
        store(load(line + (2 * column + 1) * 16), out + Phase.evenOdd(row, column) &* stride)
      }
    }
    for row in 0..<odds {
      let line = source + (2 * row + 1) &* rowStride
      transformEvens(line, 2 &* pixelStride, out + Phase.oddEven(row, 0) &* stride, odds &* stride)
      for column in 0..<odds {
        store(load(line + (2 * column + 1) &* pixelStride), out + Phase.oddOdd(row, column) &* stride)
      }
    }
  }
}

/// Transforms the products of tile `index` of a block of `count` back into the pixels at (y, x), of the 4x4 those
/// that exist.
@inline(never)
private func storeOutputs(
  _ task: ConvolutionTask, _ y: Int, _ x: Int, _ panel: Int, _ index: Int, _ count: Int,
  _ workspace: Workspace
) {
  let first = panel * InstructionSet.panelWidth
  let columns = panelColumns(task.shape.outChannels, first)
  let (width, pixels) = workspace.tile.point(task, y, x)
  let stride = count * columns
  let odd = workspace.lines
  let even = odd + odds * odds * 16
  for half in Swift.stride(from: 0, to: columns, by: 16) {
    let products = workspace.products + index * columns + half
    for row in 0..<evens {
      transformProducts(
        products + Phase.evenEven(row, 0) &* stride, stride, products + Phase.evenOdd(row, 0) &* stride,
        stride,
        even + row * odds * 16, 16)
    }
    for row in 0..<odds {
      transformProducts(
        products + Phase.oddEven(row, 0) &* stride, odds &* stride, products + Phase.oddOdd(row, 0) &* stride,
        stride,
        odd + row * odds * 16, 16)
    }
    for column in 0..<width {
      transformProducts(
        even + column * 16, odds * 16, odd + column * 16, odds * 16,
        workspace.tile.sums + column * InstructionSet.panelWidth + half, width * InstructionSet.panelWidth)
    }
  }
  workspace.tile.store(task, count: pixels, first: first, columns: columns)
}
