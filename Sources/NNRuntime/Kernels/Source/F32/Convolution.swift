// Dense convolution as a sum of matrix products without a materialized im2col matrix: the rows of A are
// read where they lie. Each block of output pixels gets a table of pointers, one per kernel position and
// pixel; positions in the padding point at zeros. Linear layers and 1x1 convolutions are the case of one
// position.
//
// Packed weights: panels of `panelWidth` output channels (the last may be 16 wide, padded with zeros), in
// each (kernel row, kernel column, input channel, output channel).

import CKernelShims
import NNKernelInterface

/// Columns of the panel that starts at output channel `first`: a whole panel, or 16 where no more are used.
@inline(__always)
func panelColumns(_ outChannels: Int, _ first: Int) -> Int {
  outChannels - first > 16 ? InstructionSet.panelWidth : 16
}

/// Output channels rounded up to what the packed panels hold.
@inline(__always)
func paddedChannels(_ outChannels: Int) -> Int {
  let whole = outChannels / InstructionSet.panelWidth * InstructionSet.panelWidth
  return whole == outChannels ? whole : whole + panelColumns(outChannels, whole)
}

func packedConvolutionCount(_ shape: ConvolutionShape) -> Int {
  paddedChannels(shape.outChannels) * shape.kernelHeight * shape.kernelWidth * shape.inChannels
}

func packConvolution(
  _ shape: ConvolutionShape, _ weights: UnsafePointer<Float>, _ scale: UnsafePointer<Float>?,
  _ packed: UnsafeMutablePointer<Float>
) {
  let positions = shape.kernelHeight * shape.kernelWidth
  let filter = shape.inChannels * positions
  var target = packed
  var first = 0
  while first < shape.outChannels {
    let columns = panelColumns(shape.outChannels, first)
    let used = min(columns, shape.outChannels - first)
    for position in 0..<positions {
      for channel in 0..<shape.inChannels {
        let source = weights + first * filter + channel * positions + position
        for column in 0..<used {
          target[column] = source[column * filter] * (scale?[first + column] ?? 1)
        }
        for column in used..<columns { target[column] = 0 }
        target += columns
      }
    }
    first += InstructionSet.panelWidth
  }
}

/// How the windows of a block's pixels are read.
private enum WindowAccess {
  /// In place, one piece per kernel position.
  case positions
  /// In place, one piece a kernel row: the pixels of a row touch, and a position alone would be short.
  case rows

  /// Below this many channels a piece is not worth its pointers.
  @inline(__always) static var shortPiece: Int { 64 }

  @inline(__always) init(_ shape: ConvolutionShape, pixelStride: Int) {
    if shape.kernelWidth > 1 && pixelStride == shape.inChannels && shape.inChannels < Self.shortPiece {
      self = .rows
    } else {
      self = .positions
    }
  }

  /// Pieces of a window.
  @inline(__always) func segments(_ shape: ConvolutionShape) -> Int {
    switch self {
    case .positions: shape.kernelHeight * shape.kernelWidth
    case .rows: shape.kernelHeight
    }
  }
}

/// Floats of one pixel's window, where windows at the edge are copied.
@inline(__always)
private func copyCount(_ shape: ConvolutionShape) -> Int {
  shape.inChannels < WindowAccess.shortPiece ? shape.kernelHeight * shape.kernelWidth * shape.inChannels : 0
}

/// Floats from one pixel to the next where a block's pixels are prefetched while the block before is multiplied; else 0.
///
/// Worth it where pixels are read once, in rows too short for the hardware prefetcher, and while a block takes no more than
/// 24 KB, about half of the first-level cache.
@inline(__always)
private func prefetchStep(_ shape: ConvolutionShape, pixelStride: Int) -> Int {
  let isPointwise = shape.kernelHeight == 1 && shape.kernelWidth == 1 && shape.stride == 1
  let blockFloats = InstructionSet.tileRows * shape.inChannels
  return isPointwise && blockFloats <= 6 * 1024 ? pixelStride : 0
}

/// Floats of one row that is normalized, or multiplied by a vector, before the products.
@inline(__always)
private func preparedCount(_ shape: ConvolutionShape) -> Int {
  shape.kernelHeight == 1 && shape.kernelWidth == 1 ? (shape.inChannels + 15) / 16 * 16 : 0
}

func convolutionScratch(_ shape: ConvolutionShape) -> Int {
  let tables = InstructionSet.tileRows * (shape.kernelHeight * shape.kernelWidth + 2) * 2
  let floats = InstructionSet.panelWidth + copyCount(shape) + preparedCount(shape)
  return InstructionSet.tileRows * floats + tables + 32 + PlaneRows.count(shape)
}

func convolution(_ taskPointer: UnsafePointer<ConvolutionTask>, _ share: Share) {
  let (begin, end) = (share.items.lowerBound, share.items.upperBound)
  let (firstPanel, lastPanel) = (share.panels.lowerBound, share.panels.upperBound)
  let task = taskPointer.pointee
  let shape = task.shape
  let readsPlanes = task.readsPlanes
  let access = readsPlanes ? .rows : WindowAccess(shape, pixelStride: task.input.pixelStride)
  let window = shape.kernelHeight * shape.kernelWidth * shape.inChannels
  let segments = access.segments(shape)
  let windowStride = copyCount(shape)
  let capacity = InstructionSet.tileRows
  let tile = share.scratch
  let copies = tile + capacity * InstructionSet.panelWidth
  let tables = UnsafeMutableRawPointer(copies + (capacity * windowStride + 15) / 16 * 16)
  let rows = tables.assumingMemoryBound(to: UnsafePointer<Float>.self)
  let outputs = UnsafeMutableRawPointer(rows + segments * capacity)
    .assumingMemoryBound(to: UnsafeMutablePointer<Float>.self)
  let added = rows + (segments + 1) * capacity
  let isAdded = task.residual != nil || task.addend != nil
  let prepared = tile + (convolutionScratch(shape) - capacity * preparedCount(shape)) / 16 * 16
  let isPrepared = task.normalization != nil || task.factors != nil
  var planes = PlaneRows(
    taskPointer, from: begin / shape.outWidth,
    in: tile + (convolutionScratch(shape) - PlaneRows.count(shape)) / 16 * 16)
  let residual = task.residual ?? MapPointer(base: task.zeros, pixelStride: 0, rowStride: 0)

  // As many rows in one block as in the next, so that the last is not a sliver.
  let blocks = max((end - begin + capacity - 1) / capacity, 1)
  let panelFloats = window * InstructionSet.panelWidth
  let ahead = isPrepared ? 0 : prefetchStep(shape, pixelStride: task.input.pixelStride)
  // More than the first-level cache keeps from one block to the next.
  let streamsColumns = panelFloats >= 16 * 1024
  for block in 0..<blocks {
    let from = begin + (end - begin) * block / blocks
    let count = begin + (end - begin) * (block + 1) / blocks - from
    if count <= 0 { continue }
    var (y, x) = (from / shape.outWidth, from % shape.outWidth)
    var row = 0
    while row < count {
      let run = min(count - row, shape.outWidth - x)
      if readsPlanes {
        planes.point(y, x, run, rows + row)
      } else {
        pointWindows(taskPointer, access, y, x, run, rows + row, copies + row * windowStride)
      }
      var output = task.output.base + (y * task.output.rowStride + x * task.output.pixelStride)
      var other = residual.base + (y * residual.rowStride + x * residual.pixelStride)
      for i in row..<row + run {
        outputs[i] = output
        added[i] = other
        output += task.output.pixelStride
        other += residual.pixelStride
      }
      if let addend = task.addend {
        for i in row..<row + run { added[i] = addend.sums(ofPixel: from + i) }
      }
      row += run
      (y, x) = (y + 1, 0)
    }
    if isPrepared { prepareRows(task, rows, count, prepared) }
    for panel in firstPanel..<lastPanel {
      let first = panel * InstructionSet.panelWidth
      let columns = panelColumns(shape.outChannels, first)
      multiplyTile(
        (
          segments: segments, depth: window / segments, rows: UnsafePointer(rows), rowCapacity: capacity,
          columns: task.weights + panel * panelFloats, columnStride: columns, output: tile,
          outputStride: InstructionSet.panelWidth, ahead: panel == firstPanel ? ahead * count : 0,
          streamsColumns: streamsColumns
        ),
        rows: count, columns: columns)
      storeTile(
        (
          sums: UnsafePointer(tile), rows: count, first: first,
          columns: min(columns, shape.outChannels - first),
          bias: task.bias, added: isAdded ? UnsafePointer(added) : nil, joinsSums: task.joinsSums,
          outputs: UnsafePointer(outputs)
        ), task.activation)
    }
  }
}

/// Replaces the rows of a block by what they become by the task's prologue, and prefetches those of the next.
@inline(never)
private func prepareRows(
  _ task: ConvolutionTask, _ rows: UnsafeMutablePointer<UnsafePointer<Float>>, _ count: Int,
  _ prepared: UnsafeMutablePointer<Float>
) {
  let channels = task.shape.inChannels
  for i in 0..<count {
    let later = rows[i] + count * task.input.pixelStride
    for channel in stride(from: 0, to: channels, by: 16) { ardf_prefetch_to_read(later + channel) }
    let row = prepared + i * preparedCount(task.shape)
    if let normalization = task.normalization {
      normalize(
        normalization, TokenRow(element: Float32Element(), base: rows[i], channels: channels), into: row,
        as: Float32Element())
    } else if let factors = task.factors {
      multiply(rows[i], by: factors, channels: channels, into: row)
    }
    rows[i] = UnsafePointer(row)
  }
}

/// Multiplies a pixel by a vector, channel by channel.
@inline(__always)
private func multiply(
  _ pixel: UnsafePointer<Float>, by factors: UnsafePointer<Float>, channels: Int,
  into row: UnsafeMutablePointer<Float>
) {
  let element = Float32Element()
  forEachVector(channels) { channel, count in
    let product = element.loadSome(pixel + channel, count) * element.loadSome(factors + channel, count)
    element.storeSome(product, row + channel, count)
  }
}

/// Fills the pointers to the windows of `run` output pixels of row y from x on: one per pixel, `tileRows` apart from one
/// segment to the next.
///
/// Windows that reach over an edge read zeros, position by position, or are copied where pieces are rows. Those
/// inside differ from their neighbors by as much everywhere.
@inline(never)
private func pointWindows(
  _ task: UnsafePointer<ConvolutionTask>, _ access: WindowAccess, _ y: Int, _ x: Int, _ run: Int,
  _ rows: UnsafeMutablePointer<UnsafePointer<Float>>, _ copies: UnsafeMutablePointer<Float>
) {
  let shape = task.pointee.shape
  let input = task.pointee.input
  let top = y * shape.stride - shape.padding
  var inside = x..<x
  if top >= 0, top + shape.kernelHeight <= shape.inHeight, shape.inWidth + shape.padding >= shape.kernelWidth
  {
    let first = (shape.padding + shape.stride - 1) / shape.stride
    let last = (shape.inWidth + shape.padding - shape.kernelWidth) / shape.stride
    inside = (first..<max(first, last + 1)).clamped(to: x..<x + run)
  }
  func pointOverEdge(_ pixel: Int) {
    let row = pixel - x
    pointEdgeRow(
      task, access, top, pixel * shape.stride - shape.padding, rows + row, copies + row * copyCount(shape))
  }
  for pixel in x..<inside.lowerBound { pointOverEdge(pixel) }
  for pixel in inside.upperBound..<x + run { pointOverEdge(pixel) }
  if inside.isEmpty { return }
  let left = inside.lowerBound * shape.stride - shape.padding
  let step = shape.stride * input.pixelStride
  var line = input.base + (top * input.rowStride + left * input.pixelStride)
  var slots = rows + (inside.lowerBound - x)
  for _ in 0..<shape.kernelHeight {
    var piece = line
    for _ in 0..<(access == .rows ? 1 : shape.kernelWidth) {
      var window = piece
      for i in 0..<inside.count {
        slots[i] = window
        window += step
      }
      slots += InstructionSet.tileRows
      piece += input.pixelStride
    }
    line += input.rowStride
  }
}

/// The pointers of a window that reaches over an edge of the input.
private func pointEdgeRow(
  _ task: UnsafePointer<ConvolutionTask>, _ access: WindowAccess, _ top: Int, _ left: Int,
  _ rows: UnsafeMutablePointer<UnsafePointer<Float>>, _ copy: UnsafeMutablePointer<Float>
) {
  let shape = task.pointee.shape
  let input = task.pointee.input
  var slot = rows
  var target = copy
  for y in top..<top + shape.kernelHeight {
    if access == .rows {
      slot.pointee = UnsafePointer(target)
      slot += InstructionSet.tileRows
    }
    for x in left..<left + shape.kernelWidth {
      let inside = y >= 0 && y < shape.inHeight && x >= 0 && x < shape.inWidth
      let pixel = inside ? input.base + y * input.rowStride + x * input.pixelStride : task.pointee.zeros
      if access == .rows {
        for channel in 0..<shape.inChannels { target[channel] = pixel[channel] }
        target += shape.inChannels
      } else {
        slot.pointee = pixel
        slot += InstructionSet.tileRows
      }
    }
  }
}
