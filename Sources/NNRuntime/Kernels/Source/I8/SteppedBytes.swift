// Static quantization: convolutions of any window whose input is a multiple of a scale that is known beforehand, and whose
// weights are whole numbers with a scale an output channel, as files with QuantizeLinear and DequantizeLinear state them.

import CKernelShims
import NNKernelInterface

/// Integers of 8 bits of known steps: an input x becomes a = round(x / scale) - low, from 0 to 255, a weight stays what it is.
///
/// Sums of products are exact. From them comes the convolution's sum as from those of `EightBits`.
enum SteppedBytes: RowIntegers {
  typealias Words = IntegerQuads
  @inline(__always) static var bytes: Int { EightBits.bytes }
  @inline(__always) static var rowFloats: Int { EightBits.rowFloats }
  @inline(__always) static var columnFloats: Int { EightBits.columnFloats }
  @inline(__always) static var readsWindows: Bool { true }

  /// The layer's own scale: what is left of a column are whole numbers.
  @inline(__always)
  static func columnScale(_ column: UnsafePointer<Float>, _ count: Int, factor: Float) -> Float {
    factor == 0 ? .leastNormalMagnitude : factor
  }

  @inline(__always)
  static func roundColumn(_ column: Vector, _ factor: Float, _ target: UnsafeMutableRawPointer) -> Float {
    EightBits.roundColumn(column, factor, target)
  }

  @inline(__always)
  static func scaling(
    rows: UnsafePointer<Float>, stride: Int, columns: UnsafePointer<Float>, stride columnStride: Int,
    isWide: Bool
  ) -> RangedSums {
    EightBits.scaling(rows: rows, stride: stride, columns: columns, stride: columnStride, isWide: isWide)
  }

  /// Rounds windows: straight from the map where channels are whole vectors, else from a row of floats.
  @inline(__always)
  static func roundRows<Element: MapElement>(_ element: Element, _ block: RowBlock<Self>) {
    let (shape, scratch) = (block.task.pointee.shape, block.scratch)
    guard let steps = block.task.pointee.steps else { return }
    let rounding = Rounding(steps)
    let isAligned = shape.inChannels % 16 == 0
    for row in 0..<block.count {
      let (y, x) = (block.slot &+ row).quotientAndRemainder(dividingBy: shape.outWidth)
      let target = scratch.integers + Words.offset(ofRow: row, scratch.rowBytes)
      if isAligned {
        forEachRun(block.task.pointee, y: block.begin &+ y, x: x) { index, offset, count in
          let source = block.task.pointee.input.base
          for channel in stride(from: 0, to: count, by: 16) {
            let x =
              offset < 0
              ? Vector(repeating: 0)
              : element.load(UnsafeRawPointer(source) + (offset &+ channel) &* element.size)
            Words.store(rounding.integers(x), target, at: index &+ channel)
          }
        }
      } else {
        forEachRun(block.task.pointee, y: block.begin &+ y, x: x) { index, offset, count in
          let source = block.task.pointee.input.base
          forEachVector(count) { channel, used in
            let x =
              offset < 0
              ? Vector(repeating: 0)
              : element.loadSome(UnsafeRawPointer(source) + (offset &+ channel) &* element.size, used)
            store(x, scratch.row + (index &+ channel))
          }
        }
        for index in stride(from: 0, to: shape.rowCount, by: 16) {
          Words.store(rounding.integers(load(scratch.row + index)), target, at: index)
        }
      }
      scratch.described[row] = steps.scale
      scratch.described[row &+ RowScratch<Self>.stride] = (steps.low + Words.shift) * steps.scale
    }
  }

  /// How floats become integers.
  private struct Rounding {
    let factor, low, high, above: Vector
    /// Added to a number below 2^22, it leaves no fraction; halves go to the even number.
    @inline(__always) static var whole: Float { 12_582_912 }

    @inline(__always) init(_ steps: ByteSteps) {
      factor = Vector(repeating: 1 / steps.scale)
      low = Vector(repeating: steps.low)
      high = Vector(repeating: steps.high)
      above = Vector(repeating: Self.whole + steps.low)
    }

    @inline(__always) func integers(_ x: Vector) -> Vector {
      let steps = smaller(larger(x * factor, low), high)
      return ardf_int32_nearest(steps + Vector(repeating: Self.whole) - above)
    }
  }

  /// Calls `body(index in the row, offset in the map, elements)` for each run of elements that lie side by side in a window;
  /// the offset of what lies beyond the map's edges is negative.
  @inline(__always)
  private static func forEachRun(
    _ task: ConvolutionTask, y: Int, x: Int, _ body: (_ index: Int, _ offset: Int, _ count: Int) -> Void
  ) {
    let (shape, input) = (task.shape, task.input)
    let left = x &* shape.stride &- shape.padding
    let isDense = input.pixelStride == shape.inChannels
    for row in 0..<shape.kernelHeight {
      let inRow = y &* shape.stride &- shape.padding &+ row
      var column = 0
      while column < shape.kernelWidth {
        let inColumn = left &+ column
        let isInside =
          inRow >= 0 && inRow < shape.inHeight && inColumn >= 0 && inColumn < shape.inWidth
        let pixels = isInside && isDense ? min(shape.kernelWidth &- column, shape.inWidth &- inColumn) : 1
        body(
          (row &* shape.kernelWidth &+ column) &* shape.inChannels,
          isInside ? inRow &* input.rowStride &+ inColumn &* input.pixelStride : -1,
          pixels &* shape.inChannels)
        column &+= pixels
      }
    }
  }
}
