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
    / 2 + productRoom
}

@inline(__always)
func roundedConvolution(_ task: UnsafePointer<ConvolutionTask>, _ share: Share, tiles: Bool) {
  let (begin, end) = (share.items.lowerBound, share.items.upperBound)
  let (firstPanel, lastPanel) = (share.panels.lowerBound, share.panels.upperBound)
  let shape = task.pointee.shape
  let inner = InnerDimension(shape)
  let height = wholeBlock(tiles: tiles)
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

  beginProducts(step: inner.step, tiles: tiles)
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
    multiplyBlock(
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
  endProducts(tiles: tiles)
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
    if input.pixelStride == channels {
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

/// The pixels that the slots of a block become: runs of them in a row of the map.
private struct PixelRuns {
  /// The slot at hand; a map one pixel wide is one run from top to bottom.
  private var y, x: Int
  private let width, slots: Int
  private let isColumn: Bool

  /// From slot `slot` of the rows behind `begin` on, `slots` in a row.
  @inline(__always)
  init(_ shape: ConvolutionShape, begin: Int, slot: Int, slots: Int) {
    isColumn = slots == 1
    self.slots = isColumn ? .max : slots
    width = isColumn ? .max : shape.outWidth
    (y, x) = isColumn ? (0, begin &+ slot) : (begin &+ slot / slots, slot % slots)
  }

  /// The pixel at hand, counted row by row.
  @inline(__always) var pixel: Int { isColumn ? x : y &* width &+ x }

  /// How many of the next `count` slots are in this row, and become pixels.
  @inline(__always)
  func run(_ count: Int) -> (slots: Int, pixels: Int) {
    (min(count, slots &- x), max(0, min(count, width &- x)))
  }

  /// Goes on to the next row.
  @inline(__always)
  mutating func end() { (y, x) = (y &+ 1, 0) }

  /// Where channel `first` of the pixel at hand is, and how many bytes from there to that of the next.
  @inline(__always)
  func place(_ map: MapPointer, _ first: Int) -> (start: UnsafeRawPointer, step: Int) {
    let step = isColumn ? map.rowStride : map.pixelStride
    return (map.address(y &* map.rowStride &+ x &* step &+ first), step &* map.element.size)
  }

  /// Where channel `first` of the pixel at hand is, and how many bytes from there to that of the next.
  @inline(__always)
  func place(_ map: MutableMapPointer, _ first: Int) -> (start: UnsafeMutableRawPointer, step: Int) {
    let step = isColumn ? map.rowStride : map.pixelStride
    return (map.address(y &* map.rowStride &+ x &* step &+ first), step &* map.element.size)
  }
}

/// Fetches the lines that a block is going to be stored to while its product is under way: a store to a line that
/// has to come from far holds up all behind it.
@inline(never)
private func prefetchOutput(
  _ task: UnsafePointer<ConvolutionTask>, begin: Int, slot: Int, count: Int, slots: Int, first: Int
) {
  var runs = PixelRuns(task.pointee.shape, begin: begin, slot: slot, slots: slots)
  var rest = count
  while rest > 0 {
    let run = runs.run(rest)
    if let residual = task.pointee.residual {
      var (source, step) = runs.place(residual, first)
      for _ in 0..<run.pixels {
        ardf_prefetch_to_read(source)
        if residual.element == .float32 { ardf_prefetch_to_read(source + 64) }
        source += step
      }
    }
    var (target, step) = runs.place(task.pointee.output, first)
    let isFloat = task.pointee.output.element == .float32
    for _ in 0..<run.pixels {
      ardf_prefetch_to_write(target)
      if isFloat { ardf_prefetch_to_write(target + 64) }
      target += step
    }
    rest &-= run.slots
    runs.end()
  }
}

/// Sums of slots `slot..<slot + count`, `slots` in a row of the rows from `begin` on, that become output channels
/// `first...`.
typealias StoredBlock = (
  task: UnsafePointer<ConvolutionTask>, sums: UnsafePointer<Float>, begin: Int, slot: Int, count: Int,
  slots: Int, first: Int
)

/// out = activation(sums + bias) + residual, or activation(sums + addend + bias).
@inline(__always)
func storeBlock(_ block: StoredBlock) { block.task.pointee.activation.run(BlockStore.self, block) }

private enum BlockStore: ActivatedLoop {
  typealias Functions = RoughFunctions

  @inline(__always)
  static func run<Function: ActivationFunction>(_ function: Function, _ block: StoredBlock) {
    if let addend = block.task.pointee.addend {
      storeBlock(function, GivenPart(addend: addend, first: block.first), block)
    } else {
      storeBlock(function, NoPart(), block)
    }
  }
}

/// A part of the sums of a pixel that was computed before.
///
/// A type, so that a loop without one is not slowed by asking.
private protocol SumPart {
  /// `sum` of `count` channels from `channel` on with what is given of a pixel.
  func added(to sum: Vector, _ pixel: Int, _ channel: Int, _ count: Int) -> Vector
}

private struct NoPart: SumPart {
  @inline(__always) func added(to sum: Vector, _ pixel: Int, _ channel: Int, _ count: Int) -> Vector { sum }
}

private struct GivenPart: SumPart {
  let addend: Addend
  let first: Int
  @inline(__always) func added(to sum: Vector, _ pixel: Int, _ channel: Int, _ count: Int) -> Vector {
    sum + Float32Element().loadSome(addend.sums(ofPixel: pixel) + (first &+ channel), count)
  }
}

@inline(never)
private func storeBlock<Function: ActivationFunction, Part: SumPart>(
  _ function: Function, _ part: Part, _ block: StoredBlock
) {
  let task = block.task
  let output = task.pointee.output
  let residual = task.pointee.residual
  let columns = min(panelWidth, task.pointee.shape.outChannels &- block.first)
  let bias = task.pointee.bias + block.first
  let isWhole = columns == panelWidth && output.element == .bfloat16 && residual == nil
  let isResidual = columns == panelWidth && output.element == .float32 && residual?.element == .float32
  let (low, high) = (load(bias), load(bias + 16))
  var runs = PixelRuns(task.pointee.shape, begin: block.begin, slot: block.slot, slots: block.slots)
  var row = 0
  while row < block.count {
    let run = runs.run(block.count &- row)
    var source = block.sums + row &* panelWidth
    var (target, step) = runs.place(output, block.first)
    if isWhole {
      for offset in 0..<run.pixels {
        let left = part.added(to: load(source) + low, runs.pixel &+ offset, 0, 16)
        let right = part.added(to: load(source + 16) + high, runs.pixel &+ offset, 16, 16)
        ardf_bf16_store_two(target, function.of(left), function.of(right))
        source += panelWidth
        target += step
      }
    } else if isResidual, let residual {
      let floats = Float32Element()
      var (other, otherStep) = runs.place(residual, block.first)
      for _ in 0..<run.pixels {
        floats.store(function.of(load(source) + low) + floats.load(other), target)
        floats.store(function.of(load(source + 16) + high) + floats.load(other + 64), target + 64)
        source += panelWidth
        target += step
        other += otherStep
      }
    } else {
      var (other, otherStep) = residual.map { runs.place($0, block.first) } ?? (UnsafeRawPointer(target), 0)
      for offset in 0..<run.pixels {
        storePixel(
          function, part,
          (
            task: task, sums: source, target: target, bias: bias, pixel: runs.pixel &+ offset,
            residual: other,
            columns: columns
          ))
        source += panelWidth
        target += step
        other += otherStep
      }
    }
    row &+= run.slots
    runs.end()
  }
}

/// Sums that become `columns` channels of the output pixel that is `pixel` row by row; `residual` is added to them, where
/// the task has one.
private typealias StoredPixel = (
  task: UnsafePointer<ConvolutionTask>, sums: UnsafePointer<Float>, target: UnsafeMutableRawPointer,
  bias: UnsafePointer<Float>, pixel: Int, residual: UnsafeRawPointer, columns: Int
)

/// A pixel's channels, with a residual, as floats, or fewer than a panel of them.
@inline(__always)
private func storePixel<Function: ActivationFunction, Part: SumPart>(
  _ function: Function, _ part: Part, _ stored: StoredPixel
) {
  let element = stored.task.pointee.output.element
  var channel = 0
  while channel < stored.columns {
    let count = min(16, stored.columns &- channel)
    let sum = load(stored.sums + channel) + load(stored.bias + channel)
    var value = function.of(part.added(to: sum, stored.pixel, channel, count))
    if let residual = stored.task.pointee.residual {
      value += residual.element.loadSome(stored.residual + channel &* residual.element.size, count)
    }
    element.storeSome(value, stored.target + channel &* element.size, count)
    channel &+= 16
  }
}
