// Dense convolution in bf16 with sums in floats: windows are read where they lie in a padded copy of the chunk's
// input rows (WindowLayout), no im2col. A 1x1 convolution or linear layer reads its input in place.
//
// Packed weights: panels of 32 output channels, the last 16 wide if no more are used; in each (kernel row, step,
// 16 columns, pair, column, 2).

import CKernelShims
import NNKernelInterface

/// Panels of 32 output channels.
@inline(__always)
func panelCount(_ outChannels: Int) -> Int { (outChannels &+ panelWidth &- 1) / panelWidth }

/// Tiles of a panel: one where no more than 16 columns are used.
@inline(__always)
private func columnTiles(_ outChannels: Int, _ panel: Int) -> Int {
  outChannels &- panel &* panelWidth > 16 ? 2 : 1
}

func packedRoundedCount(_ shape: ConvolutionShape) -> Int {
  let tiles = (shape.outChannels + 15) / 16
  return tiles * 16 * shape.kernelHeight * InnerDimension(shape).padded / 2
}

func packRounded(
  _ shape: ConvolutionShape, _ weights: UnsafePointer<Float>, _ scale: UnsafePointer<Float>?,
  _ packed: UnsafeMutablePointer<Float>
) {
  let inner = InnerDimension(shape)
  let filter = shape.inChannels * shape.kernelHeight * shape.kernelWidth
  let positions = shape.kernelHeight * shape.kernelWidth
  var target = UnsafeMutableRawPointer(packed).assumingMemoryBound(to: UInt16.self)
  for panel in 0..<panelCount(shape.outChannels) {
    for row in 0..<shape.kernelHeight {
      for step in 0..<inner.steps {
        for tile in 0..<columnTiles(shape.outChannels, panel) {
          let first = panel * panelWidth + tile * 16
          let used = max(0, min(16, shape.outChannels - first))
          for k in 0..<inner.step {
            let index = step * inner.step + k
            let pair = target + k / 2 * 32 + k % 2
            let (column, channel) = (index / shape.inChannels, index % shape.inChannels)
            let source = weights + first * filter + channel * positions + row * shape.kernelWidth + column
            let isUsed = index < inner.length
            for out in 0..<16 {
              pair[2 * out] =
                isUsed && out < used ? rounded(source[out * filter] * (scale?[first + out] ?? 1)) : 0
            }
          }
          target += inner.step * 16
        }
      }
    }
  }
}

/// Whether the input's pixels are rows of A as they lie.
@inline(__always)
private func readsInPlace(_ task: UnsafePointer<ConvolutionTask>, _ inner: InnerDimension) -> Bool {
  let shape = task.pointee.shape
  return task.pointee.input.element == .bfloat16 && shape.outWidth == 1 && shape.inWidth == 1
    && shape.kernelHeight == 1 && shape.kernelWidth == 1 && shape.stride == 1 && shape.padding == 0
    && inner.isExact
}

/// Floats: the sums of two blocks, the segments' offsets, the copied input, and what a product works in.
func roundedConvolutionScratch(_ shape: ConvolutionShape, _ rows: Int) -> Int {
  let layout = WindowLayout(shape, rows: rows)
  return 2 * blockRows * panelWidth + (2 * shape.kernelHeight + 15) / 16 * 16 + shape.stride * layout.plane
    / 2 + OwnProducts.productRoom
}

@inline(__always)
func roundedConvolution(_ task: UnsafePointer<ConvolutionTask>, _ share: Share, tiles: Bool) {
  let (begin, end) = (share.items.lowerBound, share.items.upperBound)
  let (firstPanel, lastPanel) = (share.panels.lowerBound, share.panels.upperBound)
  let shape = task.pointee.shape
  let inner = InnerDimension(shape)
  let height = OwnProducts.wholeBlock(tiles: tiles)
  let sums = share.scratch
  let sumCount = blockRows * panelWidth
  let segments = UnsafeMutableRawPointer(sums + 2 * sumCount).assumingMemoryBound(to: Int.self)
  let copy = UnsafeMutableRawPointer(sums + 2 * sumCount + (2 * shape.kernelHeight + 15) / 16 * 16)
  let layout = WindowLayout(shape, rows: end - begin)
  let room = sums + (2 * sumCount + (2 * shape.kernelHeight + 15) / 16 * 16 + shape.stride * layout.plane / 2)
  let inPlace = readsInPlace(task, inner)
  let slotCount = (end - begin) &* layout.slots
  // In place, the blocks whose rows all lie in the map; the others, which only tiles have, read a copy.
  var copied = 0
  if inPlace {
    copied = tiles ? min(slotCount, (shape.outHeight &- begin) / height &* height) : slotCount
    if copied < slotCount {
      copyRows(task, layout, begin &+ copied, end, copy)
    }
  } else {
    copyRows(task, layout, begin, end, copy)
  }
  for row in 0..<shape.kernelHeight {
    let (line, plane) = row.quotientAndRemainder(dividingBy: shape.stride)
    segments[row] = (plane &* layout.plane &+ line &* layout.line) &* 2
  }
  let isScattered = task.pointee.output.pixelStride &* task.pointee.output.element.size >= 512
  let copyStride = shape.stride &* shape.inChannels &* 2
  let inputStride = task.pointee.input.rowStride &* 2

  OwnProducts.beginProducts(step: inner.step, tiles: tiles)
  let panelBytes = shape.kernelHeight &* inner.padded &* panelWidth &* 2
  let panels = lastPanel &- firstPanel
  let blocks = (slotCount &+ height &- 1) / height
  // Tiles keep a panel near, in whole blocks; vectors a block of rows, as many in one as in the next: they multiply so
  // slowly that panels may come from the second-level cache. A block is stored after the product of the next is under
  // way: the two don't wait for each other.
  for index in 0..<panels &* blocks {
    let (panel, slot, count) = place(index)
    let reads = slot < copied
    if isScattered {
      prefetchOutput(
        task, begin: begin, slot: slot, count: count, slots: layout.slots, first: panel &* panelWidth)
    }
    OwnProducts.multiplyBlock(
      (
        rows: reads
          ? task.pointee.input.address((begin &+ slot) &* task.pointee.input.rowStride)
          : UnsafeRawPointer(copy + (slot &- copied) &* copyStride),
        rowStride: reads ? inputStride : copyStride, segments: UnsafePointer(segments),
        segmentCount: shape.kernelHeight, steps: inner.steps, step: inner.step,
        columns: UnsafeRawPointer(task.pointee.weights) + panel &* panelBytes,
        output: sums + index % 2 &* sumCount, readsAhead: reads && panel == firstPanel
      ), tiles: tiles, rows: count, columnTiles: columnTiles(shape.outChannels, panel), room)
    if index > 0 { finish(index &- 1) }
  }
  finish(panels &* blocks &- 1)

  @inline(__always) func place(_ index: Int) -> (panel: Int, slot: Int, count: Int) {
    if tiles {
      let slot = index % blocks &* height
      return (firstPanel &+ index / blocks, slot, min(height, slotCount &- slot))
    }
    let block = index / panels
    let slot = slotCount &* block / blocks
    return (firstPanel &+ index % panels, slot, slotCount &* (block &+ 1) / blocks &- slot)
  }
  @inline(__always) func finish(_ index: Int) {
    let (panel, slot, count) = place(index)
    storeBlock(
      (
        task: task, sums: UnsafePointer(sums + index % 2 &* sumCount), begin: begin, slot: slot, count: count,
        slots: layout.slots, first: panel &* panelWidth
      ))
  }
  OwnProducts.endProducts(tiles: tiles)
}

/// Copies the input rows that output rows `begin..<end` read, rounded to bf16, as `WindowLayout` says.
@inline(never)
private func copyRows(
  _ task: UnsafePointer<ConvolutionTask>, _ layout: WindowLayout, _ begin: Int, _ end: Int,
  _ copy: UnsafeMutableRawPointer
) {
  let shape = task.pointee.shape
  let input = task.pointee.input
  let (stride, channels) = (shape.stride, shape.inChannels)
  let lines = (end &- begin &- 1) &* stride &+ shape.kernelHeight
  for index in 0..<lines {
    let y = begin &* stride &- shape.padding &+ index
    let target = copy + (index % stride &* layout.plane &+ index / stride &* layout.line) &* 2
    if y < 0 || y >= shape.inHeight {
      clear(target, layout.line)
      continue
    }
    let left = shape.padding &* channels
    clear(target, left)
    let pixels = min(shape.inWidth, layout.pitch &- shape.padding)
    let source = input.address(y &* input.rowStride)
    if task.pointee.readsPlanes {
      PlaneRow(input, y).interleave(pixels, into: target + left &* 2, as: BFloat16Element())
    } else if input.pixelStride == channels {
      copyRounded(source, input.element, target + left &* 2, pixels &* channels)
    } else {
      for x in 0..<pixels {
        copyRounded(
          source + x &* input.pixelStride &* input.element.size, input.element,
          target + (left &+ x &* channels) &* 2, channels)
      }
    }
    let used = left &+ pixels &* channels
    clear(target + used &* 2, layout.line &- used)
  }
  for plane in 0..<stride where plane < lines {
    let planeLines = (lines &- plane &+ stride &- 1) / stride
    clear(copy + (plane &* layout.plane &+ planeLines &* layout.line) &* 2, layout.tail)
  }
}
