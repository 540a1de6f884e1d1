// Products of integers with rows of a map: pixels and tokens (1x1 convolutions and linear layers), or windows. A block of rows
// is rounded to integers, which stay in the first-level cache while it is multiplied with one panel of weights after another.
//
// Packed weights: (16 output channels, unit of a row, output channel, bytes of a unit), then, for every kind of float that
// describes a column, one per output channel. A row is (kernel height, kernel width, input channels).

import CKernelShims
import NNKernelInterface

/// Output channels, rounded up to 16.
@inline(__always)
private func columnCount(_ shape: ConvolutionShape) -> Int { (shape.outChannels &+ 15) / 16 &* 16 }

extension ConvolutionShape {
  /// Elements of a row: those of a window.
  @inline(__always) var rowCount: Int { kernelHeight &* kernelWidth &* inChannels }
}

func packedIntegerRowsCount<Numbers: RowIntegers>(_: Numbers.Type, _ shape: ConvolutionShape) -> Int {
  columnCount(shape) * (Numbers.words(shape.rowCount) + Numbers.columnFloats)
}

func packIntegerRows<Numbers: RowIntegers>(
  _: Numbers.Type, _ shape: ConvolutionShape, _ weights: UnsafePointer<Float>, _ scale: UnsafePointer<Float>?,
  _ packed: UnsafeMutablePointer<Float>
) {
  let (channels, columns) = (shape.inChannels, columnCount(shape))
  let (positions, count) = (shape.kernelHeight * shape.kernelWidth, shape.rowCount)
  let words = Numbers.words(count)
  let (target, unit) = (UnsafeMutableRawPointer(packed), Numbers.Words.unit)
  let described = packed + columns * words
  let padded = (count + 15) / 16 * 16
  withUnsafeTemporaryAllocation(of: Float.self, capacity: padded + 16) { scratch in
    guard let column = scratch.baseAddress else { return }
    let integers = UnsafeMutableRawPointer(column + padded)
    for out in 0..<columns {
      let isUsed = out < shape.outChannels
      let factor = isUsed ? scale?[out] ?? 1 : 0
      for index in 0..<padded {
        let (position, channel) = index.quotientAndRemainder(dividingBy: channels)
        column[index] =
          isUsed && index < count ? weights[(out * channels + channel) * positions + position] * factor : 0
      }
      let columnScale = Numbers.columnScale(column, padded, factor: factor)
      let first = target + (out / 16 * words * 64 + out % 16 * unit)
      var sum: Float = 0
      for index in stride(from: 0, to: padded, by: 16) {
        sum += Numbers.roundColumn(load(column + index), 1 / columnScale, integers)
        let begin = index * Numbers.bytes
        for byte in stride(from: 0, to: min(16 * Numbers.bytes, 4 * words - begin), by: unit) {
          (first + (begin + byte) * 16).copyMemory(from: integers + byte, byteCount: unit)
        }
      }
      described[out] = columnScale
      if Numbers.columnFloats > 1 { described[columns + out] = sum }
    }
  }
}

/// The memory that a call works in.
struct RowScratch<Numbers: RowIntegers> {
  /// Bytes from one row of integers to the next.
  let rowBytes: Int
  /// A block's integers, and a rounded map.
  let integers, map: UnsafeMutableRawPointer
  /// The block's rows' descriptions, and a panel's products with it.
  let described, sums: UnsafeMutablePointer<Float>

  /// Rows of a block: two groups of vectors.
  @inline(__always) static var rows: Int { 2 &* Numbers.Words.tileRows }
  /// Floats from one kind of description of a block's rows to the next.
  @inline(__always) static var stride: Int { (rows &+ 15) / 16 &* 16 }

  @inline(__always)
  init(_ shape: ConvolutionShape, _ memory: UnsafeMutablePointer<Float>) {
    let padded = (shape.rowCount &+ 15) / 16 &* 16
    // A line more, so that rows fall into different sets of the first-level cache.
    rowBytes = (padded &* Numbers.bytes &+ 63) / 64 &* 64 &+ 64
    sums = memory
    described = sums + Self.rows &* panelWidth
    integers = UnsafeMutableRawPointer(described + Self.stride &* Numbers.rowFloats)
    map = integers + Self.rows &* rowBytes
  }

  @inline(__always)
  static func floats(_ shape: ConvolutionShape, items: Int) -> Int {
    let scratch = Self(shape, UnsafeMutablePointer(bitPattern: 64)!)
    let bytes = Numbers.mapBytes(shape, rows: items)
    return (scratch.map - UnsafeMutableRawPointer(scratch.sums) + bytes + 3) / 4
  }
}

func integerRowsScratch<Numbers: RowIntegers>(
  _: Numbers.Type, _ shape: ConvolutionShape, items: Int
) -> Int {
  RowScratch<Numbers>.floats(shape, items: items)
}

func integerRows<Numbers: RowIntegers>(
  _: Numbers.Type, _ task: UnsafePointer<ConvolutionTask>, _ share: Share
) {
  let shape = task.pointee.shape
  let (begin, slots) = (share.items.lowerBound, shape.outWidth)
  let scratch = RowScratch<Numbers>(shape, share.scratch)
  let words = Numbers.words(shape.rowCount)
  let columns = columnCount(shape)
  let described = task.pointee.weights + columns &* words
  let isScattered = task.pointee.output.pixelStride &* task.pointee.output.element.asked.size >= 512
  let count = share.items.count &* slots
  let blocks = (count &+ RowScratch<Numbers>.rows &- 1) / RowScratch<Numbers>.rows
  if Numbers.mapBytes(shape, rows: share.items.count) > 0 {
    task.pointee.input.element.run(
      RoundedMap<Numbers>.self, (task: task, items: share.items, scratch: scratch))
  }
  // As many rows in one block as in the next.
  for block in 0..<blocks {
    let slot = count &* block / blocks
    let rows = count &* (block &+ 1) / blocks &- slot
    Numbers.makeRows(RowBlock(task: task, begin: begin, slot: slot, count: rows, scratch: scratch))
    for panel in share.panels {
      let first = panel &* panelWidth
      let width = min(panelWidth, columns &- first)
      if isScattered {
        prefetchOutput(task, begin: begin, slot: slot, count: rows, slots: slots, first: first)
      }
      Numbers.Words.multiply(
        scratch.integers, leftStride: scratch.rowBytes, rows: rows, words: words,
        task.pointee.weights + first &* words, columns: width, scratch.sums)
      storeBlock(
        (
          task: task, sums: UnsafePointer(scratch.sums), begin: begin, slot: slot, count: rows, slots: slots,
          first: first
        ),
        as: Numbers.scaling(
          rows: scratch.described, stride: RowScratch<Numbers>.stride, columns: described + first,
          stride: columns, isWide: width > 16))
    }
  }
}

/// Rows of a map that are multiplied together.
struct RowBlock<Numbers: RowIntegers> {
  let task: UnsafePointer<ConvolutionTask>
  /// The first output row of the share, and the first of the block's output pixels, counted from there.
  let begin, slot: Int
  /// Its rows.
  let count: Int
  let scratch: RowScratch<Numbers>
}

/// Rounds the map that a share's rows are made from.
private enum RoundedMap<Numbers: RowIntegers>: ElementLoop {
  typealias Operands = (
    task: UnsafePointer<ConvolutionTask>, items: Range<Int>, scratch: RowScratch<Numbers>
  )

  @inline(__always)
  static func run<Element: MapElement>(_ element: Element, _ share: Operands) {
    roundMap(Numbers.self, element, share)
  }
}

@inline(never)
private func roundMap<Numbers: RowIntegers, Element: MapElement>(
  _: Numbers.Type, _ element: Element, _ share: RoundedMap<Numbers>.Operands
) {
  Numbers.roundMap(element, share.task, share.items, share.scratch)
}
