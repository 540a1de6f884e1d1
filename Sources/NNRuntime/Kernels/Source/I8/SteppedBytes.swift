// Static quantization: convolutions of any window whose input is a multiple of a scale that is known beforehand, and whose
// weights are whole numbers with a scale per output channel, as files with QuantizeLinear and DequantizeLinear state them.

import CKernelShims
import NNKernelInterface

/// Integers of 8 bits of known steps: an input x becomes a = round(x / scale) - low, from 0 to 255, a weight stays what it is.
///
/// Sums of products are exact, and so is what is added to them for `low`: where all of a row stands for zero, its sum is the
/// bias, whatever a normalization then divides it by.
enum SteppedBytes: RowIntegers {
  typealias Words = IntegerQuads
  @inline(__always) static var bytes: Int { EightBits.bytes }
  @inline(__always) static var rowFloats: Int { EightBits.rowFloats }
  @inline(__always) static var columnFloats: Int { EightBits.columnFloats }

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
  ) -> SteppedSums {
    let second = isWide ? 16 : 0
    // All rows are described alike.
    let (scale, low) = (Vector(repeating: rows[0]), Vector(repeating: rows[stride]))
    return SteppedSums(
      scale: scale, low: load(columns), high: load(columns + second),
      lowSums: load(columns + columnStride) * low, highSums: load(columns + columnStride + second) * low)
  }

  /// The rows of the map that the windows of some output rows read, with zeros around them, after a window that is not
  /// interleaved yet where windows are.
  @inline(__always)
  static func mapBytes(_ shape: ConvolutionShape, rows: Int) -> Int {
    // Vectors reach over the end.
    windowBytes(shape) &+ ((rows &- 1) &* shape.stride &+ shape.kernelHeight) &* mapPitch(shape) &+ 64
  }

  /// Bytes of that window, and of what vectors write after it.
  @inline(__always)
  private static func windowBytes(_ shape: ConvolutionShape) -> Int {
    Words.interleavesRows ? shape.rowCount &+ 64 : 0
  }

  /// Bytes from one row of the rounded map to the next.
  @inline(__always)
  private static func mapPitch(_ shape: ConvolutionShape) -> Int {
    ((shape.outWidth &- 1) &* shape.stride &+ shape.kernelWidth) &* shape.inChannels
  }

  /// Rounds each element once, however many windows read it.
  @inline(__always)
  static func roundMap<Element: MapElement>(
    _ element: Element, _ task: UnsafePointer<ConvolutionTask>, _ items: Range<Int>,
    _ scratch: RowScratch<Self>
  ) {
    let (shape, input) = (task.pointee.shape, task.pointee.input)
    guard let steps = task.pointee.steps else { return }
    let rounding = Rounding(steps)
    let zero = rounding.integers(Vector(repeating: 0))
    let pitch = mapPitch(shape)
    let before = min(shape.padding &* shape.inChannels, pitch)
    let pixels = min(shape.inWidth, (pitch &- before) / shape.inChannels)
    let isDense = input.pixelStride == shape.inChannels
    for row in 0..<(items.count &- 1) &* shape.stride &+ shape.kernelHeight {
      let target = scratch.map + (windowBytes(shape) &+ row &* pitch)
      let inRow = items.lowerBound &* shape.stride &- shape.padding &+ row
      guard inRow >= 0, inRow < shape.inHeight else {
        for index in stride(from: 0, to: pitch, by: 16) { Words.storeNumbers(zero, target + index) }
        continue
      }
      for index in stride(from: 0, to: before, by: 16) { Words.storeNumbers(zero, target + index) }
      let source = UnsafeRawPointer(input.base) + inRow &* input.rowStride &* element.size
      if isDense {
        round(element, source, pixels &* shape.inChannels, rounding, target + before)
      } else {
        for pixel in 0..<pixels {
          round(
            element, source + pixel &* input.pixelStride &* element.size, shape.inChannels, rounding,
            target + before + pixel &* shape.inChannels)
        }
      }
      for index in stride(from: before &+ pixels &* shape.inChannels, to: pitch, by: 16) {
        Words.storeNumbers(zero, target + index)
      }
    }
  }

  @inline(__always)
  private static func round<Element: MapElement>(
    _ element: Element, _ source: UnsafeRawPointer, _ count: Int, _ rounding: Rounding,
    _ target: UnsafeMutableRawPointer
  ) {
    forEachVector(count) {
      Words.storeNumbers(
        rounding.integers(element.loadSome(source + $0 &* element.size, $1)), target + $0)
    }
  }

  /// Puts windows together from the rounded map.
  @inline(__always)
  static func makeRows(_ block: RowBlock<Self>) {
    let (shape, scratch) = (block.task.pointee.shape, block.scratch)
    guard let steps = block.task.pointee.steps else { return }
    let (pitch, run) = (mapPitch(shape), shape.kernelWidth &* shape.inChannels)
    for row in 0..<block.count {
      let (y, x) = (block.slot &+ row).quotientAndRemainder(dividingBy: shape.outWidth)
      let target = scratch.integers + Words.offset(ofRow: row, scratch.rowBytes)
      let place: Int = y &* shape.stride &* pitch &+ x &* shape.stride &* shape.inChannels
      let first = scratch.map + (windowBytes(shape) &+ place)
      let numbers = Words.interleavesRows ? scratch.map : target
      for line in 0..<shape.kernelHeight {
        copy(first + line &* pitch, run, numbers + line &* run)
      }
      if Words.interleavesRows { Words.interleave(numbers, shape.rowCount, target) }
      scratch.described[row] = steps.scale
      scratch.described[row &+ RowScratch<Self>.stride] = steps.low + Words.shift
    }
  }

  /// Copies bytes, up to 63 more than are asked for.
  @inline(__always)
  private static func copy(_ source: UnsafeRawPointer, _ count: Int, _ target: UnsafeMutableRawPointer) {
    for index in stride(from: 0, to: count, by: 64) {
      target.storeBytes(
        of: (source + index).loadUnaligned(as: SIMD64<UInt8>.self), toByteOffset: index,
        as: SIMD64<UInt8>.self)
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
}

/// Sums of products of integers with one scale for all rows and one a column, and what is added to a column's first.
struct SteppedSums: SumScaling {
  let scale, low, high, lowSums, highSums: Vector

  @inline(__always) func sum(_ products: Vector, row: Int, isSecond: Bool, bias: Vector) -> Vector {
    let sum = (products + (isSecond ? highSums : lowSums)) * scale
    return multiplyAdd(sum, isSecond ? high : low, bias)
  }
}
