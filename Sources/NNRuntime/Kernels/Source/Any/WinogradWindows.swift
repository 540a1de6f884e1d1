// The inputs of Winograd convolutions of both strides: gathered weights, and windows, those at the edges too.

import CKernelShims
import NNKernelInterface

/// The weights of one input channel for sixteen output channels from `first`, (position, output channel), times the
/// scale.
///
/// Output channels are `filter` floats apart; beyond the last are zeros.
@inline(__always)
func gatherTaps(
  _ shape: ConvolutionShape, _ weights: UnsafePointer<Float>, _ filter: Int, _ scale: UnsafePointer<Float>?,
  _ first: Int, _ taps: UnsafeMutablePointer<Float>
) {
  let positions = shape.kernelHeight * shape.kernelWidth
  for lane in 0..<16 {
    let out = first + lane
    let isUsed = out < shape.outChannels
    for position in 0..<positions {
      taps[position * 16 + lane] = isUsed ? weights[out * filter + position] * (scale?[out] ?? 1) : 0
    }
  }
}

extension ConvolutionTask {
  /// First row and column of the window of the tile whose first output pixel is (y, x).
  @inline(__always)
  func windowOrigin(_ y: Int, _ x: Int) -> (top: Int, left: Int) {
    let (top, left) = (y &* shape.stride &- shape.padding, x &* shape.stride &- shape.padding)
    guard let subpixel else { return (top, left) }
    return (top &+ subpixel.row, left &+ subpixel.column)
  }
}

/// The square window of `edge` pixels at (top, left) as a map: in place, or, where it reaches over an edge of the
/// input, whose elements are `Element`s, copied to `copy` (row, column, channel) as floats with zeros.
@inline(__always)
func windowOrCopy<Element: MapElement>(
  _ element: Element, _ task: ConvolutionTask, _ origin: (top: Int, left: Int), _ edge: Int,
  _ copy: UnsafeMutablePointer<Float>
) -> MapPointer {
  let (shape, input, (top, left)) = (task.shape, task.input, origin)
  let base =
    UnsafeRawPointer(input.base) + (top * input.rowStride + left * input.pixelStride) * element.size
  let isInside = top >= 0 && left >= 0 && top + edge <= shape.inHeight && left + edge <= shape.inWidth
  if isInside {
    return MapPointer(
      base: base.assumingMemoryBound(to: Float.self), pixelStride: input.pixelStride,
      rowStride: input.rowStride, element: input.element)
  }
  for row in 0..<edge {
    for column in 0..<edge {
      let pixel = copy + (row * edge + column) * shape.inChannels
      let isInside =
        top + row >= 0 && top + row < shape.inHeight && left + column >= 0 && left + column < shape.inWidth
      let source = base + (row * input.rowStride + column * input.pixelStride) * element.size
      for c in stride(from: 0, to: shape.inChannels, by: 16) {
        store(isInside ? element.load(source + c * element.size) : Vector(repeating: 0), pixel + c)
      }
    }
  }
  return MapPointer(base: copy, pixelStride: shape.inChannels, rowStride: edge * shape.inChannels)
}

/// The window of the next tile: the cache lines that it does not share with this one are prefetched while this one is
/// transformed, as the hardware prefetcher does not follow many short rows.
struct NextWindow {
  private let base: UnsafeRawPointer
  private let pixelStride, rowStride, elementSize: Int

  /// The window of `edge` pixels at `origin`, moved into the map, of elements of `elementSize` bytes, where it reaches
  /// over its edges.
  @inline(__always)
  init(_ task: ConvolutionTask, _ origin: (top: Int, left: Int), _ edge: Int, elementSize: Int) {
    let (shape, input) = (task.shape, task.input)
    var row = max(0, min(origin.top, shape.inHeight - edge))
    var column = max(0, min(origin.left, shape.inWidth - edge))
    if let enlargement = task.enlargement {
      // No more than as many pixels make the window.
      row = Int(enlargement.rowIndices[2 * row])
      column = Int(enlargement.columnIndices[2 * column])
    }
    self.elementSize = elementSize
    pixelStride = input.pixelStride &* elementSize
    rowStride = input.rowStride &* elementSize
    base =
      UnsafeRawPointer(input.base) + (row * input.rowStride + column * input.pixelStride) * elementSize
  }

  /// Brings sixteen channels from `channel` of the `edge` pixels of a column near.
  @inline(__always)
  func prefetch(_ channel: Int, column: Int, _ edge: Int) {
    let top = base + (channel &* elementSize &+ column &* pixelStride)
    for row in 0..<edge { ardf_prefetch_to_read(top + row &* rowStride) }
  }
}
