// Winograd convolutions of 3x3 and 2x2 kernels whose products are those of 16-bit integers.
//
// The transforms cancel digits: of bf16 they leave too few. They are computed in floats; then every position of a
// window, the numbers of all channels, is scaled to one norm and rounded to 16 bits, and so are the weights of every
// matrix and output channel. With 256 channels that errs no more than a direct product of bf16 does.
//
// Packed weights: (matrix, 16 output channels, unit of input channels, output channel, numbers of a unit) in 16 bits, then the
// scales (position, output channel) in floats.

import CKernelShims
import NNKernelInterface

/// Output channels, rounded up to 16.
@inline(__always)
private func integerColumnCount(_ channels: Int) -> Int { (channels &+ 15) / 16 &* 16 }

/// Output channels of the panel that begins with `first`, rounded up to 16.
@inline(__always)
private func integerColumns(_ channels: Int, _ first: Int) -> Int {
  min(panelWidth, integerColumnCount(channels) &- first)
}

func packedIntegerCount<Transform: IntegerTransform>(_: Transform.Type, _ shape: ConvolutionShape) -> Int {
  integerColumnCount(shape.outChannels) * (Transform.matrices * shape.inChannels / 2 + Transform.positions)
}

func packIntegers<Transform: IntegerTransform>(
  _: Transform.Type, _ shape: ConvolutionShape, _ weights: UnsafePointer<Float>,
  _ scale: UnsafePointer<Float>?, _ packed: UnsafeMutablePointer<Float>
) {
  let (matrices, channels) = (Transform.matrices, shape.inChannels)
  let outChannels = integerColumnCount(shape.outChannels)
  let scales = packed + matrices * outChannels * channels / 2
  let taps = Transform.kernelEdge * Transform.kernelEdge
  let count = (taps + Transform.lines + matrices * (channels + 1)) * 16
  withUnsafeTemporaryAllocation(of: Float.self, capacity: count) { scratch in
    guard let gathered = scratch.baseAddress else { return }
    let lines = gathered + taps * 16
    let squares = lines + Transform.lines * 16
    let transformed = squares + matrices * 16
    for first in stride(from: 0, to: outChannels, by: 16) {
      for matrix in 0..<matrices { store(Vector(repeating: 0), squares + matrix * 16) }
      for channel in 0..<channels {
        gatherTaps(shape, weights + channel * taps, channels * taps, scale, first, gathered)
        Transform.filter(lines, { load(gathered + $0 * 16) }) { matrix, value in
          store(value, transformed + (matrix * channels + channel) * 16)
          let sum = squares + matrix * 16
          store(multiplyAdd(value, value, load(sum)), sum)
        }
      }
      for matrix in 0..<matrices {
        let scale = roundColumns(
          transformed + matrix * channels * 16, channels, load(squares + matrix * 16),
          packed + (matrix * outChannels + first) * channels / 2)
        let (position, count) = Transform.positions(of: matrix)
        for shared in position..<position + count { store(scale, scales + shared * outChannels + first) }
      }
    }
  }
}

/// Rounds sixteen columns of (input channel, column), whose squares sum up to `squares`; returns their
/// scales.
@inline(never)
private func roundColumns(
  _ source: UnsafePointer<Float>, _ channels: Int, _ squares: Vector, _ target: UnsafeMutablePointer<Float>
) -> Vector {
  // The norm is bounded, and the largest number, which has to fit 16 bits.
  var largest = Vector(repeating: 0)
  for channel in 0..<channels {
    let value = load(source + channel &* 16)
    largest = larger(largest, larger(value, Vector(repeating: 0) - value))
  }
  let norm = squares.squareRoot()
  let scale = larger(
    larger(
      norm * Vector(repeating: 1 / ScaledWords.rightNorm),
      largest * Vector(repeating: 1 / ScaledWords.largest)),
    Vector(repeating: .leastNormalMagnitude))
  let factor = Vector(repeating: 1) / scale
  for pair in 0..<channels / 2 {
    ScaledWords.storePairs(
      load(source + pair &* 32) * factor, load(source + pair &* 32 + 16) * factor, target + pair &* 16)
  }
  return scale
}

/// The memory that `winograd` works in.
private struct Workspace<Transform: IntegerTransform> {
  /// Tiles of a block.
  let capacity: Int
  /// Floats' room from a row of integers to the next; floats from a position of a transformed window to the next.
  let rowStride, transformedStride: Int
  /// Integers (position, tile, input channel), their scales (position, tile), and a panel's products (position, tile,
  /// output channel).
  let inputs, scales, products: UnsafeMutablePointer<Float>
  /// For one window: transformed, (position, input channel); and the sums of squares, (position, lane).
  let transformed, squares: UnsafeMutablePointer<Float>
  /// A window with zeros where it reaches over an edge, (row, column, channel).
  let window: UnsafeMutablePointer<Float>
  /// Sixteen channels half transformed; and the outputs of a panel, (pixel, channel).
  let lines, sums: UnsafeMutablePointer<Float>

  /// Tiles of a work item: many, so that weights are read seldom, and few enough that the integers and a panel's products
  /// stay in the second-level cache.
  @inline(__always)
  private static func tiles(_ shape: ConvolutionShape) -> Int {
    let cacheFloats = 176 * 1024
    let wanted = cacheFloats / (Transform.positions * (shape.inChannels / 2 + panelWidth))
    return min(max(wanted / mostVectorRows, 1), 8) * mostVectorRows
  }

  @inline(__always)
  static func floats(_ shape: ConvolutionShape) -> Int {
    let workspace = Self(shape, UnsafeMutablePointer(bitPattern: 64)!)
    let bytes = UnsafeRawPointer(workspace.sums) - UnsafeRawPointer(workspace.inputs)
    return bytes / 4 + Transform.tileEdge * Transform.tileEdge * panelWidth
  }

  @inline(__always)
  init(_ shape: ConvolutionShape, _ memory: UnsafeMutablePointer<Float>) {
    let positions = Transform.positions
    capacity = Self.tiles(shape)
    // Rows or positions a multiple of 2048 bytes apart would fall into few sets of the first-level cache.
    rowStride = shape.inChannels / 2 + 8
    transformedStride = shape.inChannels + 16
    inputs = memory
    scales = inputs + positions * capacity * rowStride
    // Whole cache lines, as what follows is read and written in.
    products = scales + (positions * capacity + 15) / 16 * 16
    transformed = products + positions * capacity * panelWidth
    squares = transformed + positions * transformedStride
    window = squares + positions * 16
    lines = window + Transform.windowEdge * Transform.windowEdge * shape.inChannels
    sums = lines + Transform.lines * 16
  }
}

func integerWinogradScratch<Transform: IntegerTransform>(_: Transform.Type, _ shape: ConvolutionShape) -> Int
{
  Workspace<Transform>.floats(shape)
}

func integerWinograd<Transform: IntegerTransform>(
  _: Transform.Type, _ task: UnsafePointer<ConvolutionTask>, _ share: Share
) {
  let (begin, end) = (share.items.lowerBound, share.items.upperBound)
  let shape = task.pointee.shape
  let workspace = Workspace<Transform>(shape, share.scratch)
  let capacity = workspace.capacity
  let tilesAcross = (shape.outWidth + Transform.tileEdge - 1) / Transform.tileEdge

  let blocks = max((end - begin + capacity - 1) / capacity, 1)
  for block in 0..<blocks {
    let from = begin + (end - begin) * block / blocks
    let count = begin + (end - begin) * (block + 1) / blocks - from
    if count <= 0 { continue }
    for i in 0..<count {
      let (row, column) = (from + i).quotientAndRemainder(dividingBy: tilesAcross)
      let (nextRow, nextColumn) = (from + i + 1).quotientAndRemainder(dividingBy: tilesAcross)
      let edge = Transform.tileEdge
      let next = NextWindow(
        task.pointee, task.pointee.windowOrigin(nextRow * edge, nextColumn * edge), Transform.windowEdge,
        elementSize: task.pointee.input.element.asked.size)
      let (top, left) = task.pointee.windowOrigin(row * edge, column * edge)
      transformInput(task, top, left, workspace, next)
      roundInput(shape.inChannels, tile: i, of: count, workspace)
    }
    for panel in share.panels {
      multiplyPanel(task, panel, count, workspace)
      for i in 0..<count {
        let (row, column) = (from + i).quotientAndRemainder(dividingBy: tilesAcross)
        storeOutput(
          task, row * Transform.tileEdge, column * Transform.tileEdge, panel, tile: i, of: count, workspace)
      }
    }
  }
}

/// The products of a block of `count` tiles with one panel.
@inline(__always)
private func multiplyPanel<Transform: IntegerTransform>(
  _ task: UnsafePointer<ConvolutionTask>, _ panel: Int, _ count: Int, _ workspace: Workspace<Transform>
) {
  let shape = task.pointee.shape
  let (channels, outChannels) = (shape.inChannels, integerColumnCount(shape.outChannels))
  let first = panel * panelWidth
  let columns = integerColumns(shape.outChannels, first)
  for matrix in 0..<Transform.matrices {
    let (position, shared) = Transform.positions(of: matrix)
    let row = position * count
    ScaledWords.multiply(
      workspace.inputs + row * workspace.rowStride, leftStride: workspace.rowStride * 4,
      rows: shared * count, words: channels / 2,
      task.pointee.weights + (matrix * outChannels + first) * channels / 2, columns: columns,
      workspace.products + row * panelWidth)
  }
}

/// Transforms the window at (top, left), and adds up the squares of its positions.
@inline(never)
private func transformInput<Transform: IntegerTransform>(
  _ task: UnsafePointer<ConvolutionTask>, _ top: Int, _ left: Int, _ workspace: Workspace<Transform>,
  _ next: NextWindow
) {
  let channels = task.pointee.shape.inChannels
  let edge = Transform.windowEdge
  let overlap = edge - Transform.stride * Transform.tileEdge
  let window =
    windowOrCopy(task.pointee.input.element.asked, task.pointee, (top, left), edge, workspace.window)
  for position in 0..<Transform.positions {
    store(Vector(repeating: 0), workspace.squares + position &* 16)
  }
  window.element.run(
    WindowTransform<Transform>.self,
    (
      window: window, channels: channels, overlap: overlap, workspace: workspace, next: next
    ))
}

/// The window of a tile becomes positions; the first `overlap` columns of the next one are this window's last.
private enum WindowTransform<Transform: IntegerTransform>: ElementLoop {
  typealias Operands = (
    window: MapPointer, channels: Int, overlap: Int, workspace: Workspace<Transform>, next: NextWindow
  )

  @inline(__always)
  static func run<Element: MapElement>(_ element: Element, _ operands: Operands) {
    let (window, workspace) = (operands.window, operands.workspace)
    let (lines, stride) = (workspace.lines, workspace.transformedStride)
    let (rowBytes, pixelBytes) = (window.rowStride &* element.size, window.pixelStride &* element.size)
    for c in Swift.stride(from: 0, to: operands.channels, by: 16) {
      let out = workspace.transformed + c
      let source = UnsafeRawPointer(window.base) + c &* element.size
      Transform.input(
        lines, fetch, { element.load(source + ($0 &* rowBytes &+ $1 &* pixelBytes)) }, add)

      @inline(__always) func fetch(_ column: Int) {
        if column >= operands.overlap {
          operands.next.prefetch(c, column: column, Transform.windowEdge)
        }
      }

      @inline(__always) func add(_ position: Int, _ value: Vector) {
        store(value, out + position &* stride)
        let sum = workspace.squares + position &* 16
        store(multiplyAdd(value, value, load(sum)), sum)
      }
    }
  }
}

/// Scales the positions of a transformed window to `leftNorm` and rounds them.
///
/// NaN stays NaN, in the scale. Squares must fit a float.
@inline(never)
private func roundInput<Transform: IntegerTransform>(
  _ channels: Int, tile: Int, of count: Int, _ workspace: Workspace<Transform>
) {
  for position in 0..<Transform.positions {
    let row = position &* count &+ tile
    let norm = (sum(load(workspace.squares + position &* 16)) + 1e-30).squareRoot()
    workspace.scales[row] = norm * (1 / ScaledWords.leftNorm)
    let factor = Vector(repeating: ScaledWords.leftNorm / norm)
    let source = workspace.transformed + position &* workspace.transformedStride
    let target = UnsafeMutableRawPointer(workspace.inputs + row &* workspace.rowStride)
    for c in stride(from: 0, to: channels, by: 16) {
      ScaledWords.store(load(source + c) * factor, target + 2 &* c)
    }
  }
}

/// Transforms a panel's products of one tile back into the pixels at (y, x), of the tile those that exist.
@inline(never)
private func storeOutput<Transform: IntegerTransform>(
  _ task: UnsafePointer<ConvolutionTask>, _ y: Int, _ x: Int, _ panel: Int, tile: Int, of count: Int,
  _ workspace: Workspace<Transform>
) {
  let shape = task.pointee.shape
  let first = panel * panelWidth
  let rowFloats = Transform.tileEdge &* panelWidth
  let width = min(Transform.tileEdge, shape.outWidth - x)
  let outChannels = integerColumnCount(shape.outChannels)
  let weightScales = task.pointee.weights + Transform.matrices * outChannels * shape.inChannels / 2 + first
  for half in stride(from: 0, to: integerColumns(shape.outChannels, first), by: 16) {
    let (products, scales) = (workspace.products + half, weightScales + half)
    let sums = workspace.sums + half
    Transform.output(
      workspace.lines, columns: width,
      { position in
        let row = position &* count &+ tile
        let scale = Vector(repeating: workspace.scales[row]) * load(scales + position &* outChannels)
        return load(products + row &* panelWidth) * scale
      }, { store($2, sums + ($0 &* rowFloats &+ $1 &* panelWidth)) })
  }
  if let subpixel = task.pointee.subpixel {
    addEdges(subpixel, shape, y, x, Transform.tileEdge, first, workspace.sums)
  }
  for row in 0..<min(Transform.tileEdge, shape.outHeight - y) {
    storeBlock(
      (
        task: task, sums: UnsafePointer(workspace.sums + row &* rowFloats), begin: y + row, slot: x,
        count: width, slots: shape.outWidth, first: first
      ))
  }
}

/// Adds what the map's edges ask for to the sums of a panel's tile at (y, x).
@inline(never)
private func addEdges(
  _ subpixel: Subpixel, _ shape: ConvolutionShape, _ y: Int, _ x: Int, _ edge: Int, _ first: Int,
  _ sums: UnsafeMutablePointer<Float>
) {
  for row in 0..<edge {
    for column in 0..<edge {
      guard let extra = subpixel.sums(y &+ row, x &+ column, of: shape) else { continue }
      let pixel = sums + (row &* edge &+ column) &* panelWidth
      for half in stride(from: 0, to: integerColumns(shape.outChannels, first), by: 16) {
        store(load(pixel + half) + load(extra + (first &+ half)), pixel + half)
      }
    }
  }
}
