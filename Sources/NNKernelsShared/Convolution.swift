// Dense convolution as a sum of matrix products without a materialised im2col matrix: the rows of A are
// read where they lie. Each block of output pixels gets a table of pointers, one a kernel position and
// pixel; positions in the padding point at zeros. Linear layers and 1x1 convolutions are the case of one
// position.
//
// Packed weights: panels of `panelWidth` output channels (the last may be 16 wide, padded with zeros), in
// each (kernel row, kernel column, input channel, output channel).

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

/// How the inner dimension is cut into contiguous pieces of the input: one a kernel row where the pixels of
/// a row touch and the channels alone would make short pieces, else one a kernel position.
private struct Segmentation {
  /// Below this many channels a piece is not worth its pointers.
  static let shortPiece = 64

  var wholeRows: Bool
  var count: Int
  var depth: Int

  init(_ shape: ConvolutionShape, pixelStride: Int) {
    wholeRows =
      shape.kernelWidth > 1 && pixelStride == shape.inChannels && shape.inChannels < Self.shortPiece
    count = wholeRows ? shape.kernelHeight : shape.kernelHeight * shape.kernelWidth
    depth = wholeRows ? shape.kernelWidth * shape.inChannels : shape.inChannels
  }
}

/// Floats of one pixel's window, where windows at the edge are copied.
@inline(__always)
private func gatheredFloats(_ shape: ConvolutionShape) -> Int {
  shape.inChannels < Segmentation.shortPiece
    ? shape.kernelHeight * shape.kernelWidth * shape.inChannels : 0
}

func convolutionScratch(_ shape: ConvolutionShape) -> Int {
  let tables = InstructionSet.tileRows * (shape.kernelHeight * shape.kernelWidth + 2) * 2
  let tile = InstructionSet.tileRows * InstructionSet.panelWidth
  let gathered = InstructionSet.tileRows * gatheredFloats(shape)
  return tile + gathered + tables + 48
}

func convolution(
  _ taskPointer: UnsafePointer<ConvolutionTask>, _ begin: Int, _ end: Int, _ firstPanel: Int,
  _ lastPanel: Int,
  _ scratch: UnsafeMutablePointer<Float>
) {
  let task = taskPointer.pointee
  let shape = task.shape
  let segments = Segmentation(shape, pixelStride: task.input.pixelStride)
  let capacity = InstructionSet.tileRows
  let tile = scratch
  let gathered = tile + capacity * InstructionSet.panelWidth
  let gatherCount = gatheredFloats(shape)
  let tables = UnsafeMutableRawPointer(gathered + (capacity * gatherCount + 15) / 16 * 16)
  let rows = tables.assumingMemoryBound(to: UnsafePointer<Float>.self)
  let outputs = (rows + segments.count * capacity).withMemoryRebound(
    to: UnsafeMutablePointer<Float>.self, capacity: capacity
  ) { $0 }
  let residuals = rows + (segments.count + 1) * capacity

  // As many rows in one block as in the next, so that the last is no sliver.
  let blocks = max((end - begin + capacity - 1) / capacity, 1)
  let panelFloats = shape.kernelHeight * shape.kernelWidth * shape.inChannels * InstructionSet.panelWidth
  for block in 0..<blocks {
    let from = begin + (end - begin) * block / blocks
    let count = begin + (end - begin) * (block + 1) / blocks - from
    if count <= 0 { continue }
    var y = from / shape.outWidth
    var x = from % shape.outWidth
    for row in 0..<count {
      pointRow(task, segments, row, y, x, rows, capacity, gathered + row * gatherCount)
      outputs[row] = task.output.base + y * task.output.rowStride + x * task.output.pixelStride
      if let residual = task.residual {
        residuals[row] = residual.base + y * residual.rowStride + x * residual.pixelStride
      }
      x += 1
      if x == shape.outWidth {
        x = 0
        y += 1
      }
    }
    for panel in firstPanel..<lastPanel {
      let first = panel * InstructionSet.panelWidth
      let columns = panelColumns(shape.outChannels, first)
      multiplyTile(
        (
          segments: segments.count, depth: segments.depth, rows: UnsafePointer(rows), rowCapacity: capacity,
          columns: task.weights + panel * panelFloats, columnStride: columns, output: tile,
          outputStride: InstructionSet.panelWidth
        ),
        rows: count, columns: columns)
      // Offset the row pointers to this panel's channels, store, and move them back.
      for row in 0..<count {
        outputs[row] += first
        if task.residual != nil { residuals[row] += first }
      }
      storeTile(
        tile, stride: InstructionSet.panelWidth, rows: count,
        columns: min(columns, shape.outChannels - first), bias: task.bias + first,
        activation: task.activation, residuals: task.residual == nil ? nil : UnsafePointer(residuals),
        outputs: outputs)
      for row in 0..<count {
        outputs[row] -= first
        if task.residual != nil { residuals[row] -= first }
      }
    }
  }
}

/// Fills the pointer table of one output pixel.
@inline(__always)
private func pointRow(
  _ task: ConvolutionTask, _ segments: Segmentation, _ row: Int, _ y: Int, _ x: Int,
  _ rows: UnsafeMutablePointer<UnsafePointer<Float>>, _ capacity: Int, _ gathered: UnsafeMutablePointer<Float>
) {
  let shape = task.shape
  let left = x * shape.stride - shape.padding
  let inside = left >= 0 && left + shape.kernelWidth <= shape.inWidth
  var slot = row
  for kernelRow in 0..<shape.kernelHeight {
    let inY = y * shape.stride + kernelRow - shape.padding
    let line = task.input.base + inY * task.input.rowStride
    let lineInside = inY >= 0 && inY < shape.inHeight
    if segments.wholeRows {
      if inside && lineInside {
        rows[slot] = line + left * task.input.pixelStride
      } else {
        let piece = gathered + kernelRow * segments.depth
        for column in 0..<shape.kernelWidth {
          let inX = left + column
          let target = piece + column * shape.inChannels
          if lineInside && inX >= 0 && inX < shape.inWidth {
            let source = line + inX * task.input.pixelStride
            for channel in 0..<shape.inChannels { target[channel] = source[channel] }
          } else {
            for channel in 0..<shape.inChannels { target[channel] = 0 }
          }
        }
        rows[slot] = UnsafePointer(piece)
      }
      slot += capacity
    } else {
      for column in 0..<shape.kernelWidth {
        let inX = left + column
        rows[slot] =
          lineInside && inX >= 0 && inX < shape.inWidth ? line + inX * task.input.pixelStride : task.zeros
        slot += capacity
      }
    }
  }
}
